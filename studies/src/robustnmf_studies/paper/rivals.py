"""Where something else does better than the method: said by the numbers, not by us."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple

import pandas as pd

from robustnmf_studies.common.frames import Numbers, mean_of, pick, records, table_of, text_table
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import change
from robustnmf_studies.paper.settings import OPTIMUM, REFERENCE

HEADINGS = ("finding noise (F1)", "restoring faces (MSRE)", "denoising pictures (PSNR)")

_METHODS = (
    ("nmf", OPTIMUM, "scikit-learn's NMF"),
    ("pcp", REFERENCE, "robust PCA (PCP)"),
    ("median", REFERENCE, "3×3 median filter"),
    ("keep", OPTIMUM, "RobustNMF, unsuspected pixels kept as measured"),
    ("oracle", REFERENCE, "WNMF that is told the mask (oracle)"),
)


class Rival(NamedTuple):
    """How one method fares against RobustNMF and RobustNMF+WNMF, under each of `HEADINGS`."""

    name: str
    outcomes: tuple[str, ...]


def rivals(numbers: Numbers) -> list[Rival]:
    """Compare every reference with the better of RobustNMF and RobustNMF+WNMF at the optimum.

    Parameters
    ----------
    numbers : mapping of DataFrame
        The tables.

    Returns
    -------
    list of Rival
        For each, at how many places it is better, and by how much in the middle.

    Examples
    --------
    >>> rivals({})[0].outcomes
    ('–', '–', '–')
    """
    faces = pick(table_of(numbers, "faces"), lam=LAM)
    pictures = table_of(numbers, "pictures")
    found = []
    for method, mode, name in _METHODS:
        outcomes = (
            # It finds the very same noise as RobustNMF, being RobustNMF.
            "–"
            if method == "keep"
            else _compare(faces, method, mode, "f1", ("n", "pixels"), max, _points),
            _compare(faces, method, mode, "msre", ("n", "pixels"), min, _share),
            _compare(pictures, method, mode, "psnr", ("image",), max, _decibels),
        )
        found.append(Rival(name, outcomes))
    return found


def _compare(
    table: pd.DataFrame,
    method: str,
    mode: str,
    measure: str,
    columns: Sequence[str],
    best: Callable[[list[float]], float],
    words: Callable[[float, float], tuple[float, str]],
) -> str:
    rival = pick(table, method=method, mode=mode)
    ours = [pick(table, method=name, mode=OPTIMUM) for name in ("robust", "refit")]
    won, gaps = 0, []
    for place in dict.fromkeys(tuple(row[name] for name in columns) for row in records(rival)):
        here = dict(zip(columns, place, strict=True))
        own = best([mean_of(pick(rows, **here), measure) for rows in ours])
        theirs = mean_of(pick(rival, **here), measure)
        won += theirs != own and best([theirs, own]) == theirs
        gaps.append(words(theirs, own))
    if not gaps:
        return "–"
    middle = median(gap for gap, _ in gaps)
    closest = min(gaps, key=lambda gap: abs(gap[0] - middle))
    return f"better at {won} of {len(gaps)}; median {closest[1]}"


def _points(theirs: float, own: float) -> tuple[float, str]:
    return theirs - own, f"{theirs - own:+.2f}".replace("-", "−")


def _share(theirs: float, own: float) -> tuple[float, str]:
    gap = theirs / own - 1
    return gap, change(gap)


def _decibels(theirs: float, own: float) -> tuple[float, str]:
    return theirs - own, f"{theirs - own:+.1f} dB".replace("-", "−")


def rival_table(numbers: Numbers) -> pd.DataFrame:
    """Return the comparison as a table of words."""
    rows = [(rival.name, *rival.outcomes) for rival in rivals(numbers)]
    return text_table("", ("method", *HEADINGS), rows)
