"""The verdict on a fit with ``lam="auto"``, and its reasons in words."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

from robustnmf._auto.ceiling import Ceiling
from robustnmf._auto.detection import Detector
from robustnmf._auto.detection.repair import NEVER
from robustnmf._auto.detection.settings import CEILING, LEARNER, REPAIR
from robustnmf._auto.evidence import Evidence
from robustnmf._auto.facts import Facts, most_flagged
from robustnmf._auto.settings import VERDICT
from robustnmf._auto.trials import Hidden, Trial, difference
from robustnmf._common.arrays import Array
from robustnmf._common.diagnosis import (
    DOUBTFUL,
    NO_STRUCTURE,
    RELIABLE,
    UNDECIDED,
    Diagnosis,
    TrustWarning,
    gravest,
)
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import user_level


def diagnose(
    chosen: Trial, evidence: Evidence, shuffled: float | None, ceiling: Ceiling | None
) -> Diagnosis:
    """Return the verdict on the account that was chosen.

    `shuffled` is the skill on data whose columns were shuffled, where it was needed.
    """
    n, m = chosen.learner.X.shape
    k = len(chosen.H)
    doubts = []
    if min(n, m) < VERDICT.few * k:
        few = "samples" if n < m else "features"
        doubts.append(f"{min(n, m)} {few} are too few for {k} components: use fewer components")
    if evidence.n_hidden < VERDICT.least_hidden:
        doubts.append(
            f"there are too few entries to test predictions on: {evidence.n_hidden} could be hidden"
        )
        return Diagnosis(DOUBTFUL, tuple(doubts))
    verdicts = [
        _structure(evidence.skill, shuffled),
        _cut_off(ceiling),
    ]
    if evidence.misfit > VERDICT.largest_misfit and evidence.skill < VERDICT.high_skill:
        doubts.append(
            "residuals have heavier tails than any noise this method knows (raw counts or very "
            "skewed data?): try the logarithm or square root of the data"
        )
    top = chosen.at_the_top
    if ceiling is None and top > CEILING.least_share and chosen.piled_at_the_top:
        doubts.append(
            f"{top:.0%} of the entries have the largest value and are not flagged: they may be "
            "saturated, or overwritten"
        )
    verdicts.append(Diagnosis(DOUBTFUL, tuple(doubts)) if doubts else Diagnosis(RELIABLE))
    return gravest(*verdicts)


def _structure(skill: float, shuffled: float | None) -> Diagnosis:
    if shuffled is None:
        return Diagnosis(RELIABLE)
    if skill < max(shuffled + VERDICT.more_than_shuffled, VERDICT.worthless):
        return Diagnosis(
            NO_STRUCTURE,
            (
                "hidden entries are predicted no better than in data whose columns were shuffled: "
                "the features have nothing to say about each other",
            ),
        )
    if skill < VERDICT.least_skill:
        return Diagnosis(
            DOUBTFUL, ("hidden entries are predicted no better than by each feature's median",)
        )
    return Diagnosis(RELIABLE)


def _cut_off(ceiling: Ceiling | None) -> Diagnosis:
    if ceiling is None or not ceiling.cut_off:
        return Diagnosis(RELIABLE)
    found = f"{ceiling.share:.0%} of the entries have the largest value"
    if ceiling.exceeded:
        note = f"{found} where more is expected: they are saturated; flagged, but not replaced"
        return Diagnosis(RELIABLE, (note,))
    return Diagnosis(
        DOUBTFUL,
        (
            f"{found}: either saturated, or that is the largest there is; they are flagged but not "
            "replaced, and nothing is learned from them",
        ),
    )


def rival_share(trials: list[Trial], chosen: Trial, hidden: Hidden) -> float:
    """Return how much is corrupt by another account that is as likely, 0 if there is none.

    An account that calls less corrupt than the chosen one was found to be less likely.
    """
    rows = hidden.rows[hidden.some()]
    for rival in trials:
        if rival.share - chosen.share >= VERDICT.another_account:
            gain, error = difference(chosen, rival, rows)
            if gain < VERDICT.equally_likely * error:
                return rival.share
    return 0.0


def diagnose_finished(
    diagnosis: Diagnosis,
    rival: float,
    facts: Facts,
    summary: Summary,
    outliers: tuple[Array, Array],
) -> Diagnosis:
    """Add what the finished fit says: how much is flagged, and whole samples and features.

    `rival` is how much is corrupt by another account that is as likely, and `outliers` are the
    positions of samples and of features that are nothing like the rest.
    """
    flagged = facts.n_flagged / summary.n_known
    if rival - flagged >= VERDICT.another_account:
        story = (
            f"that {flagged:.0%} of the entries are corrupt and that {rival:.0%} are explains the "
            "data equally well"
        )
        diagnosis = gravest(diagnosis, Diagnosis(UNDECIDED, (story,)))
    if runs_wild(facts, summary):
        wild = (
            "predictions of what is flagged are further off than the data vary: use fewer "
            "components"
        )
        diagnosis = gravest(diagnosis, Diagnosis(DOUBTFUL, (wild,)))
    notes, doubtful = [], flagged > VERDICT.most_corrupt
    if doubtful:
        notes.append(f"{flagged:.0%} of the entries are flagged, which is hardly plausible")
    n = int(facts.crowds.sum())
    few = max(1, round(VERDICT.few_samples * n))
    crowded = most_flagged(facts.crowds, few) > max(
        VERDICT.most_flagged * facts.n_flagged, VERDICT.crowd * few
    )
    if flagged > VERDICT.notable and crowded:
        doubtful = True
        notes.append(
            f"most flagged entries are in {few} of {n} samples: these may differ as a whole"
        )
    for name, count, all_ in (
        ("samples", len(outliers[0]), n),
        ("features", len(outliers[1]), len(facts.flagged)),
    ):
        if count:
            notes.append(f"{count} of {all_} {name} are nothing like the rest: see outlier_{name}_")
            doubtful |= count > VERDICT.many * all_
    if not notes:
        return diagnosis
    return gravest(diagnosis, Diagnosis(DOUBTFUL if doubtful else RELIABLE, tuple(notes)))


def carried(facts: Facts, summary: Summary) -> float:
    """Return the squares of all that is flagged over the variation of the data."""
    variation = max(summary.square_sum - summary.n_known * summary.mean**2, 1e-300)
    return facts.squares / variation


def runs_wild(facts: Facts, summary: Summary) -> bool:
    """Return whether what is flagged varies more than the data can.

    If predictions are right, the noise e of a share p of the entries adds at least (1 − p) Σ e² to
    the variation. More than there is means that predictions are wrong, and not the data.
    """
    share = facts.n_flagged / summary.n_known
    return carried(facts, summary) * (1 - share) > VERDICT.most_carried


def concentration(counts: Array) -> float:
    """Return how much oftener two flagged entries share a feature than if they were anywhere.

    Examples
    --------
    >>> import numpy as np
    >>> concentration(np.array([10, 0, 0, 0])), concentration(np.array([2, 2, 2, 2])) < 1
    (4.0, True)
    """
    total = counts.sum()
    pairs = max(float(total * (total - 1)), 1.0)
    return float(len(counts) * (counts * (counts - 1.0)).sum() / pairs)


def repairing(
    detector: Detector,
    diagnosis: Diagnosis,
    facts: Facts,
    summary: Summary,
) -> Detector:
    """Return the detector with the repairs that a verdict allows: in doubt what is clearly wrong.

    Whatever is filled in stays within the range of what the finished fit trusts.
    """
    assert detector.repair is not None
    least = {RELIABLE: REPAIR.trusted, NO_STRUCTURE: NEVER}.get(diagnosis.verdict, REPAIR.in_doubt)
    rare = REPAIR.trusted
    by_feature = facts.flagged.copy()
    by_feature[detector.bad_features] = 0
    if math.isfinite(detector.repair.ceiling) or concentration(by_feature) >= VERDICT.in_few:
        # What is cut off at the top is well measured below it; and corruption is anywhere, so what
        # keeps to a few features is the nature of these.
        rare = NEVER
    elif facts.scattered < LEARNER.rare:
        safe = diagnosis.trusted and not VERDICT.much < carried(facts, summary) < VERDICT.nearly_all
        rare = REPAIR.in_doubt if safe else NEVER
    if runs_wild(facts, summary):
        least = NEVER
    low, high = facts.trusted
    repair = replace(
        detector.repair,
        least=least,
        rare=rare,
        most_unexplained=facts.most_unexplained,
        low=low,
        high=high,
    )
    surest = VERDICT.hardly_sure if diagnosis.verdict == NO_STRUCTURE else 1.0
    return replace(detector, surest=surest, repair=repair)


def warn_untrusted(diagnosis: Diagnosis, owner: str) -> None:
    """Say why the result should not be relied on, and what that means."""
    if diagnosis.trusted:
        return
    advice = (
        "denoise replaces nothing"
        if diagnosis.verdict == NO_STRUCTURE
        else "denoise replaces only what is clearly wrong"
    )
    warnings.warn(
        f"{owner} with lam='auto': {diagnosis}. Look at detect(X) and noise_probability(X) before "
        f"relying on them; {advice}. See diagnosis_.",
        TrustWarning,
        stacklevel=user_level(),
    )
