"""The page about trust in the documentation: its tables, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.trust.document RESULTS docs/trust.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import MET, MISSED, tally, target_table
from robustnmf_studies.common.words import NOT_PART, run_facts
from robustnmf_studies.trust.matrix_numbers import matrix_sheets
from robustnmf_studies.trust.table_numbers import lost_words, table_sheets

# A page that lists every case is read by nobody; the report has them all.
_MOST_ROWS = {"lost": 40, "matrix-lost": 40}


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "seeds": "The errors of a case follow from the seed and the name of the case.",
        "targets": target_table(results.judged),
        "lost": lost_words(results.numbers),
        "tables": _filled(table_sheets(results.numbers)),
        "matrices": _filled(matrix_sheets(results.numbers)),
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    sheets = {**table_sheets(results.numbers), **matrix_sheets(results.numbers)}
    counts = tally(results.judged)
    return {
        "facts": _facts(results.about),
        "tally": f"{counts[MET]} of {counts[MET] + counts[MISSED]}",
        "targets": to_markdown(target_table(results.judged)),
        "behind": lost_words(results.numbers),
        **{name: _part(name, table) for name, table in sheets.items()},
    }


def _filled(sheets: dict[str, pd.DataFrame]) -> list[pd.DataFrame]:
    return [table for table in sheets.values() if len(table)]


def _part(name: str, table: pd.DataFrame) -> str:
    most = _MOST_ROWS.get(name, len(table))
    text = to_markdown(table.head(most)) if len(table) else NOT_PART
    more = len(table) - most
    return f"{text}\n\nand {more} more, all of them in the report." if more > 0 else text


def _facts(about: Mapping[str, Any]) -> str:
    data = f"{about.get('data')}, fingerprint `{about.get('fingerprint')}`"
    facts = run_facts(about, data, f"seed {about.get('settings', {}).get('seed')}")
    return "\n".join([facts, *(f"- {note}" for note in about.get("notes", []))])


if __name__ == "__main__":
    from robustnmf_studies.trust.study import STUDY

    main(STUDY)
