"""Passes over partitions: one task for each of them and pass, and a tree that adds up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import BlockFunction
from robustnmf._engines.dask import tasks
from robustnmf._engines.dask.data import Partitions, in_order, partitions_of
from robustnmf._engines.dask.lifeline import secure
from robustnmf._engines.dask.rows import Results, Rows
from robustnmf._engines.dask.running import Graph, Handle, ahead, unique
from robustnmf._engines.dask.tasks import Plan
from robustnmf._engines.memory import PASS_ENTRIES, MemoryEngine

# So many shares of the sums are merged by one task.
MERGED_AT_ONCE = 8


class EngineOutline(NamedTuple):
    """All of an engine that goes to a worker, if what is done to a block refers to one."""

    shape: tuple[int, int]
    dtype: Any


class DaskEngine:
    """Blocks of rows of a Dask array, and of all that goes with them.

    Data stay where Dask has them, and what is kept for the rows lies beside them. Only sums come to
    the client.

    Parameters
    ----------
    X : Partitions
        What `adopt` returned.
    weights : array, CSR matrix or source, n×m, or None
        The share in [0, 1] to which an entry counts; sent to where the partitions are.
    dtype : dtype
        The working precision, float32 or float64.
    exponent : int
        Blocks hold X·2^exponent.
    block_entries : int
        The most entries a block of X may have; a partition is worked on a block at a time.
    """

    def __init__(
        self,
        X: Partitions,
        weights: Any = None,
        *,
        dtype: Any = np.float64,
        exponent: int = 0,
        block_entries: int = PASS_ENTRIES,
    ) -> None:
        self.shape, self.dtype = X.shape, np.dtype(dtype)
        self._X, self._exponent = X, exponent
        self._block_entries = block_entries
        self._spans, self._runner = X.spans, X.runner
        # They are sent where the partitions are.
        self._weights = None if weights is None else self._placed(in_order(weights))

    answers_later = True

    @staticmethod
    def adopt(X: Any) -> Partitions | None:
        """Return arrays and data frames of Dask as partitions."""
        return partitions_of(X)

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block; see `Engine.map`."""
        return list(self.stream(function))

    def stream(self, function: BlockFunction, read: Sequence[Rows] = ()) -> Iterator[Any]:
        """Apply a function to every block, and give each result as it is wanted."""
        sources: list[Results] = []
        plan = self._plan(function, tuple(A.recipe(sources) for A in read))
        name, (shared, common) = unique("look"), self._shared(plan)

        def task(graph: Graph, turn: int) -> Any:
            graph |= common
            graph[name, turn] = (tasks.look, shared, *self._inputs(graph, turn, sources))
            return name, turn

        for blocks in ahead(self._runner, task, len(self._spans)):
            yield from blocks

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[Rows] = (),
        write: Sequence[Rows] = (),
    ) -> Any:
        """Merge what the function makes of the blocks; see `Engine.fold`.

        Shares of the sums are merged in the order of the rows, within a partition and then by a
        tree of tasks, so that nothing depends on who is done first.
        """
        secure(self._runner, self._X.live)
        sources: list[Results] = []
        recipes = tuple(A.recipe(sources) for A in read)
        # They are made on the way, and most will be read again.
        made = [A for A in dict.fromkeys(read) if A.is_derived and A not in write]
        plan = self._plan(
            function,
            recipes,
            merge=merge,
            writes=bool(write),
            kept=tuple(list(read).index(A) for A in made),
        )

        def task(graph: Graph, turn: int, shared: Any) -> tuple[Any, ...]:
            return (tasks.run_pass, shared, *self._inputs(graph, turn, sources))

        results, total = self._added_up("pass", plan, task, sources)
        for position, A in enumerate((*write, *made)):
            A.put(results, position)
        return total

    def keep(self, A: Any) -> Rows:
        """Take over an array of the rows; one that is kept already stays so."""
        if isinstance(A, Rows):
            return A
        return self._live(Rows.stored(self._placed(lambda rows: A[rows])))

    def make(self, function: Callable[[slice], Array]) -> Rows:
        """Return an array of the rows, of which the function gives some at a time, in order.

        What comes from random numbers is drawn where it is kept: each worker gets the function as
        it is when it is the turn of its rows, and here it draws, too, but only to go on.
        """
        if not self._runner.remote:
            return self._live(Rows.stored(self._placed(function)))
        graph: Graph = {}
        name, recipe, previous = unique("rows"), None, None
        for turn, (_, first, size) in enumerate(self._spans):
            now = _pickled(function)
            # What is the same after it was called draws nothing.
            if now != previous:
                recipe = unique("plan")
                graph[recipe] = (tasks.unpack, now)
                function(slice(first, first + size))
            previous = now
            graph[name, turn] = (tasks.drawn, recipe, first, size)
        return self._live(Rows.stored(Results(self._run(graph, name))))

    def take(self, A: Rows, rows: Array) -> Array:
        """Return some rows of an array, by their positions, in order."""
        sources: list[Results] = []
        shared, graph = self._shared(Plan(_same, (A.recipe(sources),)))

        def task(turn: int, here: Array) -> tuple[Any, ...]:
            return (tasks.pick, shared, here, *self._sources(graph, turn, sources))

        return self._picked(graph, rows, task)

    def room_for(self, A: Rows) -> Rows:
        """Return an array of the same kind, to be written."""
        return self._live(Rows())

    def combine(self, function: Callable[..., Array], *arrays: Rows) -> Rows:
        """Apply a function to arrays of the rows; it is done when somebody reads the result."""
        return self._live(Rows.derived(function, arrays))

    def sum_rows(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *arrays: Rows
    ) -> Any:
        """Merge what a function makes of arrays of the rows."""
        sources: list[Results] = []
        plan = Plan(function, tuple(A.recipe(sources) for A in arrays), merge)

        def task(graph: Graph, turn: int, shared: Any) -> tuple[Any, ...]:
            return (tasks.run_rows, shared, *self._sources(graph, turn, sources))

        return self._added_up("rows", plan, task, sources)[1]

    def collect(self, A: Rows) -> Array:
        """Return an array of the rows in memory."""
        return self.take(A, np.arange(self.shape[0]))

    def beside(self, A: Array) -> Array:
        """Return an array that all rows share; it goes to workers as it is."""
        return A

    def sample(self, rows: Array) -> MemoryEngine:
        """Return some of the rows, by their positions, in memory."""
        graph: Graph = {}

        def task(turn: int, here: Array) -> tuple[Any, ...]:
            return (tasks.pick_data, self._X.add(graph, self._spans[turn][0]), here)

        found = self._picked(graph, rows, task)
        weights = None if self._weights is None else self.take(Rows.stored(self._weights), rows)
        return MemoryEngine(found, weights, dtype=self.dtype, exponent=self._exponent)

    def __reduce__(self) -> Any:
        return EngineOutline, (self.shape, self.dtype)

    def _live(self, A: Rows) -> Rows:
        self._X.live.add(A)
        return A

    def _plan(self, function: Callable[..., Any], reads: tuple[Any, ...], **more: Any) -> Plan:
        own = {"dtype": self.dtype, "exponent": self._exponent}
        return Plan(function, reads, block_entries=self._block_entries, **own, **more)

    def _shared(self, plan: Plan) -> tuple[Any, Graph]:
        """Return a graph with a plan, which each worker gets once, and its name there."""
        name = unique("plan")
        return name, {name: (tasks.unpack, _pickled(plan))}

    def _inputs(self, graph: Graph, turn: int, sources: Sequence[Results]) -> tuple[Any, ...]:
        """Let a graph have a partition and what goes with it; return their names there."""
        partition, first, size = self._spans[turn]
        X, weights = self._X.add(graph, partition), None
        if self._weights is not None:
            (weights,) = self._sources(graph, turn, [self._weights])
        return first, size, X, weights, *self._sources(graph, turn, sources)

    def _sources(self, graph: Graph, turn: int, sources: Sequence[Results]) -> list[Any]:
        add = self._runner.add
        return [add(graph, S.handles[turn], ("robustnmf-kept", id(S), turn)) for S in sources]

    def _added_up(
        self,
        what: str,
        plan: Plan,
        task: Callable[[Graph, int, Any], tuple[Any, ...]],
        sources: Sequence[Results],
    ) -> tuple[Results, Any]:
        """Run a task for each partition; return what they leave, and the sums over all of them."""
        shared, graph = self._shared(plan)
        name, total = unique(what), unique("sum")
        for turn in range(len(self._spans)):
            graph[name, turn] = task(graph, turn, shared)
        keys: list[Any] = [(name, turn) for turn in range(len(self._spans))]
        level, shares = 0, [*keys]
        if self._runner.remote and (plan.writes or plan.kept):
            # What is merged elsewhere is sent there, and rows are much larger than their sums.
            share = unique("share")
            shares = [(share, turn) for turn in range(len(keys))]
            graph |= {to: (tasks.share_of, done) for to, done in zip(shares, keys, strict=True)}
        while level == 0 or len(shares) > 1:
            groups = [shares[i : i + MERGED_AT_ONCE] for i in range(0, len(shares), MERGED_AT_ONCE)]
            shares = [(total, level, i) for i in range(len(groups))]
            graph |= {
                key: (tasks.add_up, shared, group)
                for key, group in zip(shares, groups, strict=True)
            }
            level += 1
        *handles, top = self._runner.run(graph, [*keys, *shares])
        (done,) = self._runner.values([top])
        return Results.after(sources, handles), done.sums

    def _placed(self, function: Callable[[slice], Array]) -> Results:
        """Put an array of the rows where the partitions are."""
        graph: Graph = {}
        name = unique("rows")
        for turn, (_, first, size) in enumerate(self._spans):
            part = np.ascontiguousarray(function(slice(first, first + size)))
            graph[name, turn] = (tasks.hold, part)
        return Results(self._run(graph, name))

    def _run(self, graph: Graph, name: str) -> list[Handle]:
        return self._runner.run(graph, [(name, turn) for turn in range(len(self._spans))])

    def _picked(
        self, graph: Graph, rows: Array, task: Callable[[int, Array], tuple[Any, ...]]
    ) -> Array:
        """Return rows by their positions, which are in order, from the partitions they are in."""
        name, keys = unique("take"), []
        for turn, (_, first, size) in enumerate(self._spans):
            here = rows[slice(*np.searchsorted(rows, (first, first + size)))] - first
            if len(here):
                graph[name, turn] = task(turn, here)
                keys.append((name, turn))
        return np.concatenate(self._runner.values(self._runner.run(graph, keys)))


def _pickled(plan: Any) -> bytes:
    import cloudpickle

    found: bytes = cloudpickle.dumps(plan)
    return found


def _same(A: Array) -> Array:
    return A
