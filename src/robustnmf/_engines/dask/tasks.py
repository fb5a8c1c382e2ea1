"""What is done to a partition, by whichever worker has it.

These functions are named in graphs, so they are plain functions of a module, and get only what is
small (a `Plan`), a partition of the data, and what is kept for its rows.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._engines.memory import default_block_rows, dense_rows
from robustnmf._engines.threads import alone


class Done:
    """What a task leaves: its share of the sums, and arrays of the rows of its partition.

    No tuple, for graphs look for tasks in those.
    """

    __slots__ = ("rows", "sums")

    def __init__(self, sums: Any = None, rows: tuple[Array, ...] = ()) -> None:
        self.sums, self.rows = sums, rows

    def __sizeof__(self) -> int:
        # By this a cluster judges whether to move it, and when memory is full.
        return object.__sizeof__(self) + sum(A.nbytes for A in self.rows) + _size(self.sums)


class Stored(NamedTuple):
    """An array of the rows that some task left."""

    source: int
    """Which of the tasks it is that were handed over, ..."""
    position: int
    """... and which of its arrays."""


class Derived(NamedTuple):
    """An array of the rows that is made of others whenever it is wanted."""

    function: Callable[..., Array]
    inputs: tuple[Recipe, ...]


Recipe: TypeAlias = Stored | Derived


class Plan(NamedTuple):
    """What is to be done to all partitions alike; the same object for all that a worker does."""

    function: Callable[..., Any]
    reads: tuple[Recipe, ...] = ()
    """The arrays of the rows that the function is given."""
    merge: Callable[[Any, Any], Any] | None = None
    writes: bool = False
    """Whether it returns arrays of the rows beside the sums."""
    kept: tuple[int, ...] = ()
    """Which of `reads` are to be left, because until now they were only derived."""
    dtype: Any = None
    exponent: int = 0
    block_entries: int = 1


def unpack(plan: bytes) -> Any:
    """Return what was sent to the workers, once for each of them."""
    return pickle.loads(plan)


def hold(rows: Array) -> Done:
    """Leave an array of the rows that the client gave."""
    return Done(rows=(rows,))


def drawn(recipe: Callable[[slice], Array], first: int, size: int) -> Done:
    """Leave an array of the rows that a function makes."""
    return Done(rows=(recipe(slice(first, first + size)),))


def run_pass(
    plan: Plan, first: int, size: int, X: Any, weights: Done | None, *sources: Done
) -> Done:
    """Do a pass over a partition: merge what the function makes of its blocks."""
    with alone:
        kept = _arrays(plan, sources)
        total, written = None, []
        for i, block in enumerate(_blocks(plan, first, size, X, weights, kept)):
            found = plan.function(*block)
            if plan.writes:
                found, *new = found
                written.append(new)
            assert plan.merge is not None
            total = found if i == 0 else plan.merge(total, found)
        new = [A[0] if len(A) == 1 else np.concatenate(A) for A in zip(*written, strict=True)]
        return Done(total, (*new, *(kept[i] for i in plan.kept)))


def look(
    plan: Plan, first: int, size: int, X: Any, weights: Done | None, *sources: Done
) -> list[Any]:
    """Return what the function makes of each block of a partition."""
    with alone:
        kept = _arrays(plan, sources)
        return [plan.function(*block) for block in _blocks(plan, first, size, X, weights, kept)]


def run_rows(plan: Plan, *sources: Done) -> Done:
    """Do something to arrays of the rows alone."""
    with alone:
        return Done(plan.function(*_arrays(plan, sources)))


def pick(plan: Plan, here: Array, *sources: Done) -> Array:
    """Return some rows of an array of the rows."""
    (A,) = _arrays(plan, sources)
    return A[here]


def pick_data(X: Any, here: Array) -> Array:
    """Return some rows of a partition as they are."""
    return dense(_sliceable(X)[here])


def share_of(done: Done) -> Done:
    """Return the sums alone, so that no rows travel with them."""
    return Done(done.sums)


def add_up(plan: Plan, shares: Sequence[Done]) -> Done:
    """Merge shares of the sums, in the order of the rows."""
    assert plan.merge is not None
    first, *others = (share.sums for share in shares)
    # Merging may write into the first, which its task may be asked for again.
    return Done(reduce(plan.merge, others, copy.deepcopy(first)))


def _arrays(plan: Plan, sources: Sequence[Done]) -> list[Array]:
    return [_array(recipe, sources) for recipe in plan.reads]


def _array(recipe: Recipe, sources: Sequence[Done]) -> Array:
    if isinstance(recipe, Stored):
        return sources[recipe.source].rows[recipe.position]
    # Copies: the function may overwrite what it is given, and others may want that, too.
    return recipe.function(*(np.copy(_array(part, sources)) for part in recipe.inputs))


def _blocks(
    plan: Plan, first: int, size: int, X: Any, weights: Done | None, kept: Sequence[Array]
) -> Any:
    """Give what a `BlockFunction` is given, for each block of a partition."""
    X = _sliceable(X)
    if X.shape[0] != size:
        raise ValueError(
            f"X: the partition that begins with row {first} has {X.shape[0]} rows, and its chunks "
            f"say {size}; call X.compute_chunk_sizes(), or make the array with the right chunks"
        )
    step = default_block_rows(size, X.shape[1], plan.block_entries)
    for start in range(0, size, step):
        rows = slice(start, min(start + step, size))
        block = dense_rows(X, rows, plan.dtype)
        if plan.exponent:
            block = np.ldexp(block, plan.exponent)
        q = None if weights is None else dense_rows(weights.rows[0], rows, plan.dtype)
        yield (
            slice(first + rows.start, first + rows.stop),
            _writable(block),
            q,
            *(_writable(A[rows]) for A in kept),
        )


def _writable(A: Array) -> Array:
    # What came from another machine may be read-only, for which kernels would be compiled again.
    return A if A.flags.writeable else A.copy()


def _size(sums: Any) -> int:
    parts = sums if isinstance(sums, tuple) else (sums,)
    return sum(int(getattr(part, "nbytes", 8)) for part in parts)


def _sliceable(X: Any) -> Any:
    return X.tocsr() if sparse.issparse(X) else X


def dense(X: Any) -> Array:
    """Return rows as an array."""
    return X.toarray() if sparse.issparse(X) else np.asarray(X)
