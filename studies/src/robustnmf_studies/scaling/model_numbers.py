"""What the cost model says, as tables of words."""

from __future__ import annotations

import math

import pandas as pd

from robustnmf_studies.common.frames import Numbers, groups, pick, table_of, text_table
from robustnmf_studies.scaling.calibrate import Constants, fitted, predictions
from robustnmf_studies.scaling.model import Work, part_rows, rows_to_win
from robustnmf_studies.scaling.numbers import MB
from robustnmf_studies.scaling.projection import (
    ITERATIONS,
    ROOMY,
    TIGHT,
    WORK,
    Projected,
    projected,
)
from robustnmf_studies.scaling.settings import CLUSTER_2, DASK, ENGINES
from robustnmf_studies.scaling.settings import ITERATIONS as MEASURED

# A task may take so much of the time of what it does.
SHARE = 0.1
_CLUSTERS = {
    "in memory": ROOMY,
    "from disks": TIGHT,
}


def model_tables(numbers: Numbers) -> dict[str, pd.DataFrame]:
    """Return the tables that need the model; empty ones where it could not be fitted."""
    times = table_of(numbers, "times")
    constants = fitted(times)
    if constants is None or CLUSTER_2 not in constants.extra:
        names = ("constants", "checks", "pays", "projection", "terms")
        return {name: pd.DataFrame() for name in names}
    found = {name: projected(constants, cluster) for name, cluster in _CLUSTERS.items()}
    more = more_iterations(times)
    return {
        "constants": _constants(constants),
        "checks": _checks(predictions(times, constants)),
        "pays": _pays(times, constants),
        "projection": _projection(found, more),
        "terms": _terms(found),
    }


def held_out(numbers: Numbers) -> pd.DataFrame:
    """Return the times that the model was not fitted to, with what it says of them."""
    times = table_of(numbers, "times")
    constants = fitted(times)
    return pd.DataFrame() if constants is None else pick(predictions(times, constants), use="check")


def more_iterations(times: pd.DataFrame) -> float:
    """Return as how many iterations all else of a fit counts: its start, and its last answer.

    From the largest data on two workers.
    """
    rows = pick(times, engine=CLUSTER_2, sweep="n")
    if not len(rows):
        return math.nan
    row = rows.loc[rows["factor"].idxmax()]
    return max(0.0, float(row["whole"] / row["iteration"]) - MEASURED)


def _constants(constants: Constants) -> pd.DataFrame:
    rates = constants.rates
    lines = [
        ("an iteration, apart from the rows", f"{1e3 * rates.step:.2g} ms"),
        ("an entry of X, one core", f"{1e9 * rates.entry:.2g} ns"),
        ("an entry of X and a component, one core", f"{1e9 * rates.product:.2g} ns"),
        ("as long, with both cores at work", f"{rates.sharing:.2f} times"),
    ]
    for engine, extra in constants.extra.items():
        words = ENGINES[engine].words
        if engine in DASK:
            lines.append((f"{words}: an iteration", f"+ {1e3 * extra.step:.2g} ms"))
            lines.append((f"{words}: a partition", f"+ {1e3 * extra.part:.2g} ms"))
        elif extra.byte:
            lines.append((f"{words}: a GB of X", f"+ {1e9 * extra.byte:.2g} s"))
    return text_table("The constants of the model, fitted", ("what", "takes"), lines)


def _checks(rows: pd.DataFrame) -> pd.DataFrame:
    lines = []
    for engine in ENGINES:
        own = pick(rows, engine=engine)
        apart = {use: part["error"].abs() for use, part in groups(own, "use")}
        if len(own):
            lines.append(
                (
                    ENGINES[engine].words,
                    *(
                        f"{100 * value:.0f} %"
                        for use in ("fit", "check")
                        if use in apart
                        for value in (apart[use].median(), apart[use].max())
                    ),
                )
            )
    heads = ("engine", "fitted to: median", "worst", "held out: median", "worst")
    # What was not held out has nothing to say.
    lines = [(*line, *("–",) * (len(heads) - len(line))) for line in lines]
    return text_table("By how much the model is off", heads, lines)


def _pays(times: pd.DataFrame, constants: Constants) -> pd.DataFrame:
    base = pick(times, sweep="n").iloc[0]
    work = Work(int(base["n"]), int(base["m"]), int(base["k"]))
    lines = []
    for engine in DASK:
        if engine not in constants.extra:
            continue
        extra, cores = constants.extra[engine], ENGINES[engine].cores
        part = part_rows(work, constants.rates, extra, SHARE)
        row = work.item * work.m / MB
        win = math.inf
        if cores > 1:
            win = rows_to_win(work, constants.rates, extra, cores, max(part, 1.0))
        lines.append(
            (
                ENGINES[engine].words,
                f"{part:,.0f} rows, {row * part:.3g} MB",
                f"{win:,.0f} rows, {row * win:.3g} MB" if math.isfinite(win) else "–",
            )
        )
    heads = (
        "",
        f"a partition whose task adds {100 * SHARE:.0f} %",
        "with these, faster than one core in memory from",
    )
    return text_table("From which sizes on Dask pays", heads, lines)


def _projection(found: dict[str, list[Projected]], more: float) -> pd.DataFrame:
    lines = [
        (
            name,
            _bytes_words(one.part_bytes),
            f"{one.parts:,}",
            f"{one.seconds:.3g} s",
            f"{(ITERATIONS + more) * one.seconds / 60:.3g} min",
            f"{one.dominant}, {100 * one.terms[one.dominant] / one.seconds:.0f} %",
        )
        for name, sizes in found.items()
        for one in sizes
    ]
    heads = (
        "X",
        "partitions of",
        "there are",
        "an iteration",
        f"a fit of {ITERATIONS}",
        "what takes longest",
    )
    return text_table(f"{WORK.n:.0e} × {WORK.m} on {ROOMY.machines} machines", heads, lines)


def _terms(found: dict[str, list[Projected]]) -> pd.DataFrame:
    names = list(next(iter(found.values()))[0].terms)
    lines = [
        (name, _bytes_words(one.part_bytes), *(f"{one.terms[term]:.3g}" for term in names))
        for name, sizes in found.items()
        for one in sizes
    ]
    return text_table(
        "Seconds of an iteration, by what takes them", ("X", "partitions of", *names), lines
    )


def _bytes_words(size: float) -> str:
    """Write a size.

    Examples
    --------
    >>> _bytes_words(64e6), _bytes_words(4e9)
    ('64 MB', '4 GB')
    """
    return f"{size / 1e9:g} GB" if size >= 1e9 else f"{size / 1e6:g} MB"
