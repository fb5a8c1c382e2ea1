"""The targets, each decided from the numbers."""

from __future__ import annotations

import math

import pandas as pd

from robustnmf_studies.common.frames import Numbers, mean_of, pick, records, table_of
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.images.methods import MEDIANS, METHOD_NAMES, OURS, RIVALS
from robustnmf_studies.images.settings import (
    CLEAN,
    DAMAGE_NAMES,
    IMPULSES,
    LEVELS,
    RANDOM,
    SALT_PEPPER,
)

LEAST_GAIN = 3.0
LEAST_F1 = {SALT_PEPPER: 0.95, RANDOM: 0.90}
MOST_CHANGED = 0.003


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Parameters
    ----------
    numbers : mapping of DataFrame
        What `compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    images = table_of(numbers, "images")
    natural = pick(images, group="natural")
    low = [level for level in LEVELS if level <= 0.1]
    usual = [level for level in LEVELS if level <= 0.2]
    return [
        *(_above_all(natural, kind, level) for kind in IMPULSES for level in LEVELS),
        *(_above_medians(natural, kind, level) for kind in IMPULSES for level in low),
        *(_detects(natural, kind, level) for kind in IMPULSES for level in usual),
        _leaves_clean(images),
    ]


def _place(kind: str, level: float) -> str:
    return f"{DAMAGE_NAMES[kind]}, {100 * level:g} %"


def _best(rows: pd.DataFrame, methods: tuple[str, ...]) -> tuple[float, str]:
    means = [(mean_of(pick(rows, method=method), "psnr"), method) for method in methods]
    return max(((mean, name) for mean, name in means if not math.isnan(mean)), default=(0.0, ""))


def _above_all(natural: pd.DataFrame, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: mean PSNR above every unsupervised rival"
    rows = pick(natural, damage=kind, amount=level)
    ours, (best, name) = mean_of(pick(rows, method=OURS), "psnr"), _best(rows, RIVALS)
    if math.isnan(ours) or not name:
        return decide(target, "", None)
    measured = f"{ours:.1f} dB; best rival {METHOD_NAMES[name]}, {best:.1f} dB"
    return decide(target, measured, ours > best)


def _above_medians(natural: pd.DataFrame, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: ≥ {LEAST_GAIN:g} dB above the better median filter"
    rows = pick(natural, damage=kind, amount=level)
    ours, (best, name) = mean_of(pick(rows, method=OURS), "psnr"), _best(rows, MEDIANS)
    if math.isnan(ours) or not name:
        return decide(target, "", None)
    return decide(target, f"{ours - best:+.1f} dB", ours - best >= LEAST_GAIN)


def _detects(natural: pd.DataFrame, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: F1 ≥ {LEAST_F1[kind]:.2f}"
    f1 = mean_of(pick(natural, damage=kind, amount=level, method=OURS), "f1")
    if math.isnan(f1):
        return decide(target, "", None)
    return decide(target, f"{f1:.3f}", f1 >= LEAST_F1[kind])


def _leaves_clean(images: pd.DataFrame) -> Judged:
    target = f"clean pictures, the hard ones too: ≤ {100 * MOST_CHANGED:g} % of the pixels change"
    rows = records(pick(images, damage=CLEAN, method=OURS))
    if not rows:
        return decide(target, "", None)
    worst = max(rows, key=lambda row: row["changed"])
    measured = f"at most {100 * worst['changed']:.3f} % ({worst['picture']})"
    return decide(target, measured, worst["changed"] <= MOST_CHANGED)
