"""The targets about matrices, each decided from the numbers."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust import damage
from robustnmf_studies.trust.methods import OURS, STACK
from robustnmf_studies.trust.numbers import FAR, frame_of, within
from robustnmf_studies.trust.settings import REPEATED_RATE

_LEAST_AT_30 = {damage.SALT: 0.95, damage.SALT_PEPPER: 0.93, damage.SPIKES: 0.92}
# The nature of the sets that this is about.
_TERM_COUNTS = "term counts"


def judge_matrices(numbers: Numbers) -> list[Judged]:
    """Decide the targets about matrices.

    Examples
    --------
    >>> {found.verdict for found in judge_matrices({})}
    {'not measured'}
    """
    matrices = frame_of(numbers, "matrices")
    clean = frame_of(numbers, "clean_matrices").set_index("name")
    ours = pick(matrices, method=OURS)
    stacks = pick(matrices, method=STACK)["f1"].mean()
    stripes, samples = (pick(ours, kind=k)["f1"].mean() for k in (damage.STRIPES, damage.SAMPLES))
    return [
        *_near_and_restored(ours),
        _sure(ours.groupby("name")[["sure", "sure_right"]].sum()),
        *_left_alone(clean),
        *_at_thirty(pick(ours, kind=tuple(_LEAST_AT_30), rate=REPEATED_RATE)),
        within("occlusion of 20 %, as stacks: mean F1 ≥ 0.97", stacks, least=0.97),
        *_term_counts(pick(ours, nature=_TERM_COUNTS), pick(clean, nature=_TERM_COUNTS)),
        *_warnings(ours),
        *_rank(clean.dropna(subset="error_auto_rank")),
        within("stripes: mean F1 ≥ 0.6", stripes, least=0.6),
        within("bad samples: mean F1 ≥ 0.6", samples, least=0.6),
        _missing(frame_of(numbers, "missing").set_index("name")),
    ]


def _none_sure(target: str, rows: pd.DataFrame, *, known: bool) -> Judged:
    sure = int((~rows["warned"]).sum())
    return decide(target, f"{sure} of {len(rows)} called reliable", sure == 0 if known else None)


def _near_and_restored(ours: pd.DataFrame) -> list[Judged]:
    near = "matrices: within 0.03 of the best threshold at ≥ 75 % of the cases"
    worse = "restored data worse than the corrupted: ≤ 3 % of the cases"
    known = bool(ours["verdict"].notna().any())
    return [
        within(near, ours["near"].mean(), least=0.75, form=".1%"),
        _none_sure("the rest not reliable", ours[~ours["near"]], known=known),
        within(worse, ours["worse"].mean(), most=0.03, form=".1%"),
        _none_sure("and none of these reliable", ours[ours["worse"] == 1], known=known),
    ]


def _sure(total: pd.DataFrame) -> Judged:
    target = "entries scored above 0.9: ≥ 95 % right on every data set"
    return within(target, total["sure_right"] / total["sure"], least=0.95, form=".1%")


def _left_alone(clean: pd.DataFrame) -> list[Judged]:
    both = "matrices without errors, both on auto: ≤"
    flagged = f"{both} 0.5 % entries flagged everywhere"
    variance = f"{both} 1 % of the variance changed by denoise everywhere"
    return [
        within(flagged, clean["flagged_auto_rank"], most=0.005, form=".2%"),
        within(variance, clean["variance_auto_rank"], most=0.01, form=".2%"),
    ]


def _at_thirty(repeated: pd.DataFrame) -> list[Judged]:
    f1 = repeated.groupby("kind")["f1"].mean()
    sets = repeated.groupby(["name", "kind"])
    means = sets[["best", "f1"]].mean()
    far = "30 % salt, salt & pepper, spikes: no set more than 0.2 below the best threshold"
    return [
        *(
            within(
                f"30 % {kind.replace('_', ' & ')}: mean F1 ≥ {least:g}",
                f1.get(kind, math.nan),
                least=least,
            )
            for kind, least in _LEAST_AT_30.items()
        ),
        within(far, means["best"] - means["f1"], most=FAR, form=".2f"),
        within("the same: spread over draws ≤ 0.03", sets["f1"].std(), most=0.03),
    ]


def _term_counts(ours: pd.DataFrame, clean: pd.DataFrame) -> list[Judged]:
    flagged = "term counts without errors: ≤ 0.2 % flagged"
    salt = pick(ours, kind=damage.SALT, rate=0.02)["f1"].mean()
    return [
        within(flagged, clean["flagged"].mean(), most=0.002, form=".2%"),
        within("term counts, 2 % salt: F1 ≥ 0.90", salt, least=0.90),
    ]


def _warnings(ours: pd.DataFrame) -> list[Judged]:
    # A run before there was a verdict cannot say what it is worth.
    known = ours if ours["verdict"].notna().any() else ours.head(0)
    failures, good = known[known["failed"]], known[known["near"] & known["restored"]]
    named, false = failures["warned"].mean(), good["warned"].mean()
    of = [f" of {len(rows)}" for rows in (failures, good)]
    return [
        within("failures that the verdict names: ≥ 80 %", named, least=0.8, form=".0%", unit=of[0]),
        within("false warnings: ≤ 2 %", false, most=0.02, form=".1%", unit=of[1]),
    ]


def _rank(clean: pd.DataFrame) -> list[Judged]:
    error = "automatic rank: error of W H ≤ 1.1 × that of rank 10"
    time = "automatic rank: ≤ 40 times the time of a fit with λ = 0.04"
    ratio = np.sqrt(clean["error_auto_rank"] / clean["error"].clip(lower=1e-12))
    return [
        within(error, ratio, most=1.1, form=".2f", unit=" ×"),
        within(time, clean["fits_auto_rank"], most=40, form=".0f", unit=" ×"),
    ]


def _missing(missing: pd.DataFrame) -> Judged:
    target = "30 % missing, λ = 0.04: error of W H there ≤ 2 × that of a fit to all"
    found = missing[missing["oracle"] > 0].dropna(subset=["plain", "refit"])
    ratio = found[["plain", "refit"]].max(axis=1) / found["oracle"]
    return within(target, ratio, most=2, form=".1f", unit=" ×")
