"""What a benchmark yields, whether it meets its target, and the file that keeps it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from robustnmf_studies.bench.registry import TARGETS
from robustnmf_studies.bench.timing import Tell, alternate, seconds
from robustnmf_studies.common.storage import write_json
from robustnmf_studies.common.targets import MET, MISSED, UNKNOWN

# What the values of a row are.
FASTER = "× faster"
SHARE = "× their time"
EXPONENT = "exponent"
SECONDS = "s"
PER_PIXEL = "µs a pixel"
OF_INPUT = "× the input"
GIGABYTES = "GB"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    # Benchmark and case, as in "noise-off.large"; targets are looked up by it.
    key: str
    what: str
    # What the values are, one for each round; empty where nothing could be measured.
    measure: str
    values: list[float]
    # Medians of the two sides, their unit, and who the other side is.
    ours: float | None = None
    theirs: float | None = None
    unit: str = "s"
    rival: str = ""
    # Whether this was measured under the conditions that the target is set for.
    exact: bool = True
    # What a reader must know about it, and further numbers, for tables of their own.
    note: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def median(self) -> float | None:
        """The middle of the values."""
        return median(self.values) if self.values else None

    @property
    def verdict(self) -> str:
        """Whether the target is met, missed, or not measured; empty where there is none.

        An asterisk marks a figure taken under easier conditions than the target is set for.

        Examples
        --------
        >>> Row("noise-off.large", "", FASTER, [2.5, 2.1, 1.9]).verdict
        'met'
        """
        if self.key not in TARGETS:
            return ""
        if self.median is None:
            return UNKNOWN
        met = TARGETS[self.key].reached_by(self.median)
        return (MET if met else MISSED) + ("" if self.exact else "*")


def compared(
    key: str, what: str, measure: str, rounds: Sequence[tuple[float, ...]], **more: Any
) -> Row:
    """Make a row of rounds, each with our figure and theirs.

    The ratio is taken within each round: what slows the machine for a while slows both sides.
    A side that never got there counts as infinitely slow.

    Examples
    --------
    >>> compared("a", "", FASTER, [(1.0, 2.0), (2.0, 8.0), (1.0, 3.0)], rival="b").values
    [2.0, 4.0, 3.0]
    """
    values = [theirs / ours if measure == FASTER else ours / theirs for ours, theirs in rounds]
    middle = [median(side) for side in zip(*rounds, strict=True)]
    ours, theirs = (figure if math.isfinite(figure) else None for figure in middle)
    return Row(key, what, measure, values, ours, theirs, **more)


def side_by_side(
    key: str,
    what: str,
    measure: str,
    ours: Callable[[], Any],
    theirs: Callable[[], Any],
    repeat: int,
    tell: Tell,
    **more: Any,
) -> Row:
    """Time two calls in turn, and make a row of it.

    Each is called once before: the first call may import and compile.

    Examples
    --------
    >>> side_by_side("a", "", SHARE, dict, lambda: sum(range(10**6)), 3, lambda _: None).ours < 0.1
    True
    """
    ours()
    theirs()
    rounds = alternate(repeat, partial(seconds, ours), partial(seconds, theirs), tell=tell)
    return compared(key, what, measure, rounds, **more)


@dataclass(frozen=True)
class Result:
    """All rows of a run, and how they came about."""

    about: dict[str, Any]
    rows: list[Row]

    def about_benchmark(self, name: str) -> list[Row]:
        """Return the rows of one benchmark."""
        return [row for row in self.rows if row.key.startswith(f"{name}.")]


def write_result(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result as JSON; verdicts are computed again by whoever reads it."""
    write_json(path, asdict(result))


def read_results(*paths: str | os.PathLike[str]) -> Result:
    """Read the rows of one or several runs, with what is said about the first of them.

    What was measured again counts as in the last run. A file that is not one of ours raises a
    ValueError.
    """
    rows: dict[tuple[str, ...], Row] = {}
    abouts: list[dict[str, Any]] = []
    seconds = 0.0
    for path in paths:
        try:
            found = json.loads(Path(path).read_text(encoding="utf-8"))
            abouts.append(found["about"])
            seconds += found["about"]["seconds"]["all"]
            rows |= {(row["key"], row["what"], row["rival"]): Row(**row) for row in found["rows"]}
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{path} is not a result of 'robustnmf bench'") from error
    abouts[0]["seconds"]["all"] = seconds
    return Result(abouts[0], list(rows.values()))
