"""The figures: time and memory as the data grow, partitions of Dask, and what the model says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from robustnmf_studies.common.drawing import Painter, draw_figures, painters_of
from robustnmf_studies.common.frames import Numbers, pick, table_of, values_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.scaling.calibrate import fitted, predictions
from robustnmf_studies.scaling.model_numbers import SHARE
from robustnmf_studies.scaling.numbers import MB, by_factor, overheads
from robustnmf_studies.scaling.settings import DASK, ENGINES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FIGURE = "scaling"
_LOOKS: dict[str, dict[str, Any]] = {
    "memory-1": {"color": "#333333", "lw": 1.8, "marker": "o", "ms": 4},
    "memory-2": {"color": "#c1272d", "lw": 2.2, "marker": "o", "ms": 4},
    "file": {"color": "#0072b2", "lw": 1.8, "marker": "o", "ms": 4},
    "zarr": {"color": "#56b4e9", "lw": 1.8, "marker": "o", "ms": 4},
    "dask-threads": {"color": "#e69f00", "lw": 1.8, "marker": "o", "ms": 4},
    "dask-1": {"color": "#8c564b", "lw": 1.8, "marker": "o", "ms": 4},
    "dask-2": {"color": "#009e73", "lw": 1.8, "marker": "o", "ms": 4},
}

# How many times as long: what the axis names.
_RATIOS = (1, 2, 5, 10)


def draw_all(numbers: Numbers, storage: Storage) -> dict[str, Any]:
    """Draw the figure that the numbers allow, as files and for the report.

    Returns
    -------
    dict
        ``panels``, and the ``legend`` of their lines.
    """
    painters = painters_of(
        numbers,
        [
            ("times", "Time of an iteration as the rows grow, by engine", _times),
            ("times", "Memory at the peak as the rows grow, by engine", _memory),
            ("times", "Time of an iteration by the size of a partition", _partitions),
        ],
    )
    if fitted(table_of(numbers, "times")) is not None:
        painters.append(_model_painter(numbers))
    shown = set(values_of(table_of(numbers, "times"), "engine"))
    legend = [(ENGINES[name].words, look) for name, look in _LOOKS.items() if name in shown]
    drawn = draw_figures({FIGURE: (painters, 2, legend)}, storage)
    return {"panels": drawn.get(FIGURE, []), "legend": legend if drawn else []}


def _grown(ax: Axes, rows: pd.DataFrame, measure: str, unit: float) -> None:
    for engine, look in _LOOKS.items():
        found = by_factor(rows, engine, measure)
        if found:
            ax.loglog(list(found), [unit * value for value in found.values()], **look)
    factors = sorted(set(values_of(rows, "factor")))
    ax.set_xticks(factors, [f"{factor}×" for factor in factors])
    ax.minorticks_off()


def _times(ax: Axes, numbers: Numbers) -> None:
    _grown(ax, pick(table_of(numbers, "times"), sweep="n"), "iteration", 1e3)
    ax.set(title="time of an iteration", xlabel="rows", ylabel="ms")


def _memory(ax: Axes, numbers: Numbers) -> None:
    sizes = pick(table_of(numbers, "times"), sweep="n")
    _grown(ax, sizes, "peak", 1 / MB)
    data = sizes.drop_duplicates("factor").set_index("factor")["bytes"].sort_index() / MB
    ax.plot(data.index, data, color="0.6", ls=(0, (4, 2)), lw=1.2)
    middle = len(data) // 2
    ax.annotate("X itself", (data.index[middle], data.iloc[middle]), color="0.4", va="top")
    ax.set(title="memory at the peak", xlabel="rows", ylabel="MB")


def _partitions(ax: Axes, numbers: Numbers) -> None:
    times = table_of(numbers, "times")
    found = overheads(times)
    swept = pick(found, sweep="part")
    found = pick(found, factor=tuple(set(values_of(swept, "factor"))))
    for engine in DASK:
        own = pick(found, engine=engine).sort_values("part") if len(found) else found
        if len(own):
            ax.loglog(4 * own["part"] * own["m"] / MB, own["ratio"], **_LOOKS[engine])
    ax.axhline(1 + SHARE, color="0.6", ls=(0, (4, 2)), lw=1.2)
    sizes = sorted(set(4 * found["part"] * found["m"] / MB)) if len(found) else []
    ax.set_xticks(sizes, [f"{size:.2g}" for size in sizes])
    ax.set_yticks(_RATIOS, [f"{ratio}×" for ratio in _RATIOS])
    ax.minorticks_off()
    ax.set(
        title="Dask over memory, as many cores", xlabel="MB of a partition", ylabel="times as long"
    )


def _model_painter(numbers: Numbers) -> Painter:
    times = table_of(numbers, "times")
    constants = fitted(times)
    assert constants is not None
    rows = predictions(times, constants)

    def paint(ax: Axes) -> None:
        for engine, look in _LOOKS.items():
            for use, filled in (("fit", look["color"]), ("check", "white")):
                own = pick(rows, engine=engine, use=use)
                ax.loglog(
                    1e3 * own["iteration"],
                    1e3 * own["predicted"],
                    ls="",
                    marker="o",
                    ms=5,
                    color=look["color"],
                    markerfacecolor=filled,
                )
        ends = [1e3 * rows["iteration"].min(), 1e3 * rows["iteration"].max()]
        ax.plot(ends, ends, color="0.6", lw=1)
        ax.set(title="the model (hollow: not fitted to)", xlabel="measured, ms", ylabel="told, ms")

    return "What the model says beside what was measured", paint
