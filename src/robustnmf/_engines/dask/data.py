"""Dask arrays and data frames as rows in partitions."""

from __future__ import annotations

import math
import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.memory import memory_left
from robustnmf._engines.dask.rows import Rows
from robustnmf._engines.dask.running import Graph, Handle, Local, Remote, runner_for, unique
from robustnmf._engines.dask.tasks import dense
from robustnmf._engines.threads import alone

# Of the memory that is left, the most that data are kept in where they were computed in this
# process; larger ones are computed anew for each pass.
MOST_KEPT = 0.5

BlockAnswer = Callable[[int, Any], tuple[np.ndarray, ...]]


class Outline(NamedTuple):
    """What an answer will look like: one number for each feature, or so many for each row."""

    width: int | None
    """None: as many as there are features, under their names."""
    dtype: Any


class Partitions:
    """A Dask array whose partitions are whole rows.

    Parameters
    ----------
    array : dask.array.Array, n×m
        With one chunk of features; how many rows its chunks have need not be known.
    frame : dask.dataframe.DataFrame or None
        What it was made of.
    """

    def __init__(self, array: Any, frame: Any = None) -> None:
        self.array, self.frame = array, frame
        self.dtype = np.dtype(array.dtype)
        self.n_features = int(array.shape[1])
        # What scikit-learn is to look at: the names of features, or how many they are.
        self.header = np.empty((1, self.n_features)) if frame is None else frame._meta
        # What is kept for the rows, by any engine of these data.
        self.live: weakref.WeakSet[Rows] = weakref.WeakSet()

    @cached_property
    def runner(self) -> Local | Remote:
        """Who computes them."""
        return runner_for(self.array)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and features; rows have to be counted if Dask does not know it."""
        return sum(self._sizes), self.n_features

    @property
    def names(self) -> list[Any]:
        """The features' names, or none."""
        return [] if self.frame is None else list(self.frame.columns)

    @cached_property
    def spans(self) -> list[tuple[int, int, int]]:
        """The partitions that have rows: which it is, its first row, how many it has."""
        ends = np.cumsum([0, *self._sizes])
        spans = enumerate(pairwise(map(int, ends)))
        found = [(i, first, end - first) for i, (first, end) in spans if end > first]
        if not found:
            raise ValueError(
                "X must have two dimensions, with at least one row and one column; "
                f"got {(0, self.n_features)}"
            )
        return found

    def add(self, graph: Graph, partition: int) -> Any:
        """Let a graph have a partition; return its name there."""
        key = self._keys[partition]
        if self._kept is not None:
            return self.runner.add(graph, self._kept[partition], key)
        if key not in graph:
            graph |= self._recomputed
        return key

    def lazily(self, what: str, answer: BlockAnswer, outlines: Sequence[Outline]) -> list[Any]:
        """Return answers about all rows that are computed when somebody asks for their values.

        Parameters
        ----------
        what : str
            A word for their tasks.
        answer : callable
            Given the position of a partition's first row and its rows, returns arrays of them. The
            position is 0 where Dask does not know it.
        outlines : sequence of Outline
            What these arrays look like.

        Returns
        -------
        list of dask.array.Array, or of data frames where data are one, for answers about features
        """
        rows = self.array.chunks[0]
        known = not any(map(math.isnan, rows))
        firsts = list(map(int, np.cumsum([0, *rows]))) if known else [0] * len(rows)
        widths = [self.n_features if o.width is None else o.width for o in outlines]

        def all_of(X: Any, block_id: tuple[int, ...]) -> Any:
            if not X.shape[0]:
                return tuple(
                    np.empty((0, width), o.dtype) for o, width in zip(outlines, widths, strict=True)
                )
            with alone:
                return answer(firsts[block_id[0]], X)

        every = self.array.map_blocks(
            all_of,
            dtype=object,
            chunks=(rows, (1,)),
            meta=np.empty((0, 0), object),
            name=unique(what),
        )
        found = []
        for i, (outline, width) in enumerate(zip(outlines, widths, strict=True)):
            one = every.map_blocks(
                _item,
                i,
                dtype=outline.dtype,
                chunks=(rows, (width,)),
                meta=np.empty((0, 0), outline.dtype),
                name=unique(what),
            )
            if outline.width is None and self.frame is not None:
                one = _framed(one, self.frame, outline.dtype)
            found.append(one)
        return found

    @cached_property
    def _sizes(self) -> tuple[int, ...]:
        rows = self.array.chunks[0]
        if any(map(math.isnan, rows)):
            # Where they are kept in any case, they are counted there.
            parts = range(len(rows))
            graph: Graph = {}
            if self.runner.remote:
                named = [self.add(graph, i) for i in parts]
            else:
                graph |= self._recomputed
                named = [self._keys[i] for i in parts]
            what = unique("count")
            graph |= {(what, i): (_count, name) for i, name in enumerate(named)}
            rows = self.runner.values(self.runner.run(graph, [(what, i) for i in parts]))
        return tuple(map(int, rows))

    @cached_property
    def _keys(self) -> list[Any]:
        return [row[0] for row in self.array.__dask_keys__()]

    @cached_property
    def _recomputed(self) -> Graph:
        """The graph that makes the partitions from what they are made of."""
        import dask

        (array,) = dask.optimize(self.array)
        return dict(array.__dask_graph__())

    @cached_property
    def _kept(self) -> dict[int, Handle] | None:
        """The partitions, where they were computed; None where they are computed anew each time."""
        parts = list(range(len(self._keys)))
        if isinstance(self.runner, Remote):
            (array,) = self.runner.client.persist([self.array])
            graph = dict(array.__dask_graph__())
            return {i: graph[self._keys[i]] for i in parts}
        size = math.prod(self.shape) * self.dtype.itemsize
        left = memory_left()
        if not self.runner.shares_memory or (left is not None and size > MOST_KEPT * left):
            return None
        return dict(enumerate(self.runner.run(self._recomputed, self._keys)))


def partitions_of(X: Any) -> Partitions | None:
    """Return data of Dask as partitions, or None for all else; refuse what has no answer."""
    if isinstance(X, Partitions):
        return X
    package = type(X).__module__.partition(".")[0]
    if package not in ("dask", "dask_expr"):
        return None
    arrays, frames = sys.modules.get("dask.array"), sys.modules.get("dask.dataframe")
    if frames is not None and isinstance(X, frames.DataFrame):
        return Partitions(_values(X), X)
    if arrays is not None and isinstance(X, arrays.Array):
        return Partitions(_whole_rows(X))
    return None


def in_order(weights: Any) -> Callable[[slice], np.ndarray]:
    """Return what gives weights of rows, if it is asked for some after the other."""
    if not hasattr(weights, "pieces"):
        return lambda rows: dense(weights[rows])
    pieces, held = weights.pieces(), [np.empty((0, weights.shape[1]), weights.dtype)]

    def read(rows: slice) -> np.ndarray:
        n = rows.stop - rows.start
        while sum(map(len, held)) < n:
            held.append(next(pieces))
        found = np.concatenate(held)
        held[:] = [found[n:]]
        return found[:n]

    return read


def _whole_rows(X: Any) -> Any:
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            "X must have two dimensions, with at least one row and one column; "
            f"got {tuple(X.shape)}"
        )
    if np.dtype(X.dtype).kind not in "fiub":
        raise TypeError(f"X must hold real numbers; got dtype {X.dtype}")
    if isinstance(X._meta, np.ma.MaskedArray):
        raise ValueError(
            "X is made of masked arrays, whose mask would be ignored; mark missing entries with "
            "NaN: X.map_blocks(lambda part: part.astype(float).filled(np.nan), dtype=float)"
        )
    if X.numblocks[1] > 1:
        warnings.warn(
            f"X has chunks of {X.chunks[1][0]} features, and a fit looks at whole rows: its parts "
            "are put together, which may move all data. X.rechunk({1: -1}) does so beforehand",
            UserWarning,
            stacklevel=2,
        )
        X = X.rechunk({1: -1})
    return X


def _values(frame: Any) -> Any:
    """Return the numbers of a data frame, whose missing ones may be of any kind."""
    kinds = frame.dtypes
    words = [str(name) for name, kind in kinds.items() if getattr(kind, "kind", "O") not in "fiub"]
    if words or not len(kinds):
        raise TypeError(
            f"X must have columns of numbers; {', '.join(words[:5])} are not. "
            "Leave them out, or turn them into numbers"
            if words
            else "X has no columns"
        )
    dtype = np.dtype(np.float32 if all(k == np.float32 for k in kinds) else np.float64)
    parts = frame.to_delayed()
    from dask import array, delayed

    number = delayed(_numbers, pure=True)
    blocks = [
        array.from_delayed(number(part, dtype), (np.nan, len(kinds)), dtype=dtype) for part in parts
    ]
    return array.concatenate(blocks, allow_unknown_chunksizes=True)


def _numbers(part: Any, dtype: Any) -> np.ndarray:
    found: np.ndarray = part.to_numpy(dtype=dtype, na_value=np.nan)
    return found


def _count(X: Any) -> int:
    return int(X.shape[0])


def _item(answers: Any, i: int) -> Any:
    return answers[i]


def _framed(answer: Any, frame: Any, dtype: Any) -> Any:
    """Return an answer of the shape of a frame with its index and its names."""
    from dask import dataframe, delayed

    meta = frame._meta.astype(dtype)
    parts = zip(answer.to_delayed().ravel(), frame.to_delayed(), strict=True)
    named = delayed(_with_names, pure=True)
    return dataframe.from_delayed(
        [named(values, part) for values, part in parts], meta=meta, divisions=frame.divisions
    )


def _with_names(values: np.ndarray, part: Any) -> Any:
    return type(part)(values, index=part.index, columns=part.columns)
