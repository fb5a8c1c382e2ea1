"""All benchmarks and their targets, apart from their code: asking for a list must load nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple


class Target(NamedTuple):
    """A bound on the median of a row's values, and the conditions it is set for."""

    sign: str
    bound: float
    where: str

    def __str__(self) -> str:
        return f"{self.sign} {self.bound:g}"

    def reached_by(self, value: float) -> bool:
        """Return whether a value keeps the bound.

        Examples
        --------
        >>> Target("≥", 2, "").reached_by(1.9), Target("≤", 2, "").reached_by(1.9)
        (False, True)
        """
        return value >= self.bound if self.sign == "≥" else value <= self.bound


class Benchmark(NamedTuple):
    """What is compared, how, and what is aimed at.

    Attributes
    ----------
    words : str
        What it is, for the list.
    function : str
        Module of this package and its function; called with the plan, the case, and what is told
        the share of the work that lies behind.
    cases : mapping
        Its cases, in the order in which they are run, with the usual share of the time of each.
    targets : mapping
        Target by case, or by whatever follows the name in the key of a row.
    default : bool
        Whether it runs when nothing is named.
    """

    words: str
    function: str
    cases: Mapping[str, float]
    targets: Mapping[str, Target] = {}
    default: bool = True

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, name = self.function.split(".")
        found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
        return found


_SMALL, _LARGE, _PASS = "400×1,024", "20,000×2,000", "20,000×2,000, k = 20"
_FIRST_USE = "seconds, imports of ours and Numba's among them"

BENCHMARKS: dict[str, Benchmark] = {
    "paper-rule": Benchmark(
        "hals against the paper's rule, to the objective of its iteration 1,000",
        "races.paper_rule",
        {"small": 8, "large": 32},
        {
            "small": Target("≥", 100, f"{_SMALL}, 1,000 iterations of the rule"),
            "large": Target("≥", 100, f"{_LARGE}, 1,000 iterations of the rule"),
        },
    ),
    "noise-off": Benchmark(
        "noise off, against scikit-learn's cd, to the objective it stops at",
        "races.noise_off",
        {"small": 4, "large": 16},
        {"small": Target("≥", 1, _SMALL), "large": Target("≥", 2, _LARGE)},
    ),
    "defaults": Benchmark(
        "a robust fit against scikit-learn's plain cd and mu, as they come",
        "fits.defaults",
        {"float64": 15, "float32": 10},
        {
            "float64": Target("≤", 1, f"{_LARGE}, scikit-learn's cd"),
            "float32": Target("≤", 0.6, f"{_LARGE}, scikit-learn's cd"),
        },
    ),
    "others": Benchmark(
        "other robust methods: time and quality (needs the 'bench' extra)",
        "fits.others",
        {"plain": 2, "pcp": 5, "hyperspy": 4, "gensim": 4},
    ),
    "gemm": Benchmark(
        "one robust iteration against three matrix products of the same size",
        "iteration.gemm",
        {"float64": 3, "float32": 2},
        {"float64": Target("≤", 1.6, _PASS)},
    ),
    "memory": Benchmark(
        "peak memory beyond the input, float64 and uint8",
        "processes.memory",
        {"float64": 2, "uint8": 2},
        {
            "float64": Target("≤", 0.15, _LARGE),
            "uint8": Target("≤", 0.15, f"{_LARGE}; share of the same in float64"),
        },
    ),
    "growth": Benchmark(
        "time of an iteration as n, m and k double",
        "iteration.growth",
        {"n": 3, "m": 3, "k": 2},
        {"n": Target("≤", 1.05, "n doubled"), "m": Target("≤", 1.05, "m doubled")},
    ),
    "threads": Benchmark(
        "two threads against one",
        "iteration.threads",
        {"two": 3},
        {"two": Target("≥", 1.7, _PASS)},
    ),
    "import": Benchmark(
        "import time beyond scikit-learn's",
        "processes.import_time",
        {"package": 3, "lazy": 2},
        {"package": Target("≤", 0.3, "seconds")},
    ),
    "compile": Benchmark(
        "first call with an empty and a warm cache of kernels",
        "processes.first_fit",
        {"0.04": 4, "auto": 6},
        {"empty": Target("≤", 5, _FIRST_USE), "warm": Target("≤", 1, _FIRST_USE)},
    ),
    "tuning": Benchmark(
        "sweeps and extrapolation of hals, ranked (only when named)",
        "tuning.ranking",
        {"all": 60},
        default=False,
    ),
}
TARGETS: dict[str, Target] = {
    f"{name}.{case}": target
    for name, benchmark in BENCHMARKS.items()
    for case, target in benchmark.targets.items()
}
