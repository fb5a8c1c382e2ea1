"""A block of rows cleaned, swept and summed up: in one go where components are few.

The products of matrices are thin then: a library of linear algebra packs them for more than they
take. Loops over four rows and two components at a time are faster, and what a tile of rows needs
never leaves the cache. So do a part of the columns of H, which all rows of the tile use one after
the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._kernels.cpu.detection import clean_truncated
from robustnmf._kernels.cpu.noise import (
    clean_row_squared_l1,
    clean_row_truncated,
    clean_squared_l1,
    room_of_bits,
)
from robustnmf._kernels.cpu.sweep import (
    TILE,
    aligned,
    learn_gram,
    sweep_rows,
    sweep_tile,
    tile_scratch,
)
from robustnmf._kernels.jit import Array, inlined, jit
from robustnmf._kernels.shared import no_room

# More were not compared with a library's products.
FEW_COMPONENTS = 64
# How many columns make a part: so many bytes of each row.
PART_BYTES = 2**12


def swept_squared_l1(
    X: Array, W: Array, H: Array, gram: Array, lam: float, tau: Array, sweeps: int
) -> tuple[Array, Array, Array, Array, float]:
    """See `portable.swept_squared_l1`."""
    if len(H) > FEW_COMPONENTS:
        cleaned, losses, tau = clean_squared_l1(X, W @ H, lam, tau)
        return *_swept(W, H, gram, cleaned, sweeps), tau, float(losses.sum())
    tau = np.array(tau, X.dtype)
    W, square, cross, loss = _in_one_go(X, W, H, gram, sweeps, lam=lam, tau=tau)
    return W, square, cross, tau, loss


def swept_truncated(
    X: Array, W: Array, H: Array, gram: Array, limits: Array, sweeps: int
) -> tuple[Array, Array, Array, float]:
    """See `portable.swept_truncated`."""
    if len(H) > FEW_COMPONENTS:
        cleaned, losses = clean_truncated(X, W @ H, limits)
        return *_swept(W, H, gram, cleaned, sweeps), float(losses.sum())
    return _in_one_go(X, W, H, gram, sweeps, limits=np.ascontiguousarray(limits, X.dtype))


def swept_left_out(
    X: Array, W: Array, H: Array, gram: Array, bits: NDArray[np.uint8], sweeps: int
) -> tuple[Array, Array, Array, float]:
    """See `portable.swept_left_out`."""
    if len(H) > FEW_COMPONENTS:
        return swept_truncated(X, W, H, gram, no_room(bits, X.shape[1]), sweeps)
    return _in_one_go(X, W, H, gram, sweeps, bits=bits)


def _swept(
    W: Array, H: Array, gram: Array, cleaned: Array, sweeps: int
) -> tuple[Array, Array, Array]:
    W = sweep_rows(W, gram, cleaned @ H.T, sweeps)
    return W, W.T @ W, W.T @ cleaned


def _in_one_go(
    X: Array,
    W: Array,
    H: Array,
    gram: Array,
    sweeps: int,
    *,
    lam: float = 0.0,
    tau: Array | None = None,
    limits: Array | None = None,
    bits: NDArray[np.uint8] | None = None,
) -> tuple[Array, Array, Array, float]:
    """Go by `limits`, by `bits`, or by the price, which overwrites tau."""
    (k, m), dtype = H.shape, X.dtype
    # What is not gone by is empty, for the kernel has one signature.
    tau = np.empty(0, dtype) if tau is None else tau
    limits = X[:0] if limits is None else limits
    bits = np.empty((0, 0), np.uint8) if bits is None else bits
    even = k + k % 2  # two components at a time are then all
    scratch = aligned(2 * even + TILE, m, dtype)
    components, cross, rows = scratch[:even], scratch[even : 2 * even], scratch[2 * even :]
    scratch[: 2 * even] = 0
    components[:k, :m] = H
    found = np.array(W, dtype, order="C")
    row = np.empty(8 * bits.shape[1] if len(bits) else m, dtype)
    loss = _sweep_block(
        *(X, found, components, np.ascontiguousarray(gram), dtype.type(lam), tau, limits, bits),
        *(sweeps, cross, rows, row, *tile_scratch(k, dtype)),
    )
    # A copy: sums of several blocks are held at a time, and must not hold the scratch.
    return found, found.T @ found, cross[:k, :m].copy(), loss


@jit
def _sweep_block(
    X, W, H, gram, lam, tau, limits, bits, sweeps, cross, rows, row, w, pull, G, inverse, best
):
    n, k = W.shape
    # Unsigned: where an index might be negative, loops over it do not run in vectors.
    m, part = np.uintp(H.shape[1]), np.uintp(PART_BYTES // H.itemsize)
    zero = W.dtype.type(0)
    left_out = bits.shape[0] > 0
    truncated = left_out or limits.shape[0] > 0
    learn_gram(gram, G, inverse)
    loss = 0.0
    for first in range(0, n, TILE):
        size = n - first if n - first < TILE else TILE
        for t in range(TILE):
            for p in range(k):
                w[p, t] = W[first + t, p] if t < size else zero
        low = np.uintp(0)
        while low < m:
            high = low + part if low + part < m else m
            for t in range(0, size, 4):
                predict(w, H, t, low, high, rows)
            low = high
        for u in range(size):
            i = first + u
            if left_out:
                room_of_bits(bits[i], row)
            if truncated:
                loss += clean_row_truncated(X[i], rows[u], row if left_out else limits[i])
            else:
                level, lost = clean_row_squared_l1(X[i], rows[u], lam, tau[i], row)
                tau[i] = level
                loss += lost
        for q in range(H.shape[0]):
            for t in range(TILE):
                pull[q, t] = zero
        low = np.uintp(0)
        while low < m:
            high = low + part if low + part < m else m
            for t in range(0, size, 4):
                project(rows, H, t, low, high, inverse, pull)
            low = high
        sweep_tile(w, pull, G, best, sweeps)
        for t in range(TILE):
            for p in range(k):
                if t < size:
                    W[first + t, p] = w[p, t]
                else:  # what fills up the last tile does not count
                    w[p, t] = zero
        low = np.uintp(0)
        while low < m:
            high = low + part if low + part < m else m
            add_up(w, rows, size, low, high, cross)
            low = high
    return loss


@inlined
def predict(w, H, t, low, high, rows):
    """Write some columns of wᵀH for four rows of a tile, from the t-th on."""
    zero = w.dtype.type(0)
    for q in range(0, H.shape[0], 2):
        a, b, c, d = w[q, t], w[q, t + 1], w[q, t + 2], w[q, t + 3]
        e, f, g, h = w[q + 1, t], w[q + 1, t + 1], w[q + 1, t + 2], w[q + 1, t + 3]
        for j in range(low, high):
            u, v = H[q, j], H[q + 1, j]
            rows[t, j] = (rows[t, j] if q else zero) + (a * u + e * v)
            rows[t + 1, j] = (rows[t + 1, j] if q else zero) + (b * u + f * v)
            rows[t + 2, j] = (rows[t + 2, j] if q else zero) + (c * u + g * v)
            rows[t + 3, j] = (rows[t + 3, j] if q else zero) + (d * u + h * v)


@inlined
def project(rows, H, t, low, high, inverse, pull):
    """Add the products of these rows, now cleaned, with H, as `sweep_tile` wants them."""
    zero = rows.dtype.type(0)
    for q in range(0, H.shape[0], 2):
        a = b = c = d = e = f = g = h = zero
        for j in range(low, high):
            u, v = H[q, j], H[q + 1, j]
            a, e = a + rows[t, j] * u, e + rows[t, j] * v
            b, f = b + rows[t + 1, j] * u, f + rows[t + 1, j] * v
            c, g = c + rows[t + 2, j] * u, g + rows[t + 2, j] * v
            d, h = d + rows[t + 3, j] * u, h + rows[t + 3, j] * v
        u, v = inverse[q], inverse[q + 1]
        pull[q, t] += u * a
        pull[q, t + 1] += u * b
        pull[q, t + 2] += u * c
        pull[q, t + 3] += u * d
        pull[q + 1, t] += v * e
        pull[q + 1, t + 1] += v * f
        pull[q + 1, t + 2] += v * g
        pull[q + 1, t + 3] += v * h


@inlined
def add_up(w, rows, size, low, high, cross):
    """Add w times some columns of the first rows of a tile, four at a time."""
    for t in range(0, size, 4):
        for q in range(0, cross.shape[0], 2):
            a, b, c, d = w[q, t], w[q, t + 1], w[q, t + 2], w[q, t + 3]
            e, f, g, h = w[q + 1, t], w[q + 1, t + 1], w[q + 1, t + 2], w[q + 1, t + 3]
            for j in range(low, high):
                u, v, x, y = rows[t, j], rows[t + 1, j], rows[t + 2, j], rows[t + 3, j]
                cross[q, j] += (a * u + b * v) + (c * x + d * y)
                cross[q + 1, j] += (e * u + f * v) + (g * x + h * y)
