"""Where arrays live: of which package they are, and on which device.

The mathematics is written in the array API, so what is here is only what that has no word for: the
way to the host and back, the most precise numbers that a device has, and assignment, which not all
arrays allow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import array_api_compat
import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array

# Which devices have float64.
_DOUBLE: dict[tuple[str, str], bool] = {}


class Place(NamedTuple):
    """A package of arrays, and one of its devices."""

    xp: Any
    """The namespace."""
    device: Any

    @classmethod
    def of(cls, A: Array) -> Place:
        """Return the place of an array.

        Examples
        --------
        >>> print(Place.of(np.ones(2)))
        numpy arrays on cpu
        """
        return cls(array_namespace(A), array_api_compat.device(A))

    @property
    def package(self) -> str:
        """Its name."""
        name: str = self.xp.__name__.removeprefix("array_api_compat.")
        return name.partition(".")[0]

    @property
    def has_double(self) -> bool:
        """Whether there is float64."""
        if array_api_compat.is_jax_namespace(self.xp):
            # It may be switched on and off.
            kinds = self.xp.__array_namespace_info__().default_dtypes()
            return bool(kinds["real floating"] == self.xp.float64)
        # By name: not all devices can be hashed.
        key = self.xp.__name__, str(self.device)
        if key not in _DOUBLE:
            dtypes = self.xp.__array_namespace_info__().dtypes(device=self.device)
            _DOUBLE[key] = "float64" in dtypes
        return _DOUBLE[key]

    def put(self, A: Any, dtype: Any = None) -> Array:
        """Return an array as one that lives here, of a dtype that NumPy has a name for.

        Float64 is float32 where there is none.
        """
        if array_api_compat.is_array_api_obj(A) and Place.of(A) == self:
            return A if dtype is None else cast(A, dtype)
        A = on_host(A)
        dtype = A.dtype if dtype is None else np.dtype(dtype)
        if dtype == np.float64 and not self.has_double:
            dtype = np.dtype(np.float32)
        # A copy, for some packages would look at the same memory.
        found: Array = self.xp.asarray(
            np.ascontiguousarray(A, dtype=dtype), device=self.device, copy=True
        )
        return found

    def __str__(self) -> str:
        return f"{self.package} arrays on {self.device}"


def is_numpy(A: Any) -> bool:
    """Return whether this is an array, or a number, of NumPy's."""
    return isinstance(A, np.ndarray | np.generic)


def on_host(A: Any) -> Array:
    """Return an array of any kind as NumPy's; it may look at the same memory.

    Examples
    --------
    >>> on_host(np.ones(2))
    array([1., 1.])
    """
    if isinstance(A, np.ndarray):
        return A
    found: Array
    if array_api_compat.is_torch_array(A):
        found = A.detach().cpu().numpy()
    elif array_api_compat.is_cupy_array(A):
        found = A.get()
    elif array_api_compat.is_jax_array(A):
        # What JAX shows of its memory cannot be written to.
        found = np.array(A)
    elif array_api_compat.is_array_api_strict_namespace(_namespace(A)):
        found = np.asarray(A.to_device(_namespace(A).Device("CPU_DEVICE")))
    else:
        found = np.asarray(A)
    return found


def widest(A: Array) -> Any:
    """Return the most precise floating dtype that there is where an array lives."""
    if is_numpy(A):
        return np.float64
    place = Place.of(A)
    return place.xp.float64 if place.has_double else place.xp.float32


def cast(A: Array, dtype: Any) -> Array:
    """Return an array in a dtype that NumPy has a name for; itself, if it is of that already."""
    if is_numpy(A):
        return A.astype(dtype, copy=False)
    xp, wanted = array_namespace(A), np.dtype(dtype).name
    if wanted == "float64":
        return xp.astype(A, widest(A), copy=False)
    return xp.astype(A, getattr(xp, wanted), copy=False)


def largest(A: Any) -> float:
    """Return the largest number of an array."""
    # For NumPy's own arrays as they do it, here and below: to ask for a namespace takes as long.
    return float(A.max() if is_numpy(A) else array_namespace(A).max(A))


def total(A: Any) -> float:
    """Return the sum of an array."""
    return float(A.sum() if is_numpy(A) else array_namespace(A).sum(A))


def in_order(A: Array) -> Array:
    """Return an array of NumPy's row by row in memory; how others lie, they know best."""
    return np.ascontiguousarray(A) if is_numpy(A) else A


def times_power_of_two(A: Array, power: int, out: Array | None = None) -> Array:
    """Return A·2^power; in two steps where the power itself might be out of range.

    NumPy's own arrays may be overwritten: with `out`, the answer is there.

    Examples
    --------
    >>> times_power_of_two(np.array([1.0, 3.0]), 2)
    array([ 4., 12.])
    """
    if is_numpy(A):
        return np.ldexp(A, power) if out is None else np.ldexp(A, power, out=out)
    if not power:
        return A
    half = power // 2
    return A * 2.0**half * 2.0 ** (power - half)


def write_rows(out: Any, rows: slice, part: Array) -> None:
    """Write some rows to an array of the caller's, of whatever kind."""
    if not is_numpy(out) and array_api_compat.is_array_api_obj(out):
        out[rows, ...] = Place.of(out).put(part)
    else:
        out[rows] = on_host(part)


def with_column(A: Any, j: int, column: Array) -> Array:
    """Return an array of one's own with another column; in place where arrays can be assigned."""
    if array_api_compat.is_jax_array(A):
        A = A.at[:, j].set(column)
    else:
        A[:, j] = column
    found: Array = A
    return found


def with_rows(A: Any, rows: Array, values: Array) -> Array:
    """Return an array of one's own with others in some rows; in place where that can be done."""
    if array_api_compat.is_jax_array(A):
        A = A.at[rows].set(values)
    elif array_api_compat.is_array_api_strict_namespace(_namespace(A)):
        # The standard itself knows no assignment at positions.
        xp = array_namespace(A)
        here = xp.arange(A.shape[0], device=array_api_compat.device(A))[:, None] == rows[None, :]
        new = xp.take(values, xp.argmax(xp.astype(here, xp.int8), axis=1), axis=0)
        A = xp.where(xp.any(here, axis=1)[:, None], new, A)
    else:
        A[rows, ...] = values
    found: Array = A
    return found


def _namespace(A: Any) -> Any:
    return array_namespace(A) if array_api_compat.is_array_api_obj(A) else np
