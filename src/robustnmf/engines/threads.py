"""How many threads work on blocks, and keeping BLAS from fighting them over the cores."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import joblib
from threadpoolctl import ThreadpoolController

T = TypeVar("T")


def thread_count() -> int:
    """Return how many threads may run: the cores of this process, or OMP_NUM_THREADS if less.

    Process pools (joblib's among them) set OMP_NUM_THREADS in their workers, so nested work does
    not take more cores than there are.
    """
    cores = joblib.cpu_count()
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores, int(limit))) if limit.isdigit() else cores


@functools.cache
def _controller() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread: blocks are the unit of parallel work.

    It also makes results independent of the number of cores, since how a product is split among
    threads decides the order of its sums.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


def ordered_map(function: Callable[[int], T], items: Sequence[int]) -> list[T]:
    """Apply a function on threads; results come back in the order of the items."""
    workers = min(thread_count(), len(items))
    with single_threaded_blas():
        if workers <= 1:
            return [function(item) for item in items]
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(function, items))
