"""Who runs the tasks: a scheduler in this process, or a cluster."""

from __future__ import annotations

import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Protocol, TypeAlias

from robustnmf._engines.threads import thread_count

Handle: TypeAlias = Any
"""What a task left: the thing itself, or a future of it on a cluster."""
Graph: TypeAlias = dict[Any, Any]


class Runner(Protocol):
    """Runs graphs, and keeps results where they are made."""

    remote: bool
    """Whether results lie elsewhere, and a task that is lost is done again."""
    width: int
    """How many tasks run at a time."""

    def run(self, graph: Graph, keys: Sequence[Any]) -> list[Handle]:
        """Begin with the tasks, and return what they leave, where it is made."""

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return what tasks left, here."""

    def add(self, graph: Graph, handle: Handle, key: Any) -> Any:
        """Let a graph have what a task left; return its name there."""


class Local:
    """A scheduler of Dask that returns what tasks leave: threads, processes, or none."""

    remote = False

    def __init__(self, get: Callable[..., Any]) -> None:
        self._get = get
        self.width = thread_count()
        self._options: dict[str, Any] = {}
        # Results of other processes come back to this one, and would go there for every pass.
        self.shares_memory = "multiprocessing" not in getattr(get, "__module__", "")
        if not self.shares_memory:
            pool = _processes()
            if pool is not None:
                self._options["pool"] = pool
                weakref.finalize(self, pool.shutdown, wait=False)

    def run(self, graph: Graph, keys: Sequence[Any]) -> list[Handle]:
        """Do the tasks."""
        return list(self._get(graph, list(keys), **self._options))

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Return what is here already."""
        return list(handles)

    def add(self, graph: Graph, handle: Handle, key: Any) -> Any:
        """Put it there under this name."""
        graph[key] = handle
        return key


class Remote:
    """A `distributed.Client`."""

    remote = True

    def __init__(self, client: Any) -> None:
        self.client = client
        self.width = max(1, sum(client.nthreads().values()))

    def run(self, graph: Graph, keys: Sequence[Any]) -> list[Handle]:
        """Send the tasks, and return futures."""
        import dask

        # The rows that a client gives of a start are in the graph, so that they are not lost with
        # a worker. The advice to scatter them is for others.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):
            return list(self.client.get(graph, list(keys), sync=False))

    def values(self, handles: Sequence[Handle]) -> list[Any]:
        """Fetch what tasks left."""
        return list(self.client.gather(list(handles)))

    def add(self, graph: Graph, handle: Handle, key: Any) -> Any:
        """Put the future there, under its own name."""
        graph[handle.key] = handle
        return handle.key


def _processes() -> Any:
    """Return processes that serve all passes; None where the caller has set how they are made.

    Dask would start them anew for each.
    """
    import dask
    from dask import multiprocessing

    if dask.config.get("pool", None) or dask.config.get("multiprocessing.initializer", None):
        return None
    return ProcessPoolExecutor(
        dask.config.get("num_workers", None) or thread_count(),
        mp_context=multiprocessing.get_context(),
        initializer=multiprocessing.initialize_worker_process,
    )


def runner_for(collection: Any) -> Local | Remote:
    """Return who computes a collection, as its owner has set it."""
    from dask.base import get_scheduler

    get = get_scheduler(collections=[collection])
    owner = getattr(get, "__self__", None)
    return Remote(owner) if hasattr(owner, "scheduler_info") else Local(get)


def unique(what: str) -> str:
    """Return a name for tasks; a dashboard shows what comes before the number."""
    return f"robustnmf-{what}-{uuid.uuid4().hex}"


def ahead(runner: Runner, add: Callable[[Graph, int], Any], n: int) -> Iterator[Any]:
    """Give the results of n tasks in their order; some more are begun before they are wanted.

    `add` puts a task into a graph and returns its name there.
    """

    def begin(turns: Iterable[int]) -> list[Handle]:
        graph: Graph = {}
        keys = [add(graph, turn) for turn in turns]
        return runner.run(graph, keys)

    step = 2 * runner.width
    turns = [range(first, min(first + step, n)) for first in range(0, n, step)]
    waiting = begin(turns[0])
    for i in range(len(turns)):
        now = waiting
        # Where results lie elsewhere, the next ones are made while these are fetched.
        waiting = begin(turns[i + 1]) if runner.remote and i + 1 < len(turns) else []
        yield from runner.values(now)
        if not runner.remote and i + 1 < len(turns):
            del now
            waiting = begin(turns[i + 1])
