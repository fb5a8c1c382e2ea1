"""What a comparison yields, and the file that keeps it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from robustnmf._common.files import written_whole

# What the values of a row are.
FASTER = "× faster"
SHARE = "× their time"
EXPONENT = "exponent"
SECONDS = "s"
OF_INPUT = "× the input"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    # Comparison and case, as in "noise-off.large"; targets are looked up by it.
    key: str
    what: str
    # What the values are, one for each round; empty where nothing could be measured.
    measure: str
    values: tuple[float, ...]
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


@dataclass(frozen=True)
class Result:
    """All rows of a run, and how they came about."""

    about: dict[str, Any]
    rows: list[Row]


def compared(
    key: str,
    what: str,
    measure: str,
    rounds: Sequence[tuple[float, ...]],
    *,
    rival: str,
    theirs: int = 1,
    **more: Any,
) -> Row:
    """Make a row of rounds in which the first figure is ours and one of the others theirs.

    The ratio is taken within each round: what slows the machine for a while slows both sides.
    A side that never got there counts as infinitely slow.

    Examples
    --------
    >>> compared("a", "", FASTER, [(1.0, 2.0), (2.0, 8.0), (1.0, 3.0)], rival="b").values
    (2.0, 4.0, 3.0)
    """
    pairs = [(one[0], one[theirs]) for one in rounds]
    ratio = (lambda a, b: b / a) if measure == FASTER else (lambda a, b: a / b)
    return Row(
        key,
        what,
        measure,
        tuple(ratio(a, b) for a, b in pairs),
        ours=_finite(median(a for a, _ in pairs)),
        theirs=_finite(median(b for _, b in pairs)),
        rival=rival,
        **more,
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def write_result(result: Result, path: str | os.PathLike[str]) -> None:
    """Write a result as JSON; a reader never sees half of it."""
    text = json.dumps(as_json(result), indent=2, allow_nan=False, ensure_ascii=False)
    with written_whole(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8")


def as_json(result: Result) -> dict[str, Any]:
    """Return what the file holds; verdicts are computed again by whoever reads it."""
    return {"about": result.about, "rows": [asdict(row) for row in result.rows]}


def read_result(path: str | os.PathLike[str]) -> Result:
    """Read a result back; a file that is not one of ours raises a ValueError."""
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
        rows = [Row(**{**row, "values": tuple(row["values"])}) for row in found["rows"]]
        return Result(found["about"], rows)
    except (KeyError, TypeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is not a result of 'robustnmf bench'") from error


def joined(results: Sequence[Result]) -> Result:
    """Return the rows of several runs together, with what is said about the first of them.

    What was measured again counts as in the last run.
    """
    first = results[0].about
    seconds = sum(result.about["seconds"]["all"] for result in results)
    about = {**first, "seconds": {**first["seconds"], "all": seconds}}
    rows = {(row.key, row.what, row.rival): row for result in results for row in result.rows}
    return Result(about, list(rows.values()))
