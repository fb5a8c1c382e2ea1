"""The targets, each decided from the numbers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from robustnmf_studies.common.sheet import Sheet
from robustnmf_studies.common.table import Table
from robustnmf_studies.images.methods import MEDIANS, METHOD_NAMES, OURS, RIVALS
from robustnmf_studies.images.settings import (
    CLEAN,
    DAMAGE_NAMES,
    IMPULSES,
    LEVELS,
    RANDOM,
    SALT_PEPPER,
)

MET, MISSED, UNKNOWN = "met", "missed", "not measured"
LEAST_GAIN = 3.0
LEAST_F1 = {SALT_PEPPER: 0.95, RANDOM: 0.90}
MOST_CHANGED = 0.003


class Judged(NamedTuple):
    """A target, what was measured, and the verdict."""

    target: str
    measured: str
    verdict: str


def judge(images: Table) -> list[Judged]:
    """Decide every target from the numbers.

    Parameters
    ----------
    images : Table
        What `compute` returned, of all cases.

    Returns
    -------
    list of Judged

    Examples
    --------
    >>> judge(Table())[0].verdict
    'not measured'
    """
    natural = images.where(group="natural")
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


def _best(rows: Table, methods: tuple[str, ...]) -> tuple[float, str]:
    means = [(rows.where(method=method).mean("psnr"), method) for method in methods]
    return max(((mean, name) for mean, name in means if not math.isnan(mean)), default=(0.0, ""))


def _above_all(natural: Table, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: mean PSNR above every unsupervised rival"
    rows = natural.where(damage=kind, amount=level)
    ours, (best, name) = rows.where(method=OURS).mean("psnr"), _best(rows, RIVALS)
    if math.isnan(ours) or not name:
        return Judged(target, "–", UNKNOWN)
    measured = f"{ours:.1f} dB; best rival {METHOD_NAMES[name]}, {best:.1f} dB"
    return Judged(target, measured, MET if ours > best else MISSED)


def _above_medians(natural: Table, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: ≥ {LEAST_GAIN:g} dB above the better median filter"
    rows = natural.where(damage=kind, amount=level)
    ours, (best, name) = rows.where(method=OURS).mean("psnr"), _best(rows, MEDIANS)
    if math.isnan(ours) or not name:
        return Judged(target, "–", UNKNOWN)
    return Judged(target, f"{ours - best:+.1f} dB", MET if ours - best >= LEAST_GAIN else MISSED)


def _detects(natural: Table, kind: str, level: float) -> Judged:
    target = f"{_place(kind, level)}: F1 ≥ {LEAST_F1[kind]:.2f}"
    f1 = natural.where(damage=kind, amount=level, method=OURS).mean("f1")
    if math.isnan(f1):
        return Judged(target, "–", UNKNOWN)
    return Judged(target, f"{f1:.3f}", MET if f1 >= LEAST_F1[kind] else MISSED)


def _leaves_clean(images: Table) -> Judged:
    target = f"clean pictures, the hard ones too: ≤ {100 * MOST_CHANGED:g} % of the pixels change"
    rows = list(images.where(damage=CLEAN, method=OURS))
    if not rows:
        return Judged(target, "–", UNKNOWN)
    worst = max(rows, key=lambda row: row["changed"])
    measured = f"at most {100 * worst['changed']:.3f} % ({worst['picture']})"
    return Judged(target, measured, MET if worst["changed"] <= MOST_CHANGED else MISSED)


def target_sheet(judged: list[Judged]) -> Sheet:
    """Return the verdicts as a table."""
    return Sheet("Targets", ("target", "measured", "verdict"), judged)


def as_records(judged: list[Judged]) -> list[dict[str, Any]]:
    """Return the verdicts for programs."""
    return [found._asdict() for found in judged]
