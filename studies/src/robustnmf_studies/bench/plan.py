"""How much is run: sizes, iterations, repetitions."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple


class Size(NamedTuple):
    """The shape of a problem."""

    n: int
    m: int
    k: int

    def __str__(self) -> str:
        return f"{self.n:,}×{self.m:,}, k = {self.k}"


# The sizes and the number of iterations for which the targets are set.
SMALL = Size(400, 1024, 10)
LARGE = Size(20_000, 2_000, 20)
RULE_ITERATIONS = 1000
_GROWTH = Size(2_500, 500, 5)
_GROWTH_FIXED = Size(5_000, 1_000, 20)


@dataclass(frozen=True)
class Plan:
    """What one run of the benchmarks does.

    Attributes
    ----------
    repeat : int
        Rounds of every comparison; each round runs all sides once.
    small, large : Size
        The two problems.
    converge : Size
        The large problem where whole fits are compared.
    rule_small, rule_large : int
        Iterations of the paper's rule whose objective is to be reached.
    rule_slice : int
        Iterations by which each round times the rule again at the large size.
    steps : int
        Iterations timed at once where one iteration is measured.
    growth : Size
        The smallest problem of the series in which n, m and k double.
    growth_fixed : Size
        Where the other two stand meanwhile.
    doublings : int
        How often they double.
    others : Size
        The problem on which other robust methods run.
    starts : int
        Fresh interpreters started for each figure about imports and compilation.
    tuning_iterations, tuning_seeds : int
        Length and number of the runs of the convergence study.
    data : str or None
        Faces for the small problem, as `robustnmf.datasets.load_faces` takes them; by default
        they are made up, so that everybody has the same.
    """

    repeat: int = 3
    small: Size = SMALL
    large: Size = LARGE
    converge: Size = LARGE
    rule_small: int = RULE_ITERATIONS
    rule_large: int = RULE_ITERATIONS
    rule_slice: int = 10
    steps: int = 5
    growth: Size = _GROWTH
    growth_fixed: Size = _GROWTH_FIXED
    doublings: int = 3
    others: Size = SMALL
    starts: int = 7
    tuning_iterations: int = 300
    tuning_seeds: int = 3
    data: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return dataclasses.asdict(self)


FULL = Plan()
QUICK = Plan(
    repeat=2,
    converge=Size(3_000, 1_000, 20),
    rule_large=10,
    rule_slice=2,
    steps=3,
    doublings=2,
    others=Size(100, 1024, 10),
    starts=3,
    tuning_iterations=200,
    tuning_seeds=1,
)
