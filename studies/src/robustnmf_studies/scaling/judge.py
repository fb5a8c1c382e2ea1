"""The targets, each decided from the numbers; ``targets.toml`` has their words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick, table_of
from robustnmf_studies.common.targets import Judged, tell
from robustnmf_studies.common.words import read_words
from robustnmf_studies.scaling.calibrate import Constants, fitted
from robustnmf_studies.scaling.model_numbers import held_out
from robustnmf_studies.scaling.numbers import (
    answers_apart,
    by_factor,
    least_moved,
    overheads,
)
from robustnmf_studies.scaling.settings import (
    CLUSTER_2,
    CLUSTERS,
    ENGINES,
    IN_PROCESS,
    MEMORY_1,
    STREAMS,
)

# From a fourth of the largest size on, what is the same for all sizes no longer counts.
_GROWN = 4
MOST_GROWTH, MOST_BENT, MOST_OFF = 1.1, 0.2, 0.3
# Single precision, and sums that are added in another order.
MOST_APART = 1e-4
MOST_SLOWER, MOST_SENT = 1.5, 2.0
# In milliseconds, by the model.
MOST_STEP, MOST_PART = 50.0, 2.5


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    sizes = pick(table_of(numbers, "times"), sweep="n")
    apart = answers_apart(numbers)
    constants = fitted(table_of(numbers, "times"))
    found = [
        *(("memory", engine, _memory(sizes, engine)) for engine in STREAMS),
        *(("linear", engine, _linear(sizes, engine)) for engine in IN_PROCESS),
        *(("equal", engine, _equal(apart, engine)) for engine in ENGINES if engine != MEMORY_1),
        *(("added", engine, _added(sizes, engine)) for engine in CLUSTERS),
        *(("price", engine, _price(constants, engine)) for engine in CLUSTERS),
        ("sent", CLUSTER_2, _sent(table_of(numbers, "traffic"))),
        ("told", "", _told(held_out(numbers))),
    ]
    words = read_words("scaling", "targets")
    named = {engine: about.words for engine, about in ENGINES.items()}
    return [
        tell(words[name], {"engine": named.get(engine), **values}) for name, engine, values in found
    ]


def _ends(rows: pd.DataFrame, engine: str, measure: str) -> tuple[dict[str, Any], float | None]:
    """Return the largest size and a fourth of it, and by how much a measure grows between them."""
    found = by_factor(rows, engine, measure)
    most = max(found, default=32)
    least = most // _GROWN
    ratio = found[most] / found[least] if least in found else None
    return {"most": most, "least": least, "times": _GROWN}, ratio


def _memory(rows: pd.DataFrame, engine: str) -> dict[str, Any]:
    ends, ratio = _ends(rows, engine, "peak")
    good = None if ratio is None else ratio <= MOST_GROWTH
    return {**ends, "limit": MOST_GROWTH, "ratio": ratio, "good": good}


def _linear(rows: pd.DataFrame, engine: str) -> dict[str, Any]:
    ends, ratio = _ends(rows, engine, "iteration")
    if ratio is None:
        return ends
    good = abs(ratio / _GROWN - 1) <= MOST_BENT
    return {**ends, "ratio": ratio, "good": good}


def _equal(apart: dict[str, float], engine: str) -> dict[str, Any]:
    share = apart.get(engine)
    good = None if share is None else share <= MOST_APART
    return {"limit": MOST_APART, "apart": share, "good": good}


def _added(sizes: pd.DataFrame, engine: str) -> dict[str, Any]:
    rows = pick(overheads(sizes), engine=engine)
    if not len(rows):
        return {"limit": MOST_SLOWER, "factor": 32, "parts": "any"}
    row = rows.loc[rows["factor"].idxmax()]
    return {
        "limit": MOST_SLOWER,
        "good": row["ratio"] <= MOST_SLOWER,
        "more": 1e3 * row["added"],
        **row[["factor", "ratio", "parts"]],
    }


def _price(constants: Constants | None, engine: str) -> dict[str, Any]:
    limits = {"most_step": MOST_STEP, "most_part": MOST_PART}
    if constants is None or engine not in constants.extra:
        return limits
    step, part = (1e3 * seconds for seconds in constants.extra[engine][:2])
    good = step <= MOST_STEP and part <= MOST_PART
    return {**limits, "step": step, "part": part, "good": good}


def _sent(traffic: pd.DataFrame) -> dict[str, Any]:
    rows = pick(traffic, engine=CLUSTER_2)
    if not len(rows):
        return {"limit": MOST_SENT}
    sent = rows["client_sent"] + rows["workers_sent"]
    worst = (sent / least_moved(rows)).idxmax()
    over = sent[worst] / least_moved(rows)[worst]
    share = sent[worst] / rows["bytes"][worst]
    return {"limit": MOST_SENT, "good": over <= MOST_SENT, "share": share, "over": over}


def _told(rows: pd.DataFrame) -> dict[str, Any]:
    if not len(rows):
        return {}
    off = rows["error"].abs()
    worst = rows.loc[off.idxmax()]
    return {
        "good": off.max() <= MOST_OFF,
        "worst": off.max(),
        "middle": off.median(),
        "count": len(rows),
        "engine": ENGINES[worst["engine"]].words,
        **worst[["factor", "part"]],
    }
