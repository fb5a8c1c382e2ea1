"""What an engine is: where the rows live, and all that belongs to them.

An engine owns the data, their weights, and whatever a solver keeps for each row (its W, its
threshold). A solver never holds an array with one entry a row: it asks the engine for passes over
the rows, which read and write such arrays block by block, and gets sums back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeAlias

from robustnmf._common.arrays import Array

RowArray: TypeAlias = Any
"""An array with one row for each sample, wherever the engine keeps it.

Only the engine that made it, and others of the same data, know what it is. All others hand it back.
"""


BlockFunction: TypeAlias = Callable[..., Any]
"""What is done to one block: ``function(rows, X, weights, *kept)``.

It is given the positions of its rows, their data, their weights or None, and what the engine keeps
for them if that was asked for; it returns whatever is to be collected from the block.
"""


class Engine(Protocol):
    """Rows, handed over block by block."""

    shape: tuple[int, int]
    dtype: Any

    def map(self, function: BlockFunction) -> list[Any]:
        """Apply a function to every block and return the results in the order of the rows."""

    def stream(self, function: BlockFunction, read: Sequence[RowArray] = ()) -> Iterator[Any]:
        """Do the same, giving each result as it is wanted; the blocks of `read` come along."""

    def fold(
        self,
        function: BlockFunction,
        merge: Callable[[Any, Any], Any],
        *,
        read: Sequence[RowArray] = (),
        write: Sequence[RowArray] = (),
    ) -> Any:
        """Do one pass: merge what the function makes of the blocks, in the order of the rows.

        The blocks of `read` come along with the data. With `write`, the function returns a tuple:
        the block's share of the sums, and what is to be put into each of these arrays. An array
        may be both read and written.
        """

    def sample(self, rows: Array) -> Engine:
        """Return the rows at these positions as data of their own."""

    def keep(self, A: Any) -> RowArray:
        """Take over an array with one row for each sample; one that is kept already stays so.

        It may lie elsewhere: then it gives rows for slices of them, and need not fit into memory.
        """

    def make(self, function: Callable[[slice], Array]) -> RowArray:
        """Return an array of the rows, of which the function gives some at a time, in order.

        Where rows lie elsewhere, it is sent there as it is when their turn has come.
        """

    def take(self, A: RowArray, rows: Array) -> Array:
        """Return some rows of such an array, by their positions."""

    def room_for(self, A: RowArray) -> RowArray:
        """Return an array of the same kind, to be written; what it holds is not said."""

    def combine(self, function: Callable[..., Array], *arrays: RowArray) -> RowArray:
        """Return what a function makes of arrays of the rows; each row by itself.

        An engine may leave that until somebody reads it, and do it more than once.
        """

    def sum_rows(
        self, function: Callable[..., Any], merge: Callable[[Any, Any], Any], *arrays: RowArray
    ) -> Any:
        """Merge what a function makes of arrays of the rows, some rows at a time; no data."""

    def collect(self, A: RowArray) -> Array:
        """Return an array of the rows as a NumPy array."""

    def beside(self, A: Array) -> Array:
        """Return an array that all rows share as blocks of rows are: of their kind, where they are.

        Functions of blocks work with it.
        """


class DataEngine(Engine, Protocol):
    """An engine for data that are no arrays in memory, and how to tell them.

    If a class has an attribute ``answers_later`` that is true, answers about its data are computed
    when somebody asks for their values: the data have a method ``lazily`` for that, as
    `robustnmf._engines.dask.data.Partitions` does.
    """

    def __init__(
        self,
        X: Any,
        weights: Any = None,
        *,
        dtype: Any,
        exponent: int = 0,
        block_entries: int = ...,
    ) -> None:
        """Take what `adopt` returned, and all else as `engine_for` says."""

    @staticmethod
    def adopt(X: Any) -> Any:
        """Return what a user gave as data of this engine, or None if it is something else.

        Data have a ``shape`` of two numbers above 0 and a ``dtype`` of real numbers, and, if their
        features have names, a ``header``: a frame without rows that has them. Whoever gave
        something that looks like it but is not is told so here, by a `ValueError` or `TypeError`.
        Values are checked later, block by block. What was adopted is adopted again as it is.
        Where features have names, data have a ``header``: a frame without rows that has them.
        """
