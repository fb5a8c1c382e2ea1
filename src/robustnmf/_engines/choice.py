"""Which engine serves which kind of data: the one place that knows them all.

Arrays and sparse matrices in memory, and whatever can be made one, are for `MemoryEngine`; what is
read in order, a part at a time, is for `StreamEngine`; what lies in partitions of Dask, for
`DaskEngine`; arrays of PyTorch, CuPy, JAX and other packages of the array API, for `DeviceEngine`.
"""

from __future__ import annotations

from typing import Any

from robustnmf._core.engine import DataEngine, Engine
from robustnmf._engines.dask import DaskEngine
from robustnmf._engines.device import DeviceEngine
from robustnmf._engines.masked import MaskedEngine, Unflagged
from robustnmf._engines.memory import MemoryEngine
from robustnmf._engines.stream import StreamEngine

# The engines of all other data; the first that adopts them serves them.
ENGINES: list[type[DataEngine]] = [DaskEngine, StreamEngine, DeviceEngine]


def adopted(X: Any) -> Any:
    """Return data that have an engine of their own as that engine takes them.

    Parameters
    ----------
    X : object
        What a user gave.

    Returns
    -------
    object with `shape` and `dtype`, or None
        None for all that is, or is to be made, an array or sparse matrix in memory.

    Examples
    --------
    >>> adopted([[1.0, 2.0], [3.0, 4.0]]) is None
    True
    """
    found = _own_engine(X)
    return None if found is None else found[1]


def answered_later(X: Any) -> Any:
    """Return data about which answers are to be computed when somebody asks for their values.

    Parameters
    ----------
    X : object
        What a user gave.

    Returns
    -------
    object with a method `lazily`, or None
        As `adopted` returns them; None for all other data.
    """
    for engine in ENGINES:
        if getattr(engine, "answers_later", False):
            data = engine.adopt(X)
            if data is not None:
                return data
    return None


def _own_engine(X: Any) -> tuple[type[DataEngine], Any] | None:
    for engine in ENGINES:
        data = engine.adopt(X)
        if data is not None:
            return engine, data
    return None


def engine_for(
    X: Any,
    weights: Any = None,
    *,
    dtype: Any = None,
    exponent: int = 0,
    block_entries: int | None = None,
) -> Engine:
    """Return the engine for some data.

    Parameters
    ----------
    X : n×m
        An array, memory-mapped or not, a CSR matrix, or what `adopted` returned. NaN marks a
        missing entry.
    weights : n×m, Unflagged or None
        The share in [0, 1] to which an entry counts.
    dtype : dtype, optional
        The working precision, float32 or float64; by default that of X.
    exponent : int
        Blocks hold X·2^exponent. A power of two changes no digits.
    block_entries : int, optional
        The most entries a block of X may have; by default what suits the engine.

    Returns
    -------
    Engine
    """
    if isinstance(weights, Unflagged):
        data = engine_for(X, dtype=dtype, exponent=exponent, block_entries=block_entries)
        return MaskedEngine(data, weights.flags)
    size = {} if block_entries is None else {"block_entries": block_entries}
    engine, rows = _own_engine(X) or (MemoryEngine, X)
    work = rows.dtype if dtype is None else dtype
    return engine(rows, weights, dtype=work, exponent=exponent, **size)
