"""Squares of all entries but some that are known to be corrupt, and are left out of account."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import RowArray
from robustnmf._core.noise.model import Base
from robustnmf._core.noise.truncated import TruncatedSquares


@dataclass(frozen=True, eq=False)
class LeftOut(Base):
    """`TruncatedSquares` without room for what is left out, and with any for all else.

    It needs a bit for each entry, and not a number, beside the data.

    Parameters
    ----------
    bits : array of uint8
        Which entries of each row are left out, as `packed` has them. A row of which all are costs
        nothing and pulls at nothing.

    Examples
    --------
    >>> x, p = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 3.0, 3.0]])
    >>> model = LeftOut(packed(np.array([[False, False, True]]))).on_block(x)
    >>> model.clean(x, p.copy(), None, np.zeros(1)).rows
    array([[1., 2., 3.]])
    """

    bits: RowArray
    convex = False

    @property
    def row_arrays(self) -> tuple[RowArray, ...]:
        """The bits."""
        return (self.bits,)

    def with_rows(self, *row_arrays: RowArray) -> LeftOut:
        """Return the model of other rows."""
        return replace(self, bits=row_arrays[0])

    def rescaled(self, factor: float) -> LeftOut:
        """Return itself."""
        return self

    def on_block(self, X: Array) -> TruncatedSquares:
        """Return the model that has a threshold for each entry of a block."""
        room = _ROOM[self.bits].reshape(len(self.bits), -1)[:, : X.shape[1]]
        return TruncatedSquares(np.ascontiguousarray(room))


def packed(left_out: Array) -> Array:
    """Return the bits of some flags."""
    return np.packbits(left_out, axis=1)


# For each byte, the thresholds of eight entries: none for those that are left out.
_ROOM = np.where(np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1), 0, np.inf).astype(
    np.float32
)
