"""How much is run: sizes, iterations, repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


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
_GROWTH, _GROWTH_FIXED = Size(2_500, 500, 5), Size(5_000, 1_000, 20)


@dataclass(frozen=True)
class Plan:
    """What one run of the benchmarks does."""

    # Rounds of every comparison; each round runs all sides once.
    repeat: int = 3
    # The two problems, and the large one where whole fits are compared.
    small: Size = SMALL
    large: Size = LARGE
    converge: Size = LARGE
    # Iterations of the paper's rule whose objective is to be reached, at both sizes, and those by
    # which each round times the rule again at the large one.
    rule_small: int = RULE_ITERATIONS
    rule_large: int = RULE_ITERATIONS
    rule_slice: int = 10
    # Iterations timed at once where one iteration is measured.
    steps: int = 5
    # Pictures of a stack, their height and width.
    stack: tuple[int, int, int] = (200, 256, 256)
    # Where n, m and k start doubling, where the other two stand meanwhile, and how often.
    growth: Size = _GROWTH
    growth_fixed: Size = _GROWTH_FIXED
    doublings: int = 3
    # The problem on which other robust methods run.
    others: Size = SMALL
    # Fresh interpreters started for each figure about imports and compilation.
    starts: int = 7
    # Length and number of the runs of the convergence study.
    tuning_iterations: int = 300
    tuning_seeds: int = 3
    # Faces for the small problem, as `robustnmf.datasets.load_faces` takes them; by default they
    # are made up, so that everybody has the same.
    data: str | None = None


FULL = Plan()
QUICK = Plan(
    repeat=2,
    converge=Size(3_000, 1_000, 20),
    rule_large=10,
    rule_slice=2,
    steps=3,
    stack=(40, 128, 128),
    doublings=2,
    others=Size(100, 1024, 10),
    starts=3,
    tuning_iterations=200,
    tuning_seeds=1,
)
