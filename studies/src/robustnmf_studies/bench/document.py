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

import pandas as pd

from robustnmf_studies.bench.results import Result, joined, read_result
from robustnmf_studies.bench.tables import (
    comparison_sheet,
    figure,
    growth_sheet,
    notes,
    quality_sheet,
    target_sheet,
    tuning_sheet,
)
from robustnmf_studies.common.filling import fill_page
from robustnmf_studies.common.frames import text_table, to_markdown

_NOTHING = "(not part of this run)"
# The best of the convergence study; the rest is in the file.
_RANKED = 12


def write_page(page: str | os.PathLike[str], *results: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a page.

    Parameters
    ----------
    page : path-like
        A Markdown file with markers.
    *results : path-like
        What ``robustnmf bench --out`` wrote, in one run or in several, the first of which tells
        about the machine. Parts that they say nothing about are left as they are.

    Returns
    -------
    Path
        The page.
    """
    path = Path(page)
    found = joined([read_result(result) for result in results])
    fill_page(path, parts(found))
    return path


def parts(result: Result) -> dict[str, str]:
    """Return the parts by the name of their markers; those about nothing are left out."""
    tuning = tuning_sheet(result)
    ranked = {"tuning": to_markdown(_shown(tuning))}
    others = [row for row in result.rows if not row.key.startswith("tuning.")]
    if not others:
        return ranked
    found = {
        "machine": _machine(result.about),
        "targets": to_markdown(target_sheet(result)),
        "comparisons": to_markdown(comparison_sheet(result)),
        "notes": "\n".join(f"- {note}" for note in notes(result)) or _NOTHING,
        "others": _table(quality_sheet(result)),
        "growth": _table(growth_sheet(result)),
        "work": _table(work_sheet(result)),
    }
    return {**found, **ranked} if len(tuning) else found


def _shown(tuning: pd.DataFrame) -> pd.DataFrame:
    """Return the first settings, and the present ones wherever they stand."""
    now = tuning["setting"].str.endswith("(now)")
    return tuning[now | (tuning.index < _RANKED)]


def _table(sheet: pd.DataFrame) -> str:
    return to_markdown(sheet) if len(sheet) else _NOTHING


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


def work_sheet(result: Result) -> pd.DataFrame:
    """Return where the time of an iteration goes, and what share of the machine it uses."""
    machine = result.about["machine"]
    lines = []
    for row in result.rows:
        work = row.details
        if not row.key.startswith("gemm.") or row.ours is None or row.theirs is None:
            continue
        rate = machine["gemm_gflops"][work["dtype"]] * 1e9
        flops = work["gemm_flops"] + work["noise_flops"] + work["sweep_flops"]
        stream = work["bytes"] / (machine["triad_gbytes"] * 1e9)
        lines += [
            (work["dtype"], "one iteration, measured", _ms(row.ours), ""),
            ("", "its products alone, in blocks", _ms(work["blocks"]), _of(work["blocks"], row)),
            (
                "",
                "the rest: noise step, sweeps, sums",
                _ms(row.ours - work["blocks"]),
                _of(row.ours - work["blocks"], row),
            ),
            (
                "",
                "the same products on whole matrices",
                _ms(work["whole"]),
                _of(work["whole"], row),
            ),
            (
                "",
                "reading X once through the engine",
                _ms(work["reading"]),
                _of(work["reading"], row),
            ),
            (
                "",
                f"{flops / 1e9:.1f} GFLOP ({work['gemm_flops'] / flops:.0%} of them in products) "
                "at the measured GEMM rate",
                _ms(flops / rate),
                _of(flops / rate, row),
            ),
            (
                "",
                f"{work['bytes'] / 1e6:,.0f} MB at the measured bandwidth",
                _ms(stream),
                _of(stream, row),
            ),
        ]
    headings = ("precision", "what", "milliseconds", "share of the iteration")
    return text_table("Where the time goes", headings, lines)


def _ms(seconds: float) -> str:
    return figure(1000 * seconds)


def _of(seconds: float, row: Any) -> str:
    return f"{seconds / row.ours:.0%}"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python -m robustnmf_studies.bench.document RESULT.json ... PAGE.md")
    print(write_page(sys.argv[-1], *sys.argv[1:-1]))
