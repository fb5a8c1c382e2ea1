"""Starting points: random, from the singular vectors (NNDSVDa), or given."""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.engine import Engine, RowArray

Start = tuple[RowArray, Array]

# More directions than asked for, and two more passes: the usual care of randomised SVDs.
OVERSAMPLING = 10
POWER_PASSES = 2


def random_start(data: Engine, n_components: int, mean: float, rng: np.random.RandomState) -> Start:
    """Draw positive factors whose product has about the mean of the data."""
    m = data.shape[1]
    level = np.sqrt(mean / n_components)
    H = level * np.abs(rng.standard_normal((n_components, m)))

    def draw(rows: slice) -> Array:
        W = level * np.abs(rng.standard_normal((rows.stop - rows.start, n_components)))
        return W.astype(data.dtype)

    return data.make(draw), H.astype(data.dtype)


def nndsvda_start(
    data: Engine, n_components: int, mean: float, rng: np.random.RandomState
) -> Start:
    """Split the leading singular vectors into nonnegative parts; zeros become the mean.

    C. Boutsidis and E. Gallopoulos, "SVD based initialization: a head start for nonnegative matrix
    factorization", Pattern Recognition 41, 2008. Missing entries take part as the mean.
    """
    U, S, V = _blockwise_svd(data, n_components, mean, rng)
    W, H = np.empty((data.shape[0], n_components)), np.empty((n_components, data.shape[1]))
    # The first pair of a nonnegative matrix has one sign throughout.
    W[:, 0], H[0] = np.sqrt(S[0]) * np.abs(U[:, 0]), np.sqrt(S[0]) * np.abs(V[0])
    for j in range(1, n_components):
        up, un = np.maximum(U[:, j], 0), np.maximum(-U[:, j], 0)
        vp, vn = np.maximum(V[j], 0), np.maximum(-V[j], 0)
        positive, negative = (
            np.linalg.norm(u) * np.linalg.norm(v) for u, v in ((up, vp), (un, vn))
        )
        u, v, weight = (up, vp, positive) if positive >= negative else (un, vn, negative)
        if weight > 0:
            root = np.sqrt(S[j] * weight)
            W[:, j], H[j] = root * u / np.linalg.norm(u), root * v / np.linalg.norm(v)
        else:
            W[:, j], H[j] = 0, 0
    # A zero never recovers under multiplicative rules, so none may start as one.
    level = np.sqrt(mean / n_components)
    W[W <= 0], H[H <= 0] = level, level
    return W.astype(data.dtype), H.astype(data.dtype)


def zeros(data: Engine) -> RowArray:
    """Return an array with a zero for each row, made where the rows are."""
    dtype = data.dtype
    return data.make(lambda rows: np.zeros(rows.stop - rows.start, dtype))


STARTS = {"random": random_start, "nndsvda": nndsvda_start}


def _blockwise_svd(
    data: Engine, rank: int, mean: float, rng: np.random.RandomState
) -> tuple[Array, Array, Array]:
    """Randomised SVD that reads the data only block by block."""
    n, m = data.shape
    size = min(rank + OVERSAMPLING, n, m)

    def filled(X: Array) -> Array:
        return np.where(np.isnan(X), mean, X)

    def left(basis: Array) -> Array:
        return np.concatenate(data.map(lambda rows, X, weights: filled(X) @ basis))

    def right(basis: Array) -> Array:
        return sum(data.map(lambda rows, X, weights: filled(X).T @ basis[rows]))

    Q, _ = np.linalg.qr(left(rng.standard_normal((m, size))))
    for _ in range(POWER_PASSES):
        Z, _ = np.linalg.qr(right(Q))
        Q, _ = np.linalg.qr(left(Z))
    U, S, V = np.linalg.svd(right(Q).T, full_matrices=False)
    return (Q @ U)[:, :rank], S[:rank], V[:rank]
