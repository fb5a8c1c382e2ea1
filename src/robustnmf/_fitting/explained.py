"""What data are made of, W and E: by blocks of rows, and put together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy import sparse

from robustnmf._common.arrays import Array
from robustnmf._engines import RowStack


class Inferred(NamedTuple):
    """The data as the model sees them, in the user's units."""

    W: Array
    E: sparse.csr_array
    misfit: float
    """‖X − WH − E‖² over the known entries, each counted by its weight."""
    penalty: float
    replaceable: sparse.csr_array
    """Not zero where an entry is to be replaced by its prediction."""

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
    E: sparse.csr_array
    misfits: Array
    """The squared misfit of each row, ..."""
    penalties: Array
    """... and the price of its noise; b each."""
    replaceable: sparse.csr_array
    """Not zero where an entry is to be replaced by its prediction."""


def collect(
    blocks: Iterable[Explained],
    shape: tuple[int, int],
    *,
    keep_weights: bool = True,
    keep_noise: bool = True,
) -> Inferred:
    """Put together what rows are made of, in memory; what is not to be kept stays empty."""
    W: Array | None = None
    E, replaceable = RowStack(shape[1]), RowStack(shape[1])
    misfits: list[float] = []
    penalties: list[float] = []
    for block in blocks:
        if W is None:
            W = np.empty((shape[0] if keep_weights else 0, block.W.shape[1]), block.W.dtype)
        if keep_weights:
            W[block.rows] = block.W
        misfits.append(float(block.misfits.sum()))
        penalties.append(float(block.penalties.sum()))
        if keep_noise:
            E.add(block.E)
            if block.replaceable is not block.E:
                replaceable.add(block.replaceable)
    assert W is not None
    noise = E.matrix() if E else sparse.csr_array(shape, dtype=W.dtype)
    own = replaceable.matrix() if replaceable else noise
    return Inferred(W, noise, math.fsum(misfits), math.fsum(penalties), own)
