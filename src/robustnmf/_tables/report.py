"""The report of a cleaned table: what was wrong, where, and how it was found."""

from __future__ import annotations

import io
from html import escape
from typing import Any

import numpy as np

from robustnmf._common.checks import is_auto
from robustnmf._common.optional import import_extra
from robustnmf._common.versions import versions
from robustnmf._report import Section, embedded, facts, page, table
from robustnmf._tables.judgement import not_judged
from robustnmf._tables.result import Cell, CleaningResult
from robustnmf.plot import plot_convergence, plot_corruption, plot_parts, plot_rank

# Rows and columns that are told one by one.
_MOST = 12
# And cells, of all rows and of one.
_MOST_CELLS, _MOST_OF_ROW = 200, 5


def report(result: CleaningResult, command: str = "") -> str:
    """Return a page that needs nothing but a browser.

    Parameters
    ----------
    result : CleaningResult
        What `clean_table` returned.
    command : str
        How to repeat the run.

    Returns
    -------
    str
        HTML.
    """
    n, m = result.table.shape
    kept = result.n_flagged - result.n_replaced
    lead = (
        f"{result.n_replaced:,} of {n * m:,} cells "
        f"({100 * result.n_replaced / (n * m):.2g} %) are almost surely wrong and were replaced; "
        f"{kept:,} more are suspicious and were left as they are."
    )
    trust = "" if result.diagnosis.trusted else f"How far to trust this: {result.diagnosis}."
    notes = "".join(
        f'<p class="notice">{escape(note)}</p>' for note in (trust, *result.notes) if note
    )
    sections = [
        Section("cells", "The cells", _cells(result)),
        Section("where", "Where", _where(result)),
        Section("parts", "Parts", _parts(result)),
        Section("fit", "The fit", _fit(result)),
        Section("settings", "Settings", _settings(result, command)),
    ]
    foot = f"Written by robustnmf {escape(versions()['robustnmf'])}."
    title = f"What was wrong with {result.table.file}"
    return page(title, escape(lead), sections, top=notes, foot=foot)


def _cells(result: CleaningResult) -> str:
    cells = result.cells
    if not cells:
        return "<p>No cell is flagged.</p>"
    from robustnmf._tables.outputs import shown

    rows = [
        [
            *shown(result, cell)[:3],
            _expected(cell),
            "replaced" if cell.replaced else "flagged",
            _likely(cell.probability),
            cell.reason,
        ]
        for cell in cells[:_MOST_CELLS]
    ]
    left = len(cells) - len(rows)
    more = f"<p>{left:,} more are in the list that --changes writes.</p>" if left else ""
    headings = ["row", "column", "value", "expected", "done", "wrong", "why"]
    return table("", headings, rows) + more


def _expected(cell: Cell) -> str:
    if not cell.spread > 0:  # known exactly, or nobody knows
        return f"{cell.expected:.6g}"
    spread = f"{cell.spread:.2g}" if cell.spread < 100 else f"{cell.spread:.0f}"
    return f"{cell.expected:.6g} ± {spread}"


def _likely(probability: float) -> str:
    return "> 99 %" if probability > 0.99 else f"{100 * probability:.0f} %"


def _where(result: CleaningResult) -> str:
    if not result.n_flagged:
        return ""
    n, m = result.table.shape
    names = [column.name for column in result.table.columns]
    picture = _picture(
        lambda ax: plot_corruption(result.noise(), names=names, ax=ax).set_ylabel("row"),
        "Share of flagged cells over rows and columns",
        (9, 5.5),
    )
    worst_columns = [
        [names[j], f"{result.by_column[j]:,}", f"{100 * result.by_column[j] / n:.2g} %"]
        for j in _most(result.by_column)
    ]
    worst_rows = [
        [
            result.table.row_name(i),
            f"{result.by_row[i]:,} of {m:,}",
            ", ".join(_cells_of(result, i)),
        ]
        for i in _most(result.by_row)
    ]
    return (
        picture
        + table("Columns with most flagged cells", ["column", "cells", "share"], worst_columns)
        + table("Rows with most flagged cells", ["row", "cells", "value (expected)"], worst_rows)
    )


def _cells_of(result: CleaningResult, row: int) -> list[str]:
    flagged = result.flagged.only(result.flagged.rows == row)
    found = [
        f"{result.table.columns[j].name}: {value:.6g} ({expected:.6g})"
        for j, value, expected in zip(
            flagged.columns, flagged.values, flagged.expected, strict=True
        )
    ]
    return [*found[:_MOST_OF_ROW], "…"] if len(found) > _MOST_OF_ROW else found


def _parts(result: CleaningResult) -> str:
    names = [column.name for column in result.table.columns]
    parts = result.learned_parts()
    components = parts.model.components_
    share = np.nansum(parts.weights, axis=0) * components.sum(axis=1)
    share = share / max(float(share.sum()), 1e-300)
    # The scale of a part means nothing; in one unit, columns can be compared.
    high = min(0.35 * len(share) + 1.6, 12)
    picture = _picture(
        lambda ax: plot_parts(components, names=names, ax=ax),
        "The parts: how much of each column each of them holds",
        (9, high),
    )
    rows = []
    for i in np.argsort(-share):
        part = components[i]
        main = ", ".join(names[j] for j in np.argsort(-part)[:5] if part[j] > 0)
        rows.append([str(i + 1), f"{100 * share[i]:.0f} %", main])
    return picture + table("", ["part", "share of the table", "mostly"], rows)


def _fit(result: CleaningResult) -> str:
    model = result.learned_parts().model
    words = "The objective settled" if model.converged_ else "The objective had not settled"
    pictures = _picture(lambda ax: plot_convergence(model, ax=ax), "The objective", (5, 3))
    if hasattr(model, "rank_path_"):
        pictures += _picture(lambda ax: plot_rank(model, ax=ax), "Number of parts", (5, 3))
    return f'<p>{words} after {model.n_iter_} iterations.</p><div class="panels">{pictures}</div>'


def _settings(result: CleaningResult, command: str) -> str:
    how, kept = result.settings, result.table
    parts = result.learned_parts()
    by = "the cells that go with it" if how.judged_by_cells else f"the parts, with λ = {how.lam:g}"
    rows = [
        ("command", command),
        ("rows × columns of numbers", f"{kept.shape[0]:,} × {kept.shape[1]:,}"),
        ("columns carried along", ", ".join(kept.carried) or "none"),
        ("columns not judged", ", ".join(not_judged(kept, result.kinds)) or "none"),
        ("missing cells", f"{result.n_missing:,}, of which {result.n_filled:,} were filled"),
        ("a cell is judged by", by),
        ("verdict", str(result.diagnosis)),
        ("parts (k)", _chosen(how.n_components, parts.model.n_components_)),
        ("penalty of the parts", how.penalty),
        ("negative cells", how.negative),
        ("seed", str(how.random_state)),
        *versions().items(),
    ]
    return facts((name, value) for name, value in rows if value)


def _chosen(asked: Any, used: Any) -> str:
    return f"{used} (chosen from the table)" if is_auto(asked) else str(used)


def _most(counts: Any) -> list[int]:
    order = np.argsort(-counts, kind="stable")[:_MOST]
    return [int(i) for i in order if counts[i]]


def _picture(draw: Any, words: str, size: tuple[float, float]) -> str:
    matplotlib = import_extra("matplotlib.figure", "plot", "a report needs")
    figure = matplotlib.Figure(figsize=size, layout="constrained")
    draw(figure.subplots())
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110)
    source = embedded(file.getvalue(), "image/png")
    return f'<figure><img style="max-width:100%" alt="{escape(words)}" src="{source}"></figure>'
