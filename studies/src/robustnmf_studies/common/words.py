"""Figures as words: one form for a whole table, and what every page of the documentation has."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from string import Formatter
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import records, text_table, to_markdown
from robustnmf_studies.common.targets import NOTHING

NOT_PART = "(not part of this run)"


def read_words(study: str, name: str) -> dict[str, Any]:
    """Read the words that a study keeps in a TOML file of this name, such as "targets"."""
    path = files(f"robustnmf_studies.{study}").joinpath(f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def in_words(value: Any, form: str) -> str:
    """Write a figure in a form of `str.format`; a dash where there is none.

    Examples
    --------
    >>> in_words(0.125, "{:.1%}"), in_words(float("nan"), "{:.1f}")
    ('12.5 %', '–')
    """
    return NOTHING if pd.isna(value) else form.format(value).replace("%", " %")


def table_words(frame: pd.DataFrame, form: str) -> pd.DataFrame:
    """Write all figures of a frame in one form, as `in_words` does.

    Examples
    --------
    >>> table_words(pd.DataFrame({"f1": [0.5, None]}), "{:.2f}")["f1"].tolist()
    ['0.50', '–']
    """
    # Without figures to write, pandas would keep their type.
    return frame.map(in_words, form=form).astype(object)


def row_table(title: str, frame: pd.DataFrame, columns: Mapping[str, str]) -> pd.DataFrame:
    """Write each row of a frame in the forms of the columns of a table of words.

    Parameters
    ----------
    title : str
        Of the table.
    frame : DataFrame
        The figures.
    columns : mapping
        By heading, a form of `str.format` that calls columns of the frame by name. Where one of
        them has nothing, a dash is written.

    Examples
    --------
    >>> frame = pd.DataFrame({"found": [3, 4], "share": [0.5, None]})
    >>> row_table("t", frame, {"found": "{found} of 5", "share": "{share:.0%}"}).to_numpy()
    array([['3 of 5', '50 %'],
           ['4 of 5', '–']], dtype=object)
    """

    def cell(row: Mapping[str, Any], form: str) -> str:
        used = [name for _, name, _, _ in Formatter().parse(form) if name]
        words = NOTHING if any(row[name] is None for name in used) else form.format_map(row)
        return re.sub("(?<! )%", " %", words)

    rows = [[cell(row, form) for form in columns.values()] for row in records(frame)]
    return text_table(title, tuple(columns), rows)


def amount_words(amount: float) -> str:
    """Write an amount of noise: a share in percent, or a number of entries.

    Examples
    --------
    >>> amount_words(0.1), amount_words(50)
    ('10 %', '50 px')
    """
    return f"{100 * amount:g} %" if amount < 1 else f"{amount:g} px"


def table_parts(tables: Mapping[str, pd.DataFrame]) -> dict[str, str]:
    """Return tables for a page in the documentation, by the names of its markers."""
    return {name: to_markdown(t) if len(t) else NOT_PART for name, t in tables.items()}


def run_facts(about: Mapping[str, Any], data: str, runs: str) -> str:
    """Return how the numbers of a page came about: its data, runs, time and versions."""
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return (
        f"- data: {data}\n"
        f"- {runs}; {about.get('points')} cases in {about.get('seconds', 0) / 60:.0f} minutes on "
        f"{about.get('cores')} cores\n"
        f"- versions: {versions}"
    )
