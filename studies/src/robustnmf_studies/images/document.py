"""The page about pictures in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.images.document RESULTS docs/images.md
"""

from __future__ import annotations

from typing import Any

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import MET, target_table
from robustnmf_studies.common.words import run_facts, table_parts
from robustnmf_studies.images.numbers import number_tables
from robustnmf_studies.images.settings import SHOWN

FIGURES: tuple[str, ...] = ("images-curves", *(f"images-{name}" for name in SHOWN))


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "seeds": "The noise of a case follows from the seed and the name of the case.",
        "targets": target_table(results.judged),
        "drawn": results.drawn,
        "figures": results.storage.figures,
        "tables": {name: t for name, t in number_tables(results.numbers).items() if len(t)},
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    about = results.about
    met = sum(found.verdict == MET for found in results.judged)
    data = f"{about.get('data')}, fingerprint `{about.get('fingerprint')}`"
    return {
        "facts": run_facts(about, data, f"seed {about.get('settings', {}).get('seed')}"),
        "tally": f"{met} of {len(results.judged)}",
        "targets": to_markdown(target_table(results.judged)),
        **table_parts(number_tables(results.numbers)),
    }


if __name__ == "__main__":
    from robustnmf_studies.images.study import STUDY

    main(STUDY)
