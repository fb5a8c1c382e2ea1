"""The verdict on a fit with ``lam="auto"``, and its reasons in words."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np

from robustnmf._auto.ceiling import Ceiling
from robustnmf._auto.detection import Detector
from robustnmf._auto.detection.ceiling import LEAST_SHARE
from robustnmf._auto.detection.learner import RARE
from robustnmf._auto.detection.outliers import most_unexplained
from robustnmf._auto.detection.repair import IN_DOUBT, NEVER, TRUSTED
from robustnmf._auto.evidence import Evidence
from robustnmf._auto.inference import Facts
from robustnmf._auto.trials import Hidden, Trial, difference
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
from robustnmf._fitting.inference import Inferred

Array = np.ndarray

# With fewer hidden entries nothing can be said of predictions.
LEAST_HIDDEN = 30
# Predictions with more skill than this need no comparison; with less, they must beat those of the
# same fit to data whose columns were shuffled by this much.
# Predictions as bad as the last number are worth nothing in any case.
CLEAR_SKILL, LEAST_SKILL, MORE_THAN_SHUFFLED, WORTHLESS = 0.15, 0.02, 0.08, -0.3
# Two accounts differ when their shares of corrupt entries do by this much.
ANOTHER_STORY = 0.05
# ... and neither is likelier when the difference is below so many standard errors.
EQUALLY_LIKELY = 2.0
# More residuals far out than their density allows, by this share of all, are nothing like it.
# ... which does not matter where hidden entries are predicted this well.
LARGEST_MISFIT, HIGH_SKILL = 0.3, 0.6
# More than this cannot be told from the data themselves.
MOST_CORRUPT = 0.4
# More than this share of samples or features that are nothing like the rest is a matter of doubt.
MANY = 0.35
# More than this share of the flagged entries in so few of the samples is no scattered corruption,
# if so many entries are flagged at all.
MOST_FLAGGED, FEW_SAMPLES, NOTABLE = 0.5, 0.12, 0.008
# ... and if so many are in each of these samples.
CROWD = 4
# Rare entries that carry so much of the variation are as likely tails; what carries nearly all
# of it is wrong.
MUCH, NEARLY_ALL = 0.15, 0.8
# However many entries are flagged, those that share their features so many times as often as
# chance would have it are tails.
IN_FEW = 4.0
# Where nothing is predicted, only values that are written again and again are surer than this.
HARDLY_SURE = 0.5
# Predictions that are right leave noise of no more than the variation of the data, or hardly more.
MOST_CARRIED = 1.25
# So many samples and features a component are too few.
FEW = 2


def diagnose(
    chosen: Trial, evidence: Evidence, shuffled: float | None, ceiling: Ceiling | None
) -> Diagnosis:
    """Return the verdict on the account that was chosen.

    `shuffled` is the skill on data whose columns were shuffled, where it was needed.
    """
    n, m = chosen.learner.X.shape
    k = len(chosen.H)
    doubts = []
    if min(n, m) < FEW * k:
        few = "samples" if n < m else "features"
        doubts.append(f"{min(n, m)} {few} are too few for {k} components: use fewer components")
    if evidence.n_hidden < LEAST_HIDDEN:
        doubts.append(
            f"there are too few entries to test predictions on: {evidence.n_hidden} could be hidden"
        )
        return Diagnosis(DOUBTFUL, tuple(doubts))
    verdicts = [
        _structure(evidence.skill, shuffled),
        _cut_off(ceiling),
    ]
    if evidence.misfit > LARGEST_MISFIT and evidence.skill < HIGH_SKILL:
        doubts.append(
            "residuals have heavier tails than any noise this method knows (raw counts or very "
            "skewed data?): try the logarithm or square root of the data"
        )
    top = chosen.at_the_top
    if ceiling is None and top > LEAST_SHARE and chosen.piled_at_the_top:
        doubts.append(
            f"{top:.0%} of the entries have the largest value and are not flagged: they may be "
            "saturated, or overwritten"
        )
    verdicts.append(Diagnosis(DOUBTFUL, tuple(doubts)) if doubts else Diagnosis(RELIABLE))
    return gravest(*verdicts)


def _structure(skill: float, shuffled: float | None) -> Diagnosis:
    if shuffled is None:
        return Diagnosis(RELIABLE)
    if skill < max(shuffled + MORE_THAN_SHUFFLED, WORTHLESS):
        return Diagnosis(
            NO_STRUCTURE,
            (
                "hidden entries are predicted no better than in data whose columns were shuffled: "
                "the features have nothing to say about each other",
            ),
        )
    if skill < LEAST_SKILL:
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
        if rival.share - chosen.share >= ANOTHER_STORY:
            gain, error = difference(chosen, rival, rows)
            if gain < EQUALLY_LIKELY * error:
                return rival.share
    return 0.0


def final_look(
    diagnosis: Diagnosis,
    rival: float,
    found: Inferred,
    facts: Facts,
    summary: Summary,
    outliers: tuple[Array, Array],
) -> Diagnosis:
    """Add what the finished fit says: how much is flagged, and whole samples and features.

    `rival` is how much is corrupt by another account that is as likely, and `outliers` are the
    positions of samples and of features that are nothing like the rest.
    """
    flagged = found.E.nnz / summary.n_known
    if rival - flagged >= ANOTHER_STORY:
        story = (
            f"that {flagged:.0%} of the entries are corrupt and that {rival:.0%} are explains the "
            "data equally well"
        )
        diagnosis = gravest(diagnosis, Diagnosis(UNDECIDED, (story,)))
    if runs_wild(found, summary):
        wild = (
            "predictions of what is flagged are further off than the data vary: use fewer "
            "components"
        )
        diagnosis = gravest(diagnosis, Diagnosis(DOUBTFUL, (wild,)))
    notes, doubtful = [], flagged > MOST_CORRUPT
    if doubtful:
        notes.append(f"{flagged:.0%} of the entries are flagged, which is hardly plausible")
    n = len(facts.unexplained)
    counts = np.sort(np.diff(found.E.indptr))[::-1]
    few = max(1, round(FEW_SAMPLES * n))
    crowded = counts[:few].sum() > max(MOST_FLAGGED * counts.sum(), CROWD * few)
    if flagged > NOTABLE and crowded:
        doubtful = True
        notes.append(
            f"most flagged entries are in {few} of {n} samples: these may differ as a whole"
        )
    for name, count, all_ in (
        ("samples", len(outliers[0]), n),
        ("features", len(outliers[1]), found.E.shape[1]),
    ):
        if count:
            notes.append(f"{count} of {all_} {name} are nothing like the rest: see outlier_{name}_")
            doubtful |= count > MANY * all_
    if not notes:
        return diagnosis
    return gravest(diagnosis, Diagnosis(DOUBTFUL if doubtful else RELIABLE, tuple(notes)))


def carried(found: Inferred, summary: Summary) -> float:
    """Return the squares of all that is flagged over the variation of the data."""
    variation = max(summary.square_sum - summary.n_known * summary.mean**2, 1e-300)
    return float(np.sum(found.E.data.astype(float) ** 2)) / variation


def runs_wild(found: Inferred, summary: Summary) -> bool:
    """Return whether what is flagged varies more than the data can.

    If predictions are right, the noise e of a share p of the entries adds at least (1 − p) Σ e² to
    the variation. More than there is means that predictions are wrong, and not the data.
    """
    share = found.E.nnz / summary.n_known
    return carried(found, summary) * (1 - share) > MOST_CARRIED


def concentration(counts: Array) -> float:
    """Return how much oftener two flagged entries share a feature than if they were anywhere.

    Examples
    --------
    >>> concentration(np.array([10, 0, 0, 0])), concentration(np.array([2, 2, 2, 2])) < 1
    (4.0, True)
    """
    total = counts.sum()
    pairs = max(float(total * (total - 1)), 1.0)
    return float(len(counts) * (counts * (counts - 1.0)).sum() / pairs)


def repairing(
    detector: Detector,
    diagnosis: Diagnosis,
    found: Inferred,
    facts: Facts,
    summary: Summary,
    usual: Array,
) -> Detector:
    """Return the detector with the repairs that a verdict allows: in doubt what is clearly wrong.

    `usual` are the samples that tell how much is left unexplained as a rule. Whatever is filled in
    stays within the range of what the finished fit trusts.
    """
    assert detector.repair is not None
    least = {RELIABLE: TRUSTED, NO_STRUCTURE: NEVER}.get(diagnosis.verdict, IN_DOUBT)
    rare = TRUSTED
    by_feature = np.bincount(found.E.indices, minlength=found.E.shape[1])
    by_feature[detector.bad_features] = 0
    if math.isfinite(detector.repair.ceiling) or concentration(by_feature) >= IN_FEW:
        # What is cut off at the top is well measured below it; and corruption is anywhere, so what
        # keeps to a few features is the nature of these.
        rare = NEVER
    elif facts.scattered < RARE:
        safe = diagnosis.trusted and not MUCH < carried(found, summary) < NEARLY_ALL
        rare = IN_DOUBT if safe else NEVER
    if runs_wild(found, summary):
        least = NEVER
    low, high = facts.trusted
    repair = replace(
        detector.repair,
        least=least,
        rare=rare,
        most_unexplained=most_unexplained(facts.unexplained[usual]),
        low=low,
        high=high,
    )
    surest = HARDLY_SURE if diagnosis.verdict == NO_STRUCTURE else 1.0
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
