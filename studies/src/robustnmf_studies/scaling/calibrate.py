"""The constants of the cost model, fitted to measured times, and how well it tells the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from robustnmf_studies.common.frames import pick, records
from robustnmf_studies.scaling.model import Extra, Rates, Work, compute_seconds, iteration_seconds
from robustnmf_studies.scaling.settings import DASK, ENGINES, MEMORY_1, MEMORY_2, STREAMS


class Constants(NamedTuple):
    """All constants: of the work in memory, and of what each engine adds."""

    rates: Rates
    extra: Mapping[str, Extra]


def fitted(times: pd.DataFrame) -> Constants | None:
    """Fit the constants to the rows that are for it; None where there are too few.

    Relative errors count, so that small sizes do as much as large ones. No constant is negative.
    """
    rows = pick(times, use="fit")
    if len(pick(rows, engine=MEMORY_1)) < 3 or not len(pick(rows, engine=MEMORY_2)):
        return None
    alone = pick(rows, engine=MEMORY_1)
    entries = (alone["n"] * alone["m"]).to_numpy(float)
    columns = [np.ones(len(alone)), entries, entries * alone["k"].to_numpy(float)]
    rates = Rates(*_least(columns, alone["iteration"]))
    both = pick(rows, engine=MEMORY_2)
    work = [np.array([compute_seconds(_work(row), rates, 1) / 2 for row in records(both)])]
    (sharing,) = _least(work, both["iteration"], rates.step)
    rates = rates._replace(sharing=sharing)
    extra = {MEMORY_1: Extra(), MEMORY_2: Extra()}
    for engine in (*STREAMS, *DASK):
        own = pick(rows, engine=engine)
        if not len(own):
            continue
        known = np.array([_predicted(row, rates, Extra()) for row in records(own)])
        if engine in STREAMS:
            (byte,) = _least([own["bytes"].to_numpy(float)], own["iteration"], known)
            extra[engine] = Extra(byte=byte)
        else:
            columns = [np.ones(len(own)), own["parts"].to_numpy(float)]
            extra[engine] = Extra(*_least(columns, own["iteration"], known))
    return Constants(rates, extra)


def predictions(times: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    """Return all times with what the model says of them, and by which share it is off."""
    known = pick(times, engine=list(constants.extra))
    found = [
        _predicted(row, constants.rates, constants.extra[row["engine"]]) for row in records(known)
    ]
    known = known.assign(predicted=found)
    return known.assign(error=known["predicted"] / known["iteration"] - 1)


def _predicted(row: Mapping[str, object], rates: Rates, extra: Extra) -> float:
    cores = ENGINES[str(row["engine"])].cores
    parts = row["parts"]
    assert isinstance(parts, int)
    # Who has no partition has nothing to do.
    busy = min(cores, parts) if row["engine"] in DASK else cores
    return iteration_seconds(_work(row), rates, extra, busy, parts)


def _work(row: Mapping[str, object]) -> Work:
    return Work(*(int(str(row[name])) for name in ("n", "m", "k")))


def _least(
    columns: list[np.ndarray], measured: pd.Series, known: np.ndarray | float = 0.0
) -> list[float]:
    """Return what the columns are to be multiplied with so that they make up what is not known."""
    seconds = measured.to_numpy(float)
    scaled = np.column_stack(columns) / seconds[:, None]
    # Seconds a byte are tiny beside seconds an iteration.
    sizes = np.linalg.norm(scaled, axis=0)
    found, _ = nnls(scaled / sizes, (seconds - known) / seconds)
    return (found / sizes).tolist()
