"""The numbers as frames that have all their columns, and how they become words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from robustnmf_studies.common import words
from robustnmf_studies.common.frames import Numbers, table_of, text_table
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust.methods import METHOD_NAMES, OURS
from robustnmf_studies.trust.rivals import RIVALS

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

RELIABLE = "reliable"
# As near to the best threshold as makes no difference, and further than anyone would accept.
NEAR, FAR = 0.03, 0.2
# An error that is so many times the one before is clearly less.
_CLEARLY_LESS = 0.9

_OF_TABLES = (
    "name family kind method verdict failure",
    "rate precision recall f1 repair by_median exact before after harm flagged changed seconds",
)
# By table, its columns of words and of figures.
_COLUMNS = {
    "tables": _OF_TABLES,
    "clean_tables": _OF_TABLES,
    "barren": _OF_TABLES,
    "matrices": (
        "name nature kind method verdict",
        "rate draw best f1 left worse flagged sure sure_right",
    ),
    "clean_matrices": (
        "name nature verdict",
        "flagged variance error flagged_auto_rank variance_auto_rank error_auto_rank "
        "fits_auto_rank",
    ),
    "missing": ("name", "plain refit auto oracle"),
}
# A heading, the figures by row, and their format.
Column = tuple[str, Mapping[Any, Any], str]


def frame_of(numbers: Numbers, name: str) -> pd.DataFrame:
    """Return a table with all its columns, even if this run has none of its rows.

    Figures are floats, so that the mean of what is true or false is a share. Rows of matrices also
    say what was done to them (``corruption``), whether our method is as good as someone who knows
    the mask (``near``), whether users must be warned of the case (``failed``) and are
    (``warned``), and whether data came nearer to the truth (``restored``): where they cannot, a
    warning is not false.
    """
    words, figures = (columns.split() for columns in _COLUMNS[name])
    frame = table_of(numbers, name).reindex(columns=[*words, *figures])
    frame = frame.astype(dict.fromkeys(words, object) | dict.fromkeys(figures, float))
    if name == "matrices":
        kinds = frame["kind"].str.replace("_", " & ")
        frame["corruption"] = kinds + (100 * frame["rate"]).map(", {:g} %".format)
        frame["near"] = frame["f1"] >= frame["best"] - NEAR
        frame["failed"] = (frame["worse"] == 1) | (frame["f1"] < frame["best"] - FAR)
        frame["warned"] = frame["verdict"] != RELIABLE
        frame["restored"] = frame["left"] < _CLEARLY_LESS
    return frame


def method_means(frame: pd.DataFrame, *by: str, measure: str = "f1") -> pd.DataFrame:
    """Return each method's mean of a measure: a row for each group, a column for each method."""
    # `pivot_table` makes another kind of index of a frame without rows.
    return frame.groupby([*by, "method"])[measure].mean().unstack("method")


def against_rivals(tables: pd.DataFrame, *by: str) -> pd.DataFrame:
    """Return our mean F1 (``ours``), the best ``rival`` and its mean F1 (``theirs``), by group.

    Groups that lack either are left out.
    """
    means = method_means(tables, *by)
    # Of equally good rivals, the last of the alphabet.
    rivals = means.reindex(columns=sorted(RIVALS, reverse=True)).dropna(how="all")
    found = means.reindex(columns=[OURS]).loc[rivals.index].set_axis(["ours"], axis=1)
    found["theirs"] = rivals.max(axis=1)
    found["rival"] = rivals.idxmax(axis=1).tolist()
    return found.dropna(subset="ours")


def error_left(groups: DataFrameGroupBy) -> pd.Series:
    """Return the error left after cleaning relative to that before, over all rows of a group."""
    total = groups[["before", "after"]].sum()
    return total["after"] / total["before"].where(total["before"] > 0)


def in_words(value: Any, form: str) -> str:
    """Return a figure in words; a dash where there is none. What is words already stays as it is.

    Examples
    --------
    >>> in_words(0.1234, ".2f"), in_words(0.1234, ".1%"), in_words(None, ".2f"), in_words("2 %", "")
    ('0.12', '12.3 %', '–', '2 %')
    """
    return value if isinstance(value, str) else words.in_words(value, f"{{:{form}}}")


def sheet(
    title: str, heading: str, rows: Sequence[Any] | Mapping[Any, str], columns: Sequence[Column]
) -> pd.DataFrame:
    """Return figures as a table of words.

    `rows` are the keys of the rows, or what they are called by key; `heading` is that of the first
    column.
    """
    names = rows if isinstance(rows, Mapping) else {key: str(key) for key in rows}
    cells = [
        (name, *(in_words(figures.get(key), form) for _, figures, form in columns))
        for key, name in names.items()
    ]
    return text_table(title, (heading, *(column[0] for column in columns)), cells)


def by_method(
    frame: pd.DataFrame, by: str, methods: Sequence[str], measure: str = "f1"
) -> list[Column]:
    """Return a column for each method: its mean of a measure, for each value of `by`."""
    means = method_means(frame, by, measure=measure)
    return [(METHOD_NAMES[name], means.get(name, {}), ".2f") for name in methods]


def bold_best(cells: pd.Series, *, lowest: bool = False) -> pd.Series:
    """Set the best of some figures in bold.

    Examples
    --------
    >>> bold_best(pd.Series(["0.5", "–", "0.7"])).tolist()
    ['0.5', '–', '**0.7**']
    """
    figures = pd.to_numeric(cells.str.rstrip(" %"), errors="coerce")
    best = figures.min() if lowest else figures.max()
    return cells.mask(figures == best, "**" + cells + "**")


def bold_in_rows(
    table: pd.DataFrame, methods: Sequence[str], *, lowest: bool = False
) -> pd.DataFrame:
    """Set the best method of each row in bold."""
    if len(table):
        names = [METHOD_NAMES[name] for name in methods]
        table[names] = table[names].apply(bold_best, axis=1, lowest=lowest)
    return table


def worst_of(figures: pd.Series, *, lowest: bool = False) -> tuple[float, Any]:
    """Return the highest or lowest figure, and whose it is; NaN where there is none.

    Examples
    --------
    >>> worst_of(pd.Series({"a": 0.1, "b": 0.2, "c": None}))
    (0.2, 'b')
    """
    known = figures.dropna()
    if known.empty:
        return math.nan, ""
    worst = float(known.min() if lowest else known.max())
    # Of equals the one that sorting would bring to this end.
    names = known.index[known == worst]
    return worst, min(names) if lowest else max(names)


def within(
    target: str,
    figure: Any,
    *,
    least: float = -math.inf,
    most: float = math.inf,
    form: str = ".3f",
    unit: str = "",
) -> Judged:
    """Decide whether a figure lies within its bounds; NaN was not measured.

    Of a series of figures, the worst one decides, and the words say whose it is.

    Examples
    --------
    >>> within("F1 ≥ 0.7", pd.Series({"a": 0.8, "b": 0.6}), least=0.7)[1:3]
    ('0.600 (b)', 'missed')
    """
    whose = ""
    if isinstance(figure, pd.Series):
        figure, name = worst_of(figure, lowest=most == math.inf)
        whose = f" ({', '.join(name) if isinstance(name, tuple) else name})"
    good = None if math.isnan(figure) else bool(least <= figure <= most)
    return decide(target, f"{in_words(figure, form)}{unit}{whose}", good)
