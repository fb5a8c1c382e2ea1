"""Starting points: random, from the singular vectors (NNDSVDa), or given."""

from __future__ import annotations

from typing import Any

import numpy as np
from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._common.places import Place, cast, is_numpy, on_host, with_column
from robustnmf._core.engine import Engine, RowArray

Start = tuple[RowArray, Array]

# More directions than asked for, and two more passes: the usual care of randomised SVDs.
OVERSAMPLING = 10
POWER_PASSES = 2
# Directions in which data are smaller than by this share are lost among digits that are rounded.
SMALLEST = 1e-7


def random_start(data: Engine, n_components: int, mean: float, rng: np.random.RandomState) -> Start:
    """Draw positive factors whose product has about the mean of the data."""
    m = data.shape[1]
    level = np.sqrt(mean / n_components)
    H = level * np.abs(rng.standard_normal((n_components, m)))

    def draw(rows: slice) -> Array:
        W = level * np.abs(rng.standard_normal((rows.stop - rows.start, n_components)))
        return W.astype(data.dtype)

    return data.make(draw), data.beside(H.astype(data.dtype))


def nndsvda_start(
    data: Engine, n_components: int, mean: float, rng: np.random.RandomState
) -> Start:
    """Split the leading singular vectors into nonnegative parts; zeros become the mean.

    C. Boutsidis and E. Gallopoulos, "SVD based initialization: a head start for nonnegative matrix
    factorization", Pattern Recognition 41, 2008. Missing entries take part as the mean.
    """
    sketch, turn, S, V = _blockwise_svd(data, n_components, mean, rng)
    rank = len(S)

    def squares(sketch: Array) -> Array:
        U = sketch @ turn
        return np.stack([np.sum(np.maximum(side, 0) ** 2, axis=0) for side in (U, -U)])

    of_u = np.sqrt(data.sum_rows(squares, np.add, sketch))
    of_v = np.stack([np.linalg.norm(np.maximum(side, 0), axis=1) for side in (V, -V)])
    # Of each pair of singular vectors that side is taken on which more of its product lies.
    side = np.where(np.diff(of_u * of_v, axis=0)[0] > 0, 1, 0)
    sign, at = 1.0 - 2 * side, np.arange(rank)
    of_u, of_v = of_u[side, at], of_v[side, at]
    size = np.sqrt(S * of_u * of_v)
    per_u, per_v = (np.divide(size, A, out=np.zeros(rank), where=A > 0) for A in (of_u, of_v))
    # A zero never recovers under multiplicative rules, so none may start as one, nor as what
    # rounding makes of one.
    rounding = 8 * np.finfo(np.float64).eps * S[:1] / S
    level = np.sqrt(mean / n_components)

    def parts(U: Array, scale: Array) -> Array:
        """Return the sides of singular vectors, in columns, that are taken."""
        place, scale = Place.of(U), scale.copy()
        xp = place.xp
        taken = U * place.put(sign)
        if rank:
            # The first pair of a nonnegative matrix has one sign throughout.
            taken, scale[0] = with_column(taken, 0, xp.abs(U[:, 0])), np.sqrt(S[0])
        taken, usual = (
            xp.where(
                taken > place.put(rounding), taken * place.put(scale), xp.full_like(taken, level)
            ),
            xp.full((U.shape[0], n_components - rank), level, dtype=U.dtype, device=place.device),
        )
        return cast(xp.concat([taken, usual], axis=1), data.dtype)

    def of_rows(sketch: Array) -> Array:
        return parts(sketch @ Place.of(sketch).put(turn), per_u)

    return data.combine(of_rows, sketch), data.beside(parts(V.T, per_v).T)


def zeros(data: Engine) -> RowArray:
    """Return an array with a zero for each row, made where the rows are."""
    dtype = data.dtype
    return data.make(lambda rows: np.zeros(rows.stop - rows.start, dtype))


STARTS = {"random": random_start, "nndsvda": nndsvda_start}


def _blockwise_svd(
    data: Engine, rank: int, mean: float, rng: np.random.RandomState
) -> tuple[RowArray, Array, Array, Array]:
    """Randomised SVD that holds nothing of all rows: with U = Y T it gives Y, T, S and V.

    Y = X Z is a row array. Each pass sums up what stands for the whole of it: XᵀY, and the R of its
    QR decomposition, from those of blocks. There may be fewer singular values than were asked for,
    if the others are as good as zero.
    """
    n, m = data.shape
    size = min(rank + OVERSAMPLING, n, m)
    Z = rng.standard_normal((m, size))
    Y = data.make(lambda rows: np.empty((rows.stop - rows.start, size)))
    for _ in range(POWER_PASSES):
        R, XY = _products(data, Z, Y, mean)
        Z, _ = np.linalg.qr(XY @ _inverse(R))
        Z = np.pad(Z, ((0, 0), (0, size - Z.shape[1])))
    R, XY = _products(data, Z, Y, mean)
    T = _inverse(R)
    U, S, V = np.linalg.svd((XY @ T).T, full_matrices=False)
    return Y, (T @ U)[:, :rank], S[:rank], V[:rank]


def _products(data: Engine, Z: Array, Y: RowArray, mean: float) -> tuple[Array, Array]:
    """Put X Z into Y, and return the R of its QR decomposition and XᵀY."""
    Z = data.beside(Z)

    def work(rows: slice, X: Array, weights: Array | None) -> tuple[Any, Array]:
        xp = array_namespace(X)
        X = xp.astype(xp.where(xp.isnan(X), xp.full_like(X, mean), X), Z.dtype, copy=False)
        XZ = X @ Z
        return (_triangle(XZ), on_host(X.T @ XZ)), XZ

    def add(total: Any, more: Any) -> tuple[Any, Array]:
        return np.linalg.qr(np.concatenate([total[0], more[0]]), mode="r"), total[1] + more[1]

    found: tuple[Array, Array] = data.fold(work, add, write=(Y,))
    return found


def _triangle(A: Array) -> Array:
    """Return the R of a QR decomposition, as an array of NumPy's."""
    R: Any
    if is_numpy(A):
        R = np.linalg.qr(A, mode="r")
        return R
    _, R = array_namespace(A).linalg.qr(A)
    return on_host(R)


def _inverse(R: Array) -> Array:
    """Return T such that the columns of Y T are orthonormal and span those of Y that count."""
    _, S, V = np.linalg.svd(R, full_matrices=False)
    S = S[SMALLEST * S[0] < S]
    return V[: len(S)].T / S
