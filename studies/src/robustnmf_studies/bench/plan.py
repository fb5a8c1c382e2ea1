"""How much is run: sizes, iterations, repetitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
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
# From a table to a large matrix: where whole fits are compared with plain NMF.
FITS = {
    "tiny": Size(50, 20, 4),
    "small": Size(200, 100, 5),
    "faces": SMALL,
    "tall": Size(2_000, 500, 10),
    "large": LARGE,
}
AUTO_FACES = (100, 400)
MANY_ROWS = Size(100_000, 300, 10)
AUTO_LARGE = {"many": Size(10_000, 1_000, 10), "more": Size(100_000, 1_000, 10)}
# Rows and columns of the tables for which targets are set.
TABLE, SMALL_TABLE = (100_000, 50), (200, 8)
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
    # Where whole fits are compared with plain NMF at default settings, by case, and from how many
    # starts; the large one from as many as there are rounds.
    fits: Mapping[str, Size] = field(default_factory=lambda: FITS)
    fit_starts: int = 5
    # What a fitted model is asked for: single samples in a round, and rows in a batch.
    samples: int = 100
    batch: int = 20_000
    # Iterations of the paper's rule whose objective is to be reached, at both sizes, and those by
    # which each round times the rule again at the large one.
    rule_small: int = RULE_ITERATIONS
    rule_large: int = RULE_ITERATIONS
    rule_slice: int = 10
    # Iterations timed at once where one iteration is measured.
    steps: int = 5
    # Pictures of a stack, their height and width.
    stack: tuple[int, int, int] = (200, 256, 256)
    # The same of one that is read from a file: 1 GB.
    stored_stack: tuple[int, int, int] = (2000, 512, 400)
    # The size of a file that is read in parts, its features and components, and how often it is
    # fitted.
    stream_bytes: int = 8_000_000_000
    stream_features: tuple[int, int] = (2_048, 10)
    stream_rounds: int = 1
    # Where a fit by batches is compared with one to all rows, and how many of these a method is
    # given that takes them one by one.
    many_rows: Size = MANY_ROWS
    single_rows: int = 2_000
    # Where n, m and k start doubling, where the other two stand meanwhile, and how often.
    growth: Size = _GROWTH
    growth_fixed: Size = _GROWTH_FIXED
    doublings: int = 3
    # The problem on which other robust methods run.
    others: Size = SMALL
    # Height and width of a photograph, and of one that grows by doubling both so many times.
    photograph: tuple[int, int] = (3000, 4000)
    growing_picture: tuple[int, int] = (1000, 1000)
    picture_doublings: int = 3
    # Numbers of faces on which auto is timed, as far as there are so many.
    auto_faces: tuple[int, ...] = AUTO_FACES
    # Large data on which it is timed, by case.
    auto_large: Mapping[str, Size] = field(default_factory=lambda: AUTO_LARGE)
    # Fresh interpreters started for each figure about imports and compilation.
    starts: int = 7
    # Length and number of the runs of the convergence study.
    tuning_iterations: int = 300
    tuning_seeds: int = 3
    # Rows and columns of a large table and of a small one, and where its rows start doubling, and
    # how often.
    table: tuple[int, int] = TABLE
    small_table: tuple[int, int] = SMALL_TABLE
    table_growth: int = 15_625
    table_doublings: int = 7
    # Faces for the small problem, as `robustnmf.datasets.load_faces` takes them; by default they
    # are made up, so that everybody has the same.
    data: str | None = None


FULL = Plan()
QUICK = Plan(
    repeat=2,
    converge=Size(3_000, 1_000, 20),
    fits={**FITS, "large": Size(3_000, 1_000, 20)},
    rule_large=10,
    rule_slice=2,
    steps=3,
    stack=(40, 128, 128),
    stored_stack=(40, 128, 128),
    stream_bytes=100_000_000,
    many_rows=Size(20_000, 300, 10),
    single_rows=300,
    doublings=2,
    others=Size(100, 1024, 10),
    photograph=(1000, 1500),
    growing_picture=(512, 512),
    picture_doublings=2,
    auto_faces=AUTO_FACES[:1],
    auto_large=dict.fromkeys(AUTO_LARGE, Size(2_000, 500, 5)),
    starts=3,
    table=(10_000, 50),
    table_growth=10_000,
    table_doublings=2,
    tuning_iterations=200,
    tuning_seeds=1,
)
