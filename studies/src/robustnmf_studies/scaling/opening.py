"""Data as each engine takes them, and all processes that have a part in a fit."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from robustnmf._common.optional import import_extra
from robustnmf._engines import kept, sources
from robustnmf_studies.scaling.data import rows_of
from robustnmf_studies.scaling.settings import ENGINES, UNIT, Case

T = TypeVar("T")

# Rows that are drawn at a time where they are written somewhere.
_STEP = 16 * UNIT


@dataclass
class Place:
    """Where the data of a case are to lie."""

    data: Callable[[], Any]
    """Gives the data to fit; what they are read from is there already."""
    small: Any
    """Some rows that are handed over in the same way, to load all that is needed."""
    everywhere: Callable[[Callable[[], T]], list[T]]
    """Calls a function in each process, this one first."""


def opened(case: Case, folder: Path) -> AbstractContextManager[Place]:
    """Open the place for a case; files go into the folder."""
    return KINDS[ENGINES[case.engine].kind](case, folder)


def _here(function: Callable[[], T]) -> list[T]:
    return [function()]


def _rows(case: Case, first: int, n: int) -> np.ndarray:
    return rows_of(first, n, case.m, case.k, case.seed)


def _fill(case: Case, array: Any) -> None:
    for first in range(0, case.n, _STEP):
        n = min(_STEP, case.n - first)
        array[first : first + n] = _rows(case, first, n)


def _as_if_large() -> None:
    """Let data be read, and what is kept for the rows be in files, however small they are.

    That is what is measured; data that need it would take too long.
    """
    sources.MAPPED_BYTES = 1
    kept.IN_MEMORY = 0


@contextmanager
def _memory(case: Case, folder: Path) -> Iterator[Place]:
    def data() -> np.ndarray:
        X = np.empty((case.n, case.m), np.float32)
        _fill(case, X)
        return X

    yield Place(data, _rows(case, 0, UNIT), _here)


@contextmanager
def _file(case: Case, folder: Path) -> Iterator[Place]:
    _as_if_large()
    path = folder / "x.npy"
    X = np.lib.format.open_memmap(path, "w+", dtype=np.float32, shape=(case.n, case.m))
    _fill(case, X)
    X.flush()
    del X
    yield Place(functools.partial(np.load, path, mmap_mode="r"), [_rows(case, 0, UNIT)], _here)


@contextmanager
def _zarr(case: Case, folder: Path) -> Iterator[Place]:
    zarr = import_extra("zarr", "tables", "the measurement needs")
    _as_if_large()
    path = folder / "x.zarr"
    # A chunk of a megabyte; real numbers of this kind hardly get smaller by packing.
    chunks = (max(1, 2**18 // case.m), case.m)
    shape = (case.n, case.m)
    _fill(case, zarr.create_array(path, shape=shape, dtype="f4", chunks=chunks, compressors=None))
    yield Place(functools.partial(zarr.open_array, path, mode="r"), [_rows(case, 0, UNIT)], _here)


def _partitions(case: Case, n: int, part: int) -> Any:
    """Return rows as a Dask array, each partition drawn where it will lie."""
    array = import_extra("dask.array", "dask", "the measurement needs")
    from dask import delayed

    draw = delayed(rows_of, pure=True)
    return array.concatenate(
        [
            array.from_delayed(
                draw(first, min(part, n - first), case.m, case.k, case.seed),
                (min(part, n - first), case.m),
                dtype=np.float32,
            )
            for first in range(0, n, part)
        ]
    )


@contextmanager
def _threads(case: Case, folder: Path) -> Iterator[Place]:
    import dask

    with dask.config.set(scheduler="threads", num_workers=ENGINES[case.engine].cores):
        yield Place(
            lambda: _partitions(case, case.n, case.part).persist(),
            _partitions(case, 4 * UNIT, UNIT),
            _here,
        )


@contextmanager
def _cluster(case: Case, folder: Path) -> Iterator[Place]:
    distributed = import_extra("distributed", "dask", "the measurement needs")

    with (
        distributed.LocalCluster(
            n_workers=ENGINES[case.engine].cores,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
            local_directory=str(folder),
        ) as cluster,
        distributed.Client(cluster) as client,
    ):

        def data() -> Any:
            X = _partitions(case, case.n, case.part).persist()
            distributed.wait(X)
            return X

        def everywhere(function: Callable[[], T]) -> list[T]:
            return [function(), *client.run(function).values()]

        yield Place(data, _partitions(case, 4 * UNIT, UNIT), everywhere)


KINDS: Mapping[str, Callable[[Case, Path], AbstractContextManager[Place]]] = {
    "memory": _memory,
    "file": _file,
    "zarr": _zarr,
    "threads": _threads,
    "cluster": _cluster,
}
