"""The page about performance in the documentation: its tables, filled in from a result.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.bench.document RESULT.json ... docs/performance.md
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from robustnmf_studies.bench.results import Result, read_results
from robustnmf_studies.bench.tables import notes, tables
from robustnmf_studies.common.filling import fill_page
from robustnmf_studies.common.words import NOT_PART, table_parts

# The best of the convergence study; the rest is in the file.
_RANKED = 12


def write_page(page: str | os.PathLike[str], *results: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a page from what ``robustnmf bench --out`` wrote.

    That may be one run or several, the first of which tells about the machine. Parts that they
    say nothing about are left as they are. A page need not have all parts.
    """
    path = Path(page)
    text = path.read_text(encoding="utf-8")
    found = parts(read_results(*results))
    fill_page(path, {name: part for name, part in found.items() if f"<!-- {name} -->" in text})
    return path


def parts(result: Result) -> dict[str, str]:
    """Return the parts by the name of their markers; those about nothing are left out."""
    shown = tables(result)
    ranked = shown.pop("tuning")
    # The first settings, and the present ones wherever they stand.
    now = ranked["setting"].astype(str).str.endswith("(now)")
    tuning = table_parts({"tuning": ranked[now | (ranked.index < _RANKED)]}) if len(ranked) else {}
    if not len(shown["comparisons"]):
        return tuning
    return {
        "machine": _machine(result.about),
        "notes": "\n".join(f"- {note}" for note in notes(result)) or NOT_PART,
        **table_parts(shown),
        **tuning,
    }


def _machine(about: dict[str, Any]) -> str:
    machine = about["machine"]
    gemm = machine["gemm_gflops"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    return "\n".join(
        (
            f"- {machine['processor']}, {machine['threads']} threads; {machine['system']}; "
            f"{machine['blas']}",
            f"- measured in the same run: products of matrices {gemm['float64']:.0f} GFLOP/s in "
            f"float64 and {gemm['float32']:.0f} in float32, memory "
            f"{machine['triad_gbytes']:.1f} GB/s (triad)",
            f"- {versions}",
            f"- {about['date']}, {about['seconds']['all'] / 60:.0f} minutes, "
            f"{about['plan']['repeat']} rounds",
        )
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python -m robustnmf_studies.bench.document RESULT.json ... PAGE.md")
    print(write_page(sys.argv[-1], *sys.argv[1:-1]))
