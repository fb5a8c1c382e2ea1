"""How many threads work on blocks, and keeping BLAS from fighting them over the cores."""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController

S = TypeVar("S")
T = TypeVar("T")


def thread_count() -> int:
    """Return how many threads may run: the cores of this process, or OMP_NUM_THREADS if less.

    Process pools (joblib's among them) set OMP_NUM_THREADS in their workers, so nested work does
    not take more cores than there are.
    """
    cores = _granted_cores()
    if hasattr(os, "sched_getaffinity"):  # which may change at any time, and costs nothing
        cores = min(cores, len(os.sched_getaffinity(0)))
    limit = os.environ.get("OMP_NUM_THREADS", "")
    return max(1, min(cores, int(limit))) if limit.isdigit() else cores


@functools.cache
def _granted_cores() -> int:
    # What the container allows is read from files: as long as ten passes over the smallest data.
    return int(joblib.cpu_count())


_this_thread = threading.local()


@functools.cache
def _pool(workers: int) -> ThreadPoolExecutor:
    # Kept for the life of the process: starting threads anew for every pass would cost more than
    # a pass over small data.
    return ThreadPoolExecutor(workers, "robustnmf", initializer=_mark_as_pooled)


def _mark_as_pooled() -> None:
    _this_thread.pooled = True


class _SingleThreadedBlas:
    """Holds BLAS to one thread while anybody asks for it; the last to leave restores it.

    The limit is one of the whole process, so fits that run at the same time must share it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        # What another thread has been asked to set, and what this one has.
        self._asked: Future[Any] | None = None
        self._nested: Any = None
        # Limits that the parent of a forked process had set when it was forked.
        self._inherited: list[Any] = []

    def __enter__(self) -> None:
        with self._lock:
            if self._users == 0:
                for limit in self._inherited:
                    limit.restore_original_limits()
                self._inherited = []
                try:
                    self._take()
                except BaseException:
                    # Ctrl-C: whoever wanted in is not in, and will not come out.
                    self._lift()
                    raise
            self._users += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if self._users == 0:
                # Entered in the parent, before this process was forked.
                return
            self._users -= 1
            if self._users == 0:
                self._lift()

    def _take(self) -> None:
        # To ask another thread takes as long as some passes over small data.
        if _blas_threads() > 1:
            self._asked = _keeper().submit(_limit_blas)
            wait([self._asked])
        # Inside a limit that the caller set itself, no other thread is heard.
        if _blas_threads() > 1:
            self._nested = _limit_blas()

    def _lift(self) -> None:
        nested, asked, self._nested, self._asked = self._nested, self._asked, None, None
        if nested is not None:
            nested.__exit__(None, None, None)
        if asked is not None:
            wait([_keeper().submit(lambda: asked.result().__exit__(None, None, None))])

    def before_fork(self) -> None:
        """Wait until no thread is half in or out, and let none begin."""
        self._lock.acquire()

    def after_fork_in_parent(self) -> None:
        """Let the threads go on."""
        self._lock.release()

    def after_fork_in_child(self) -> None:
        """Begin anew: whoever held the limit is gone, and so is whoever would release the lock."""
        self._lock = threading.Lock()
        if self._users:
            limits = self._nested, None if self._asked is None else self._asked.result()
            self._inherited = [limit for limit in limits if limit is not None]
        self._nested = self._asked = None
        self._users = 0


@functools.cache
def _keeper() -> ThreadPoolExecutor:
    # Only the thread that set a limit may lift it, and the first fit to begin need not be the last
    # to end. So one thread does both for all.
    return ThreadPoolExecutor(1, thread_name_prefix="robustnmf-blas")


def _limit_blas() -> Any:
    limit = _blas(len(sys.modules)).limit(limits=1)
    limit.__enter__()
    return limit


def _blas_threads() -> int:
    libraries = _blas(len(sys.modules)).lib_controllers
    return max((library.num_threads for library in libraries), default=1)


@functools.lru_cache(maxsize=1)
def _blas(n_modules: int) -> ThreadpoolController:
    # To look for libraries takes longer than a pass over small data, so it is done again only when
    # modules have been imported since, which may have brought a BLAS along.
    return ThreadpoolController().select(user_api="blas")


# Blocks are the unit of parallel work. One thread in BLAS also makes results independent of the
# number of cores, since how a product is split among threads decides the order of its sums.
single_threaded_blas = _SingleThreadedBlas()


class _Alone:
    """Lets this thread do all of its work itself: somebody else has threads for other work."""

    def __enter__(self) -> None:
        before = getattr(_this_thread, "before", [])
        now = (getattr(_this_thread, "streams", False), getattr(_this_thread, "pooled", False))
        _this_thread.before = [*before, now]
        _this_thread.streams = _this_thread.pooled = True
        single_threaded_blas.__enter__()

    def __exit__(self, *error: object) -> None:
        single_threaded_blas.__exit__(*error)
        *_this_thread.before, (_this_thread.streams, _this_thread.pooled) = _this_thread.before


alone = _Alone()


def ordered_map(function: Callable[[S], T], items: Sequence[S]) -> list[T]:
    """Apply a function on threads; results come back in the order of the items.

    The calling thread works, too: over small data, waking one thread less is worth it. Within
    `ordered_stream` it works alone: the others have items of their own, and what waited for them
    would keep its data in memory.
    """
    if len(items) == 1 or getattr(_this_thread, "streams", False):
        with single_threaded_blas:
            return [function(item) for item in items]
    results: dict[int, T] = {}
    turns = iter(range(len(items)))

    def work() -> None:
        try:
            for turn in turns:
                results[turn] = function(items[turn])
        except BaseException:
            # Nobody begins another item.
            deque(turns, maxlen=0)
            raise

    others = min(thread_count(), len(items)) - 1
    with single_threaded_blas:
        helpers = [_pool(thread_count()).submit(work) for _ in range(others)]
        try:
            work()
            # One that has not begun by now need not begin at all.
            begun = [helper for helper in helpers if not helper.cancel()]
            wait(begun)
        except BaseException:
            # Ctrl-C may have come while only the others were at work.
            wait([helper for helper in helpers if not helper.cancel()])
            raise
        for helper in begun:
            helper.result()
    return [results[turn] for turn in range(len(items))]


def ordered_stream(function: Callable[[S], T], items: Sequence[S]) -> Iterator[T]:
    """Apply a function on threads, and yield the results in the order of the items.

    Only a few results are made ahead of the one that is wanted, for they take memory.
    """
    workers = min(thread_count(), len(items))
    if workers <= 1:
        with single_threaded_blas:
            yield from map(function, items)
    else:
        yield from _ahead(function, items, workers)


def read_stream(function: Callable[[S], T], items: Iterator[S]) -> Iterator[T]:
    """Do the same with items that take time to come: while they do, threads work on others."""
    yield from _ahead(function, items, thread_count())


def _ahead(function: Callable[[S], T], items: Iterable[S], workers: int) -> Iterator[T]:
    def alone(item: S) -> T:
        _this_thread.streams = True
        try:
            return function(item)
        finally:
            _this_thread.streams = False

    ahead: deque[Future[T]] = deque()
    with single_threaded_blas:
        if getattr(_this_thread, "pooled", False):
            # All threads of the pool might come to wait here for a thread of the pool.
            yield from map(function, items)
            return
        try:
            for item in items:
                ahead.append(_pool(thread_count()).submit(alone, item))
                if len(ahead) > 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            wait([future for future in ahead if not future.cancel()])


@contextmanager
def closed_after(blocks: Iterable[T]) -> Iterator[Iterable[T]]:
    """Close what gives blocks when the body ends, however it does.

    An exception remembers where it came from, and so would keep alive what reads ahead, and the
    limit on BLAS with it.

    Examples
    --------
    >>> def blocks():
    ...     try:
    ...         yield from "ab"
    ...     finally:
    ...         print("closed")
    >>> with closed_after(blocks()) as found:
    ...     next(found)
    'a'
    closed
    """
    try:
        yield blocks
    finally:
        close = getattr(blocks, "close", None)
        if close is not None:
            close()


def read_ahead(items: Iterator[T]) -> Iterator[T]:
    """Give the same items; the next one is fetched, by another thread, while one is worked on.

    Examples
    --------
    >>> list(read_ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end: Any = object()
    with (
        closed_after(items),
        ThreadPoolExecutor(1, thread_name_prefix="robustnmf-read") as reader,
    ):
        coming = reader.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = reader.submit(next, items, end)
            yield item


# After a fork the threads of the parent are gone, and a child must not wait for them.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)
    os.register_at_fork(after_in_child=_keeper.cache_clear)
    os.register_at_fork(
        before=single_threaded_blas.before_fork,
        after_in_parent=single_threaded_blas.after_fork_in_parent,
        after_in_child=single_threaded_blas.after_fork_in_child,
    )
