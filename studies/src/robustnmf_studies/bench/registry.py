"""All benchmarks and their targets, apart from their code: asking for a list must load nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple


class Case(NamedTuple):
    """A case of a benchmark: a key of its rows, and what is aimed at there.

    Attributes
    ----------
    name : str
        What follows the name of the benchmark in the key.
    weight : float
        Its usual share of the time; 0 for a further row of the case before it.
    target : str
        Bound on the median of the values, as in "≥ 2"; empty for none.
    where : str
        The conditions that it is set for.
    """

    name: str
    weight: float
    target: str = ""
    where: str = ""

    def reached_by(self, value: float) -> bool:
        """Return whether a value keeps the bound.

        Examples
        --------
        >>> Case("a", 1, "≥ 2").reached_by(1.9), Case("a", 1, "≤ 2").reached_by(1.9)
        (False, True)
        """
        sign, bound = self.target.split()
        return value >= float(bound) if sign == "≥" else value <= float(bound)


class Benchmark(NamedTuple):
    """What is compared, in words for the list, and how.

    The function is one of a module of this package, called with the plan, the name of the case,
    and what is told the share of the work that lies behind.
    """

    words: str
    function: str
    cases: Sequence[Case]
    # Whether it runs when nothing is named.
    default: bool = True

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, name = self.function.split(".")
        found: Callable[..., Any] = getattr(import_module(f"{__package__}.{module}"), name)
        return found


_SMALL, _LARGE, _PASS = "400×1,024", "20,000×2,000", "20,000×2,000, k = 20"
_DIRTY = "a tenth of the values black or white"
_AUTO = "100 and 400 faces, five kinds of corruption"
_TABLE, _SMALL_TABLE, _DOUBLED = "100,000×50", "200×8", "rows doubled, 50 columns"
_STACK = "200 pictures of 256×256"
_MANY = "100,000×300, k = 10, three epochs"
_FIRST_USE = "seconds, imports of ours and Numba's among them"


def _auto_large(name: str, weight: float, where: str) -> list[Case]:
    return [
        Case(name, weight, "≤ 2.5", where),
        Case(f"{name}-detect", 0, "≤ 2", where),
        Case(f"{name}-memory", 0, "≤ 0.15", where),
    ]


BENCHMARKS: dict[str, Benchmark] = {
    "paper-rule": Benchmark(
        "hals against the paper's rule, to the objective of its iteration 1,000",
        "races.paper_rule",
        [
            Case("small", 8, "≥ 100", f"{_SMALL}, 1,000 iterations of the rule"),
            Case("large", 32, "≥ 100", f"{_LARGE}, 1,000 iterations of the rule"),
        ],
    ),
    "rule-fits": Benchmark(
        "whole fits: ours to where one of 1,000 iterations of the paper's rule ends",
        "races.rule_fits",
        [Case("small", 8, "≥ 150", f"400 ORL faces (--data), {_SMALL}, 1,000 iterations")],
    ),
    "noise-off": Benchmark(
        "noise off, against scikit-learn's cd, to the objective it stops at",
        "races.noise_off",
        [Case("small", 4, "≥ 1", _SMALL), Case("large", 16, "≥ 2", _LARGE)],
    ),
    "defaults": Benchmark(
        "a robust fit against scikit-learn's plain cd and mu, as they come",
        "fits.defaults",
        [
            Case("float64", 15, "≤ 1", f"{_LARGE}, scikit-learn's cd"),
            Case("float32", 10, "≤ 0.6", f"{_LARGE}, scikit-learn's cd"),
        ],
    ),
    "fits": Benchmark(
        "a robust fit against scikit-learn's plain NMF, both at default settings, by size",
        "fits.sizes",
        [
            Case("tiny", 1, "≥ 2", "50×20"),
            Case("small", 1, "≥ 2", "200×100"),
            Case("faces", 3, "≥ 2", _SMALL),
            Case("tall", 4, "≥ 2", "2,000×500"),
            Case("large", 25, "≥ 2", _LARGE),
        ],
    ),
    "one-sample": Benchmark(
        "what a fitted model says of one sample, 1,024 features, k = 10",
        "service.one_sample",
        [
            Case("number", 1, "≤ 0.001", "1×1,024, k = 10, the slowest question"),
            Case("auto", 2, "≤ 0.003", "1×1,024, k = 10, the slowest question"),
        ],
    ),
    "batches": Benchmark(
        "rows a second in batches on one core, 100 features, k = 10",
        "service.batches",
        [
            Case("number", 1, "≥ 20000", "20,000×100, k = 10, the slowest question"),
            Case("auto", 3, "≥ 20000", "20,000×100, k = 10, the slowest question"),
        ],
    ),
    "others": Benchmark(
        "other robust methods: time and quality (needs the 'bench' extra)",
        "fits.others",
        [Case("plain", 2), Case("pcp", 5), Case("hyperspy", 4), Case("gensim", 4)],
    ),
    "gemm": Benchmark(
        "one robust iteration against three matrix products of the same size",
        "iteration.gemm",
        [Case("float64", 3, "≤ 1.6", _PASS), Case("float32", 2)],
    ),
    "memory": Benchmark(
        "peak memory beyond the input, float64 and uint8",
        "processes.memory",
        [
            Case("float64", 2, "≤ 0.15", _LARGE),
            Case("uint8", 2, "≤ 0.15", f"{_LARGE}; share of the same in float64"),
        ],
    ),
    "growth": Benchmark(
        "time of an iteration as n, m and k double",
        "iteration.growth",
        [Case("n", 3, "≤ 1.05", "n doubled"), Case("m", 3, "≤ 1.05", "m doubled"), Case("k", 2)],
    ),
    "stacks": Benchmark(
        "what a pixel of a stack of pictures costs, and memory beyond the stack",
        "stacks.measure",
        [
            Case("speed", 4, "≤ 1.5", f"{_STACK}, {_DIRTY}"),
            Case("memory-uint8", 2, "≤ 3", _STACK),
            Case("memory-float32", 2, "≤ 3", _STACK),
            Case("stored", 12, "≤ 0.5", "400 MB of uint8, from one file into another"),
            Case("stored-time", 0, "≤ 1.5", "the same, against the stack in memory"),
        ],
    ),
    "streams": Benchmark(
        "a file that is read in parts: resident memory, and time against the same in memory",
        "streams.measure",
        [
            Case("uint8", 20, "≤ 1", "8 GB, resident GB"),
            Case("uint8-time", 0, "≤ 1.5", "8 GB; the slower of a fit in memory and reading alone"),
            Case("float32", 12, "≤ 1", "8 GB, resident GB"),
            Case("float32-time", 0, "≤ 1.5", "the same"),
        ],
    ),
    "minibatch": Benchmark(
        "three epochs by batches against a full fit, MiniBatchNMF and hyperspy's ORNMF",
        "minibatch.measure",
        [
            Case("objective", 6, "≤ 1.02", f"{_MANY}: share of the full fit's objective"),
            Case("time", 0, "≤ 1", f"{_MANY}, a full fit"),
            Case("plain", 0),
            Case("hyperspy", 0),
        ],
    ),
    "threads": Benchmark(
        "two threads against one", "iteration.threads", [Case("two", 3, "≥ 1.7", _PASS)]
    ),
    "import": Benchmark(
        "import time beyond scikit-learn's",
        "processes.import_time",
        [Case("package", 3, "≤ 0.3", "seconds"), Case("lazy", 2)],
    ),
    "compile": Benchmark(
        "first call with an empty and a warm cache of kernels",
        "processes.first_fit",
        [
            Case("empty", 4, "≤ 5", _FIRST_USE),
            Case("warm", 0, "≤ 1", _FIRST_USE),
            Case("auto-empty", 6, "≤ 5", _FIRST_USE),
        ],
    ),
    "pictures": Benchmark(
        "what a pixel of a photograph costs, beside other filters",
        "pictures.measure",
        [
            Case("colour", 12, "≤ 3.5", f"12 megapixels, {_DIRTY}"),
            Case("colour-seconds", 0, "≤ 30", "12 megapixels, two threads"),
            Case("grey", 4, "≤ 1", f"12 megapixels, {_DIRTY}"),
            Case("first", 2, "≤ 5", _FIRST_USE),
            Case("growth", 10, "≤ 1.05", "1 to 64 megapixels"),
        ],
    ),
    "auto": Benchmark(
        "lam='auto' against a fit with a number for λ",
        "auto.penalty",
        [
            Case("penalty", 4, "≤ 2.5", f"{_AUTO}: the middle"),
            Case("penalty-worst", 0, "≤ 3", f"{_AUTO}: the worst"),
        ],
    ),
    "auto-rank": Benchmark(
        "n_components='auto' and lam='auto' against a fit with numbers for both",
        "auto.rank",
        [Case("rank", 8, "≤ 8", "100 and 400 faces, clean and with salt & pepper: the worst")],
    ),
    "auto-large": Benchmark(
        "lam='auto' against a fit with a number for λ, on large data: time and memory",
        "auto_large.measure",
        [
            *_auto_large("many", 3, "10,000×1,000, k = 10"),
            *_auto_large("more", 20, "100,000×1,000, k = 10"),
        ],
    ),
    "clean": Benchmark(
        "robustnmf clean of a CSV against pandas and the fit alone",
        "cleaning.beside_pandas",
        [
            Case("csv", 8, "≤ 2", f"{_TABLE}, as it comes"),
            Case("csv-fit", 0),
            Case("lam", 20, "≤ 2", f"{_TABLE}, --lam 0.04"),
            Case("lam-fit", 0),
        ],
    ),
    "clean-start": Benchmark(
        "robustnmf clean of a small CSV, as a process",
        "cleaning.from_shell",
        [
            Case("warm", 1, "≤ 1.5", f"{_SMALL_TABLE}, seconds"),
            Case("empty", 0, "≤ 5", f"{_SMALL_TABLE}, seconds, the first after installation"),
            Case("lam-warm", 3),
            Case("lam-empty", 0),
        ],
    ),
    "clean-growth": Benchmark(
        "time and memory of cleaning as the rows of a table double",
        "cleaning.growth",
        [
            Case("csv", 8, "≤ 1.05", _DOUBLED),
            Case("csv-memory", 0, "≤ 1.05", _DOUBLED),
            Case("npy", 6, "≤ 1.05", _DOUBLED),
            Case("npy-memory", 0, "≤ 1.05", _DOUBLED),
        ],
    ),
    "tuning": Benchmark(
        "sweeps and extrapolation of hals, ranked (only when named)",
        "tuning.ranking",
        [Case("all", 60)],
        default=False,
    ),
}
# By the key of a row.
TARGETS: dict[str, Case] = {
    f"{name}.{case.name}": case
    for name, benchmark in BENCHMARKS.items()
    for case in benchmark.cases
    if case.target
}
