"""Figures as words: one form for a whole table, and what every page of the documentation has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.targets import NOTHING

NOT_PART = "(not part of this run)"


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
