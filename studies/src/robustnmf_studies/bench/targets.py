"""What is aimed at, in one table, and whether a figure gets there."""

from __future__ import annotations

from typing import NamedTuple

from robustnmf_studies.bench.results import Row

MET, MISSED, OPEN = "met", "missed", "not measured"


class Target(NamedTuple):
    """A bound on the median of a row's values."""

    bound: float
    at_least: bool
    where: str
    """The conditions it is set for."""

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"

    def reached_by(self, value: float) -> bool:
        """Return whether a value keeps the bound.

        Examples
        --------
        >>> Target(2, True, "").reached_by(1.9), Target(2, False, "").reached_by(1.9)
        (False, True)
        """
        return value >= self.bound if self.at_least else value <= self.bound


TARGETS: dict[str, Target] = {
    "paper-rule.small": Target(100, True, "400×1,024, 1,000 iterations of the rule"),
    "paper-rule.large": Target(100, True, "20,000×2,000, 1,000 iterations of the rule"),
    "noise-off.small": Target(1, True, "400×1,024"),
    "noise-off.large": Target(2, True, "20,000×2,000"),
    "defaults.float64": Target(1, False, "20,000×2,000, scikit-learn's cd"),
    "defaults.float32": Target(0.6, False, "20,000×2,000, scikit-learn's cd"),
    "gemm.float64": Target(1.6, False, "20,000×2,000, k = 20"),
    "threads.two": Target(1.7, True, "20,000×2,000, k = 20"),
    "growth.n": Target(1.05, False, "n doubled"),
    "growth.m": Target(1.05, False, "m doubled"),
    "memory.float64": Target(0.15, False, "20,000×2,000"),
    "memory.uint8": Target(0.15, False, "20,000×2,000; share of the same in float64"),
    "import.package": Target(0.3, False, "seconds"),
    "compile.empty": Target(5, False, "seconds, imports of ours and Numba's among them"),
    "compile.warm": Target(1, False, "seconds, imports of ours and Numba's among them"),
}


def verdict(row: Row) -> str:
    """Return "met", "missed", "not measured", or nothing where there is no target.

    An asterisk marks a figure taken under easier conditions than the target is set for.

    Examples
    --------
    >>> verdict(Row("noise-off.large", "", "× faster", (2.5, 2.1, 1.9)))
    'met'
    """
    target = TARGETS.get(row.key)
    if target is None:
        return ""
    if row.median is None:
        return OPEN
    word = MET if target.reached_by(row.median) else MISSED
    return word if row.exact else f"{word}*"
