"""One look at the values of a block: what is wrong with them, and what they come to."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import is_numpy, on_host, widest


@dataclass
class Seen:
    """What was seen of some blocks."""

    largest: float
    largest_weight: float
    # One number of each block, to be added up without loss, whoever reads the blocks.
    totals: list[float]
    square_sums: list[float]
    n_known: int
    unknown_rows: list[np.ndarray]
    known_in_column: np.ndarray
    checksums: list[int]

    def joined(self, other: Seen) -> Seen:
        """Take in what was seen of the blocks that follow."""
        self.largest = max(self.largest, other.largest)
        self.largest_weight = max(self.largest_weight, other.largest_weight)
        self.totals += other.totals
        self.square_sums += other.square_sums
        self.n_known += other.n_known
        self.unknown_rows += other.unknown_rows
        self.known_in_column += other.known_in_column
        self.checksums += other.checksums
        return self


def scan(X: Array, weights: Array | None, first_row: int, owner: str, digest: bool) -> Seen:
    """Refuse values that no answer exists for, and return what was seen of the others."""
    look = scan_in_memory if is_numpy(X) else scan_on_device
    return look(X, weights, first_row, owner, digest)


def scan_in_memory(
    X: np.ndarray, weights: np.ndarray | None, first_row: int, owner: str, digest: bool
) -> Seen:
    """Look at a block of NumPy's."""
    if weights is not None:
        _refuse_weights(float(weights.min()), float(weights.max()))
    checksums = [_checksum(A) for A in (X, weights) if A is not None] if digest else []
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(X.sum(dtype=np.float64))
    if math.isfinite(total):
        known = None
    else:
        known = ~np.isnan(X)
        infinite = np.argwhere(np.isinf(X))
        if len(infinite):
            i, j = infinite[0]
            raise _infinite(first_row + i, j, X[i, j])
        X = np.where(known, X, 0)
        total = float(X.sum(dtype=np.float64))
    if X.size and X.min() < 0:
        i, j = np.argwhere(X < 0)[0]
        raise _negative(owner, first_row + i, j, X[i, j])
    if weights is not None:
        known = weights > 0 if known is None else known & (weights > 0)
        X = np.where(known, X, 0)
        total = float(X.sum(dtype=np.float64))
    with np.errstate(over="ignore", under="ignore"):
        square_sum = float(np.einsum("ij,ij->", X, X, dtype=np.float64))
    n, m = X.shape
    if known is None:
        count, unknown_rows, columns = n * m, np.empty(0, dtype=int), np.full(m, n)
    else:
        count = int(known.sum())
        unknown_rows = first_row + np.flatnonzero(~known.any(axis=1))
        columns = known.sum(axis=0)
    largest_weight = 1.0 if weights is None else float(weights.max())
    return Seen(
        float(X.max()),
        largest_weight,
        [total],
        [square_sum],
        count,
        [unknown_rows],
        columns,
        checksums,
    )


def scan_on_device(
    X: Array, weights: Array | None, first_row: int, owner: str, digest: bool
) -> Seen:
    """Do the same for arrays of any package."""
    xp, wide = array_namespace(X), widest(X)
    if weights is not None:
        _refuse_weights(float(xp.min(weights)), float(xp.max(weights)))
    kept = (A for A in (X, weights) if A is not None)
    checksums = [_checksum(on_host(A)) for A in kept] if digest else []
    known = ~xp.isnan(X)
    for wrong, refusal in (
        (xp.isinf(X), _infinite),
        (X < 0, lambda *at: _negative(owner, *at)),
    ):
        if xp.any(wrong):
            i, j = (int(at[0]) for at in xp.nonzero(wrong))
            raise refusal(first_row + i, j, float(X[i, j]))
    if weights is not None:
        known = known & (weights > 0)
    X = xp.where(known, X, xp.zeros_like(X))
    count = xp.astype(known, xp.int64 if wide == xp.float64 else xp.int32)
    unknown = np.flatnonzero(on_host(xp.sum(count, axis=1)) == 0)
    columns = on_host(xp.sum(count, axis=0)).astype(int)
    return Seen(
        float(xp.max(X)),
        1.0 if weights is None else float(xp.max(weights)),
        [float(xp.sum(X, dtype=wide))],
        [float(xp.sum(xp.astype(X, wide) ** 2))],
        int(columns.sum()),
        [first_row + unknown],
        columns,
        checksums,
    )


def _infinite(i: int, j: int, x: Any) -> ValueError:
    return ValueError(
        f"Input X contains infinity: X[{i}, {j}] = {x}. "
        "Replace it by a number, or by NaN if the value is unknown."
    )


def _negative(owner: str, i: int, j: int, x: Any) -> ValueError:
    return ValueError(
        f"Negative values in data passed to {owner}: X[{i}, {j}] = {x}. "
        "Nonnegative factors cannot explain them; shift or clip X, or use NaN for missing."
    )


def _refuse_weights(lowest: float, highest: float) -> None:
    """Refuse weights of a block that are no shares."""
    if math.isnan(lowest):
        raise ValueError("weights contain NaN; use 0 for entries that are to be ignored")
    if lowest < 0 or highest > 1:
        raise ValueError(
            f"weights must lie in [0, 1]; got values from {lowest} to {highest}. "
            "Divide them by their largest value; 0 means: ignore this entry."
        )


def _checksum(A: np.ndarray) -> int:
    return zlib.crc32(np.ascontiguousarray(A).reshape(-1).view(np.uint8).data)
