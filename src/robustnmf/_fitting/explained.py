"""What data are made of, W and E: by blocks of rows, and put together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._common.places import is_numpy, total
from robustnmf._engines import RowStack, Written, closed_after, joined


class Inferred(NamedTuple):
    """The data as the model sees them, in the user's units."""

    W: Any
    """In the caller's array, if it was given one; without rows where it is not kept; ..."""
    E: Any
    """... without entries; a csr_array. None of data on a device, where it is not kept."""
    misfit: float
    """‖X − WH − E‖² over the known entries, each counted by its weight."""
    penalty: float
    replaceable: Any
    """Not zero where an entry is to be replaced by its prediction."""

    @classmethod
    def summed(cls, H: Array, misfit: float, penalty: float) -> Inferred:
        """Return the sums alone."""
        dtype = H.dtype if is_numpy(H) else None
        nothing = sparse.csr_array((0, H.shape[1]), dtype=dtype)
        return cls(np.empty((0, H.shape[0]), dtype), nothing, misfit, penalty, nothing)

    @property
    def objective(self) -> float:
        """The objective at W, H and E."""
        return self.misfit + self.penalty


class Explained(NamedTuple):
    """What a block of rows is made of, in the user's units."""

    rows: slice
    X: Array
    """The rows themselves."""
    W: Array
    E: Any
    """A csr_array; of data on a device an array in full, there."""
    misfits: Array
    """The squared misfit of each row, ..."""
    penalties: Array
    """... and the price of its noise; b each."""
    replaceable: Any
    """Not zero where an entry is to be replaced by its prediction; as E."""

    @property
    def sums(self) -> tuple[float, float]:
        """The misfit and the penalty of all rows together."""
        return total(self.misfits), total(self.penalties)


class Keep(NamedTuple):
    """What of an explanation is to be put together in memory."""

    weights: bool = True
    noise: bool = True

    @property
    def nothing(self) -> bool:
        """Whether sums are all that is wanted."""
        return not (self.weights or self.noise)

    def of(self, block: Explained) -> Share:
        """Return a block's share; it holds nothing that is not to be kept."""
        E = block.E if self.noise else None
        return Share(
            block.rows,
            block.W if self.weights else block.W[:0, :],
            E,
            None if block.replaceable is block.E or not self.noise else block.replaceable,
            *block.sums,
        )


class Share(NamedTuple):
    """What a block adds to `Inferred`."""

    rows: slice
    W: Array
    """No rows of it, where it is not kept."""
    E: sparse.csr_array | None
    replaceable: sparse.csr_array | None
    """None where it is E, or not kept."""
    misfit: float
    penalty: float


EVERYTHING, NOTHING = Keep(), Keep(weights=False, noise=False)


def collect(shares: Iterable[Share], shape: tuple[int, int], out: Any = None) -> Inferred:
    """Put together what rows are made of, in memory; what is not to be kept stays empty.

    W goes to `out`, if there is one: an array that rows can be written to.
    """
    W = out
    target: Written | None = None
    on_device: list[Array] = []
    E, replaceable = RowStack(shape[1]), RowStack(shape[1])
    misfits: list[float] = []
    penalties: list[float] = []
    with closed_after(shares) as given:
        for share in given:
            if not is_numpy(share.W) and out is None:
                # Not all of these can be assigned to.
                on_device.append(share.W)
            elif W is None:
                W = np.empty((shape[0] if len(share.W) else 0, share.W.shape[1]), share.W.dtype)
            if W is not None and W.shape[0]:
                target = target or Written(W)
                target.put(share.rows, share.W)
            misfits.append(share.misfit)
            penalties.append(share.penalty)
            if share.E is not None:
                E.add(share.E)
            if share.replaceable is not None:
                replaceable.add(share.replaceable)
    if on_device:
        W = joined(on_device)
    assert W is not None
    noise = E.matrix() if E else None
    if noise is None and isinstance(W.dtype, np.dtype):
        noise = sparse.csr_array(shape, dtype=W.dtype)
    own = replaceable.matrix() if replaceable else noise
    return Inferred(W, noise, math.fsum(misfits), math.fsum(penalties), own)
