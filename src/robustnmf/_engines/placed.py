"""Arrays of other packages than NumPy, as a user gave them, and how they are told.

PyTorch, CuPy, JAX and all others of the array API. They stay where they are: on their device.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import array_api_compat
import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import Place, on_host

# Of these one number has half the digits that a sum needs: blocks of them are made float32.
_HALF = ("float16", "bfloat16")


class Placed:
    """An array of another package: n rows of m features, on a device.

    Parameters
    ----------
    array : array, n×m
        Of real numbers.
    name : str
        What to call it in errors.
    """

    def __init__(self, array: Any, name: str = "X") -> None:
        self.array, self.place = array, Place.of(array)
        if array.ndim != 2 or 0 in array.shape:
            raise ValueError(
                f"Expected 2D array, got an array of shape {tuple(array.shape)}: {name} must have "
                "two dimensions, with at least one row and one column"
            )
        xp = self.place.xp
        kinds = ("bool", "integral", "real floating")
        if not any(xp.isdtype(array.dtype, kind) for kind in kinds):
            raise ValueError(f"Complex data not supported: {name} is of dtype {array.dtype}")
        self.shape = (int(array.shape[0]), int(array.shape[1]))
        single = not self.place.has_double or array.dtype in (
            getattr(xp, kind, None) for kind in ("float32", *_HALF)
        )
        self.dtype = np.dtype(np.float32 if single else np.float64)
        """In which it is worked on, and its answers are."""

    @cached_property
    def header(self) -> Array:
        """What scikit-learn looks at: how many features there are."""
        return np.empty((1, self.shape[1]))

    def rows(self, rows: slice) -> Array:
        """Return some rows as they are."""
        return self.array[rows, ...]

    def rows_at(self, rows: Array) -> Array:
        """Return the rows at some positions."""
        return self.place.xp.take(self.array, self.place.put(rows), axis=0)


class HostRows:
    """The same rows as arrays of NumPy's, which are made of the rows that somebody asks for.

    Parameters
    ----------
    X : Placed
    """

    def __init__(self, X: Placed) -> None:
        self._X = X
        self.shape, self.dtype = X.shape, X.dtype

    def __getitem__(self, rows: slice | Array) -> Array:
        X = self._X
        block = X.rows(rows) if isinstance(rows, slice) else X.rows_at(rows)
        return on_host(in_numbers(block, X.dtype))


def placed(X: Any, name: str = "X") -> Placed | None:
    """Return an array of another package as data; None for all else, NumPy's arrays among it."""
    if isinstance(X, Placed):
        return X
    if isinstance(X, np.ndarray | np.generic) or not array_api_compat.is_array_api_obj(X):
        return None
    # These have engines of their own, or none.
    if array_api_compat.is_dask_array(X) or array_api_compat.is_pydata_sparse_array(X):
        return None
    if array_api_compat.is_torch_array(X):
        if str(X.layout) != "torch.strided":
            raise TypeError(
                f"{name} is a sparse tensor of PyTorch, which this library cannot read; give "
                f"{name}.to_dense(), or a sparse matrix of SciPy"
            )
        # Nothing here is to be differentiated.
        X = X.detach()
    return Placed(X, name)


def on_host_rows(X: Any) -> Any:
    """Return data such that an engine hands over blocks of NumPy's, wherever they live."""
    found = placed(X)
    return X if found is None else HostRows(found)


def in_numbers(A: Array, dtype: Any) -> Array:
    """Return an array in a working precision; itself, if it is in that already."""
    place = Place.of(A)
    xp, wanted = place.xp, getattr(place.xp, np.dtype(dtype).name)
    return xp.astype(A, wanted, copy=False)
