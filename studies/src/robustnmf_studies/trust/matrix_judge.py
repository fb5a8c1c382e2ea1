"""The targets about matrices, each decided from the numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust import damage
from robustnmf_studies.trust.methods import OURS, STACK
from robustnmf_studies.trust.numbers import FAR, frame_of, in_words, within, worst_of
from robustnmf_studies.trust.settings import REPEATED_RATE

_LEAST_AT_30 = {damage.SALT: 0.95, damage.SALT_PEPPER: 0.93, damage.SPIKES: 0.92}
# The nature of the sets that this is about.
_TERM_COUNTS = "term counts"


def judge_matrices(numbers: Numbers) -> list[Judged]:
    """Decide the targets about matrices.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `robustnmf_studies.trust.compute.compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> {found.verdict for found in judge_matrices({})}
    {'not measured'}
    """
    matrices = frame_of(numbers, "matrices")
    ours = pick(matrices, method=OURS)
    clean = frame_of(numbers, "clean_matrices").set_index("name")
    missing = frame_of(numbers, "missing").set_index("name")
    return [
        *_near_and_restored(ours),
        _sure(ours),
        _left_alone(clean["flagged_auto_rank"], "entries flagged", 0.005),
        _left_alone(clean["variance_auto_rank"], "of the variance changed by denoise", 0.01),
        *_at_thirty(ours),
        _least("occlusion of 20 %, as stacks: mean F1 ≥ 0.97", pick(matrices, method=STACK), 0.97),
        *_term_counts(ours, clean),
        *_warnings(ours),
        *_rank(clean),
        _least("stripes: mean F1 ≥ 0.6", pick(ours, kind=damage.STRIPES), 0.6),
        _least("bad samples: mean F1 ≥ 0.6", pick(ours, kind=damage.SAMPLES), 0.6),
        _missing(missing[missing["oracle"] > 0].dropna(subset=["plain", "refit"])),
    ]


def _least(target: str, rows: pd.DataFrame, least: float) -> Judged:
    return within(target, rows["f1"].mean(), least=least)


def _worst(target: str, figures: pd.Series, most: float, form: str, unit: str = "") -> Judged:
    """Decide whether the highest figure is low enough; in words, the figure and whose it is."""
    worst, name = worst_of(figures)
    name = ", ".join(name) if isinstance(name, tuple) else name
    return within(target, worst, most=most, words=f"{in_words(worst, form)}{unit} ({name})")


def _none_sure(target: str, rows: pd.DataFrame, *, known: bool) -> Judged:
    sure = int((~rows["warned"]).sum())
    return decide(target, f"{sure} of {len(rows)} called reliable", sure == 0 if known else None)


def _near_and_restored(ours: pd.DataFrame) -> list[Judged]:
    near, worse = ours["near"].mean(), ours["worse"].mean()
    known = bool(ours["verdict"].notna().any())
    return [
        within(
            "matrices: within 0.03 of the best threshold at ≥ 75 % of the places",
            near,
            least=0.75,
            words=in_words(near, ".1%"),
        ),
        _none_sure("the rest not reliable", ours[~ours["near"]], known=known),
        within(
            "restored data worse than the corrupted: ≤ 3 % of the places",
            worse,
            most=0.03,
            words=in_words(worse, ".1%"),
        ),
        _none_sure("and none of these reliable", ours[ours["worse"] == 1], known=known),
    ]


def _sure(ours: pd.DataFrame) -> Judged:
    total = ours.groupby("name")[["sure", "sure_right"]].sum()
    worst, name = worst_of(total["sure_right"] / total["sure"], lowest=True)
    return within(
        "entries scored above 0.9: ≥ 95 % right on every data set",
        worst,
        least=0.95,
        words=f"{in_words(worst, '.1%')} ({name})",
    )


def _left_alone(figures: pd.Series, words: str, most: float) -> Judged:
    target = f"matrices without errors, both on auto: ≤ {100 * most:g} % {words} everywhere"
    return _worst(target, figures, most, ".2%")


def _at_thirty(ours: pd.DataFrame) -> list[Judged]:
    repeated = pick(ours, kind=tuple(_LEAST_AT_30), rate=REPEATED_RATE)
    sets = repeated.groupby(["name", "kind"])
    means = sets[["best", "f1"]].mean()
    return [
        *(
            _least(
                f"30 % {kind.replace('_', ' & ')}: mean F1 ≥ {least:g}",
                pick(repeated, kind=kind),
                least,
            )
            for kind, least in _LEAST_AT_30.items()
        ),
        _worst(
            "30 % salt, salt & pepper, spikes: no set more than 0.2 below the best threshold",
            means["best"] - means["f1"],
            FAR,
            ".2f",
        ),
        _worst("the same: spread over draws ≤ 0.03", sets["f1"].std(), 0.03, ".3f"),
    ]


def _term_counts(ours: pd.DataFrame, clean: pd.DataFrame) -> list[Judged]:
    flagged = pick(clean, nature=_TERM_COUNTS)["flagged"].mean()
    salt = pick(ours, nature=_TERM_COUNTS, kind=damage.SALT, rate=0.02)
    return [
        within(
            "term counts without errors: ≤ 0.2 % flagged",
            flagged,
            most=0.002,
            words=in_words(flagged, ".2%"),
        ),
        _least("term counts, 2 % salt: F1 ≥ 0.90", salt, 0.90),
    ]


def _warnings(ours: pd.DataFrame) -> list[Judged]:
    # A run before there was a verdict cannot say what it is worth.
    known = ours if ours["verdict"].notna().any() else ours.head(0)
    failures, good = known[known["failed"]], known[known["near"] & known["restored"]]
    named, false = failures["warned"].mean(), good["warned"].mean()
    return [
        within(
            "failures that the verdict names: ≥ 80 %",
            named,
            least=0.8,
            words=f"{in_words(named, '.0%')} of {len(failures)}",
        ),
        within(
            "false warnings: ≤ 2 %",
            false,
            most=0.02,
            words=f"{in_words(false, '.1%')} of {len(good)}",
        ),
    ]


def _rank(clean: pd.DataFrame) -> list[Judged]:
    there = clean.dropna(subset="error_auto_rank")
    return [
        _worst(
            "automatic rank: error of W H ≤ 1.1 × that of rank 10",
            np.sqrt(there["error_auto_rank"] / there["error"].clip(lower=1e-12)),
            1.1,
            ".2f",
            " ×",
        ),
        _worst(
            "automatic rank: ≤ 40 times the time of a fit with λ = 0.04",
            there["fits_auto_rank"],
            40,
            ".0f",
            " ×",
        ),
    ]


def _missing(rows: pd.DataFrame) -> Judged:
    ratios = rows[["plain", "refit"]].max(axis=1) / rows["oracle"]
    target = "30 % missing, λ = 0.04: error of W H there ≤ 2 × that of a fit to all"
    return _worst(target, ratios, 2, ".1f", " ×")
