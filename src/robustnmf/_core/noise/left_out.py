"""Squares of all entries but some that are known to be corrupt, and are left out of account."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robustnmf._common.arrays import Array
from robustnmf._core.engine import RowArray
from robustnmf._core.noise.model import Base, Cleaned, Quadratic, Swept
from robustnmf._core.noise.truncated import TruncatedSquares
from robustnmf._kernels import kernels_for, no_room


@dataclass(frozen=True, eq=False)
class LeftOut(Base):
    """`TruncatedSquares` without room for what is left out, and with any for all else.

    It needs a bit for each entry, and not a number, beside the data.

    Parameters
    ----------
    bits : array of uint8
        Which entries of each row are left out, as `robustnmf._common.bits.packed` has them. A row
        of which all are costs nothing and pulls at nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf._common.bits import packed
    >>> x, p = np.array([[1.0, 2.0, 9.0]]), np.array([[1.0, 3.0, 3.0]])
    >>> model = LeftOut(packed(np.array([[False, False, True]])))
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

    def row_weights(self, X: Array, weights: Array | None) -> Array:
        """Return 1 for each row, and 0 where nothing of it counts."""
        return self._truncated(X).row_weights(X, weights)

    def clean(self, X: Array, P: Array, weights: Array | None, threshold: Array) -> Cleaned:
        """Replace what is left out by its prediction."""
        return self._truncated(X).clean(X, P, weights, threshold)

    def swept(
        self, X: Array, W: Array, H: Array, gram: Array, threshold: Array, sweeps: int
    ) -> Swept:
        """Do all of it in one kernel, which makes thresholds of bits for the row at hand alone."""
        swept = kernels_for(X).swept_left_out
        W, square, cross, loss = swept(X, W, H, gram, self.bits, sweeps)
        return Swept(W, square, cross, threshold, loss)

    def noise(self, X: Array, P: Array) -> Array:
        """Return the whole residual of what is left out."""
        return self._truncated(X).noise(X, P)

    def penalty(self, E: Array) -> Array:
        """Return 0 for each row."""
        return self._truncated(E).penalty(E)

    def quadratic(
        self, X: Array, P: Array, H: Array, weights: Array | None, threshold: Array
    ) -> Quadratic:
        """What is left out does not count."""
        return self._truncated(X).quadratic(X, P, H, weights, threshold)

    def _truncated(self, X: Array) -> TruncatedSquares:
        """Return the model that has a threshold for each entry of these rows."""
        return TruncatedSquares(no_room(self.bits, X.shape[1]))
