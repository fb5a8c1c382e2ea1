"""The measurements as tables of words, and the figures that targets and pages share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick, table_of, text_table, unique_of
from robustnmf_studies.common.words import in_words, row_table
from robustnmf_studies.scaling.model import Work, moved_bytes
from robustnmf_studies.scaling.settings import CLUSTERS, DASK, ENGINES, IN_MEMORY, MEMORY_1

# Bytes in a megabyte, of which all tables speak.
MB = 1e6


def measured_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return what was measured, by the name of the table; those without numbers are empty."""
    sizes = pick(table_of(numbers, "times"), sweep="n")
    return {
        "iterations": _by_engine("Milliseconds an iteration", sizes, "iteration", 1e3, "{:.3g}"),
        "fits": _by_engine("Seconds of a whole fit", sizes, "whole", 1.0, "{:.3g}"),
        "memory": _by_engine(
            "Megabytes of memory at the peak, beyond what the process had",
            sizes,
            "peak",
            1 / MB,
            "{:.0f}",
        ),
        "overhead": _overhead(sizes),
        "partitions": _partitions(pick(table_of(numbers, "times"), engine=DASK)),
        "traffic": _traffic(table_of(numbers, "traffic")),
        "reading": _reading(table_of(numbers, "traffic")),
    }


def by_factor(rows: pd.DataFrame, engine: str, measure: str) -> dict[int, float]:
    """Return a measure of an engine at each size.

    Examples
    --------
    >>> frame = pd.DataFrame({"engine": ["a", "a"], "factor": [2, 1], "peak": [5.0, 3.0]})
    >>> by_factor(frame, "a", "peak")
    {1: 3.0, 2: 5.0}
    """
    own = pick(rows, engine=engine)
    if not len(own):
        return {}
    return {int(f): float(v) for f, v in own.set_index("factor")[measure].sort_index().items()}


def answers_apart(numbers: Numbers) -> dict[str, float]:
    """Return by how much each engine's answer is off that in memory, at the worst of all sizes.

    That is the largest difference as a share of the largest number of its kind: the objective, and
    each component's product with a vector.
    """
    rows = table_of(numbers, "answers")
    if not len(rows):
        return {}
    wide = rows.pivot_table("value", ["factor", "position"], "engine")
    if MEMORY_1 not in wide:
        return {}
    there = wide[MEMORY_1]
    kinds = wide.index.get_level_values("position") > 0
    size = there.abs().groupby([wide.index.get_level_values("factor"), kinds]).transform("max")
    apart = wide.drop(columns=MEMORY_1).sub(there, axis=0).abs().div(size, axis=0).max()
    return {str(engine): float(share) for engine, share in apart.dropna().items()}


def overheads(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each time with Dask beside that of the same data in memory on as many cores."""
    columns = ["factor", "iteration"]
    found = []
    for engine in DASK:
        own, rival = pick(rows, engine=engine), IN_MEMORY[ENGINES[engine].cores]
        there = pick(rows, engine=rival, sweep="n")
        if len(own) and len(there):
            both = own.merge(there[columns], on="factor", suffixes=("", "_memory"))
            found.append(both)
    if not found:
        return pd.DataFrame()
    joined = pd.concat(found, ignore_index=True)
    return joined.assign(
        added=joined["iteration"] - joined["iteration_memory"],
        ratio=joined["iteration"] / joined["iteration_memory"],
    )


def _by_engine(
    title: str, rows: pd.DataFrame, measure: str, unit: float, form: str
) -> pd.DataFrame:
    factors = unique_of(rows, "factor")
    engines = [engine for engine in ENGINES if len(pick(rows, engine=engine))]
    found = {engine: by_factor(rows, engine, measure) for engine in engines}
    lines = [
        (
            f"{factor}×",
            f"{pick(rows, factor=factor)['n'].iloc[0]:,}",
            f"{pick(rows, factor=factor)['bytes'].iloc[0] / MB:.0f}",
            *(in_words(unit * found[engine].get(factor, np.nan), form) for engine in engines),
        )
        for factor in factors
    ]
    heads = ("n", "rows", "X, MB", *(ENGINES[engine].words for engine in engines))
    return text_table(title, heads, lines)


def _words_of(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(words=[ENGINES[engine].words for engine in rows["engine"]])


def _overhead(sizes: pd.DataFrame) -> pd.DataFrame:
    found = overheads(sizes)
    if len(found):
        found = found[found["factor"].isin(_ends(unique_of(found, "factor")))]
        found = _words_of(found).assign(
            added=1e3 * found["added"],
            iteration=1e3 * found["iteration"],
            memory=1e3 * found["iteration_memory"],
            mean=1e3 * found["mean"],
        )
    columns = {
        "": "{words}",
        "n": "{factor}×",
        "partitions": "{parts}",
        "an iteration, ms": "{iteration:.3g}",
        "the mean of all, ms": "{mean:.3g}",
        "in memory, as many cores": "{memory:.3g}",
        "more, ms": "{added:.3g}",
        "times as long": "{ratio:.2f}",
    }
    return row_table("What Dask adds to an iteration", found, columns)


def _ends(factors: Sequence[int]) -> list[int]:
    return sorted({factors[0], factors[len(factors) // 2], factors[-1]})


def _partitions(rows: pd.DataFrame) -> pd.DataFrame:
    found = pd.DataFrame()
    swept = pick(rows, sweep="part")
    if len(swept):
        rows = pick(rows, factor=unique_of(swept, "factor")).sort_values(["engine", "part"])
        found = _words_of(rows).assign(
            size=4 * rows["part"] * rows["m"] / MB, iteration=1e3 * rows["iteration"]
        )
    columns = {
        "": "{words}",
        "rows of a partition": "{part:,}",
        "MB": "{size:.3g}",
        "partitions": "{parts}",
        "an iteration, ms": "{iteration:.3g}",
    }
    return row_table("The same data in partitions of other sizes", found, columns)


def _traffic(rows: pd.DataFrame) -> pd.DataFrame:
    rows = pick(rows, engine=CLUSTERS)
    if len(rows):
        sent = rows["client_sent"] + rows["workers_sent"]
        rows = _words_of(rows).assign(
            data=rows["bytes"] / MB,
            client=rows["client_sent"] / MB,
            workers=rows["workers_sent"] / MB,
            all=sent / MB,
            least=least_moved(rows) / MB,
            share=sent / rows["bytes"],
        )
    columns = {
        "": "{words}",
        "X, MB": "{data:.0f}",
        "partitions": "{parts}",
        "client and scheduler send, MB": "{client:.3f}",
        "workers send, MB": "{workers:.3f}",
        "together": "{all:.3f}",
        "least by the formula": "{least:.3f}",
        "share of X": "{share:.2%}",
        "messages": "{messages:.0f}",
    }
    return row_table("Bytes sent in an iteration, counted on the sockets", rows, columns)


def least_moved(rows: pd.DataFrame) -> pd.Series:
    """Return what the formula says that an iteration sends at least, for each row."""
    found = [
        moved_bytes(Work(row.n, row.m, row.k), ENGINES[row.engine].cores, row.parts)
        for row in rows.itertuples()
    ]
    return pd.Series(found, rows.index, dtype=float)


def _reading(rows: pd.DataFrame) -> pd.DataFrame:
    rows = rows if not len(rows) else rows[~rows["engine"].isin(CLUSTERS)]
    if len(rows):
        rows = _words_of(rows).assign(
            data=rows["bytes"] / MB, got=rows["read"] / MB, times=rows["read"] / rows["bytes"]
        )
    columns = {
        "": "{words}",
        "X, MB": "{data:.1f}",
        "read, MB": "{got:.1f}",
        "times X": "{times:.3f}",
    }
    return row_table("Bytes read in an iteration, counted by the system", rows, columns)
