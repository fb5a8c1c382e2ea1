"""The page about scaling in the documentation: its tables and figure, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.scaling.document RESULTS docs/scaling.md
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import Numbers, to_markdown
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import MET, target_table
from robustnmf_studies.common.words import run_facts, table_parts
from robustnmf_studies.scaling.model_numbers import model_tables
from robustnmf_studies.scaling.numbers import measured_tables


def number_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return all tables of the study, by name; those without numbers in this run are empty."""
    return {**measured_tables(numbers), **model_tables(numbers)}


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "seeds": "Rows are drawn from the seed and their position, whatever process does it.",
        "targets": target_table(results.judged),
        "drawn": results.drawn,
        "tables": {name: t for name, t in number_tables(results.numbers).items() if len(t)},
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    about = results.about
    met = sum(found.verdict == MET for found in results.judged)
    return {
        "facts": run_facts(about, f"{about.get('data')}", f"machine: {about.get('machine')}"),
        "tally": f"{met} of {len(results.judged)}",
        "targets": to_markdown(target_table(results.judged)),
        **table_parts(number_tables(results.numbers)),
    }


if __name__ == "__main__":
    from robustnmf_studies.scaling.study import STUDY

    main(STUDY)
