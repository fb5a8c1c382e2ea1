"""Pixels predicted from their neighbours: linear prediction with local coefficients.

A pixel is predicted as a linear combination of the eight pixels around it and, where there are
any, of the same pixel in linked pictures (other channels, other slices). The coefficients are
those that predict the pixels of a small window best (ridge regression), so they follow edges and
textures. The pixel itself is none of the examples in its window. Where the window has little to
teach, the coefficients stay near those of the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._engines.threads import ordered_map
from robustnmf._kernels.jit import jit


@dataclass(frozen=True)
class PredictionSettings:
    """Constants of the prediction from neighbours.

    Radius and ridge were chosen on the seven development photographs of the study of pictures
    (``robustnmf reproduce images``, docs/images.md).

    Attributes
    ----------
    radius : int
        How far the window reaches from the pixel: 11 pixels across.
    ridge : float
        How strongly coefficients are held to those of the whole picture, in squared grey levels.
    band : int
        Rows that are worked on together; fixed, so that the result does not depend on the number
        of threads.
    """

    radius: int = 5
    ridge: float = 20.0
    band: int = 64


PREDICTION = PredictionSettings()

_AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
_N_AROUND = len(_AROUND)
# Smooth continuation: the four nearest pixels, corrected by the four on the corners.
_SMOOTH = tuple(0.5 if i == 0 or j == 0 else -0.25 for i, j in _AROUND)


class Prediction(NamedTuple):
    """Predicted pixels, and the normal equations of the coefficients of the whole picture."""

    values: Array
    products: Array
    """Weighted products of the regressors, summed over the picture; (K, K)."""
    target: Array
    """Weighted products of the regressors with the pixel; (K,)."""


def initial_coefficients(n_linked: int) -> Array:
    """Return the coefficients before anything was learned; linked pictures do not count yet."""
    return np.array([*_SMOOTH, *([0.0] * n_linked)])


def predict(
    planes: Array, weights: Array, linked: list[list[Array]], coefficients: Array
) -> list[Prediction]:
    """Predict every pixel of some pictures from its neighbours.

    Parameters
    ----------
    planes : ndarray of float32, shape (n, height, width)
        The pictures, with a guess where a pixel is not known.
    weights : ndarray of float32, same shape
        How much each pixel counts as an example to learn from.
    linked : list of lists of ndarray
        For each picture, others of the same shape that predict it as well; the same number each.
    coefficients : ndarray of shape (8 + n_linked,)
        Those of the whole picture.

    Returns
    -------
    list of Prediction
        One for each picture.
    """
    height = planes.shape[1]
    step = PREDICTION.band
    bands = [(top, min(top + step, height)) for top in range(0, height, step)]
    found = []
    for plane, weight, others in zip(planes, weights, linked, strict=True):
        regressors, mean = _regressors(plane, others)
        target = plane - mean
        values = np.empty_like(plane)

        def work(
            band: tuple[int, int],
            regressors: Array = regressors,
            target: Array = target,
            weight: Array = weight,
            values: Array = values,
        ) -> Array:
            return _predict_band(
                regressors,
                target,
                weight,
                *band,
                PREDICTION.radius,
                PREDICTION.ridge,
                coefficients,
                values,
            )

        sums = np.sum(ordered_map(work, bands), axis=0)
        n = regressors.shape[2]
        products = np.zeros((n, n))
        products[np.tril_indices(n)] = sums[n:]
        products += np.tril(products, -1).T
        found.append(Prediction(values + mean, products, sums[:n]))
    return found


def _regressors(plane: Array, others: list[Array]) -> tuple[Array, Array]:
    """Return what predicts a pixel (height, width, K), less the mean of the pixels around it."""
    around = _shifted(plane)
    mean = around.mean(axis=2)
    regressors = np.empty((*plane.shape, _N_AROUND + len(others)), dtype=np.float32)
    regressors[..., :_N_AROUND] = around - mean[..., None]
    for k, other in enumerate(others, _N_AROUND):
        regressors[..., k] = other - _shifted(other).mean(axis=2)
    return regressors, mean


def _shifted(plane: Array) -> Array:
    height, width = plane.shape
    wide = np.pad(plane, 1, mode="symmetric")
    return np.stack(
        [wide[1 + i : 1 + i + height, 1 + j : 1 + j + width] for i, j in _AROUND], axis=2
    )


@jit
def _add_row(
    sums: Array, regressors: Array, target: Array, weight: Array, row: int, sign: float
) -> None:
    """Add the products of a row to the sums over columns, or take them off."""
    K = regressors.shape[2]
    for j in range(target.shape[1]):
        q = sign * np.float64(weight[row, j])
        t = np.float64(target[row, j])
        pair = K
        for a in range(K):
            x = q * regressors[row, j, a]
            sums[j, a] += x * t
            for b in range(a + 1):
                sums[j, pair] += x * regressors[row, j, b]
                pair += 1


@jit
def _predict_band(
    regressors: Array,
    target: Array,
    weight: Array,
    top: int,
    bottom: int,
    radius: int,
    ridge: float,
    prior: Array,
    out: Array,
) -> Array:
    """Predict rows `top` to `bottom`; return the products of these rows, summed."""
    height, width = target.shape
    K = regressors.shape[2]
    size = K + K * (K + 1) // 2
    columns = np.zeros((width, size))
    own = np.zeros((width, size))
    L = np.empty((K, K))
    v = np.empty(K)
    for row in range(max(0, top - radius), min(height, top + radius)):
        _add_row(columns, regressors, target, weight, row, 1.0)
    for i in range(top, bottom):
        if i + radius < height:
            _add_row(columns, regressors, target, weight, i + radius, 1.0)
        if i - radius - 1 >= max(0, top - radius):
            _add_row(columns, regressors, target, weight, i - radius - 1, -1.0)
        _add_row(own, regressors, target, weight, i, 1.0)
        n_rows = min(height, i + radius + 1) - max(0, i - radius)
        window = np.zeros(size)
        for j in range(min(width, radius)):
            for s in range(size):
                window[s] += columns[j, s]
        for j in range(width):
            if j + radius < width:
                for s in range(size):
                    window[s] += columns[j + radius, s]
            if j - radius - 1 >= 0:
                for s in range(size):
                    window[s] -= columns[j - radius - 1, s]
            n = n_rows * (min(width, j + radius + 1) - max(0, j - radius))
            q = np.float64(weight[i, j])
            t = np.float64(target[i, j])
            pair = K
            for a in range(K):
                x = q * regressors[i, j, a]
                v[a] = (window[a] - x * t) / n + ridge * prior[a]
                for b in range(a + 1):
                    L[a, b] = (window[pair] - x * regressors[i, j, b]) / n
                    pair += 1
                L[a, a] = max(L[a, a], 0.0) + ridge
            # Cholesky, in place; the triangle below the diagonal becomes L.
            for a in range(K):
                for b in range(a):
                    s_ = L[a, b]
                    for c in range(b):
                        s_ -= L[a, c] * L[b, c]
                    L[a, b] = s_ / L[b, b]
                s_ = L[a, a]
                for c in range(a):
                    s_ -= L[a, c] * L[a, c]
                # Rounding can leave a pivot below what the ridge adds.
                L[a, a] = np.sqrt(max(s_, 0.001 * ridge))
                s_ = v[a]
                for c in range(a):
                    s_ -= L[a, c] * v[c]
                v[a] = s_ / L[a, a]
            predicted = 0.0
            for a in range(K - 1, -1, -1):
                s_ = v[a]
                for c in range(a + 1, K):
                    s_ -= L[c, a] * v[c]
                v[a] = s_ / L[a, a]
                predicted += v[a] * regressors[i, j, a]
            out[i, j] = predicted
    totals = np.zeros(size)
    for j in range(width):
        for s in range(size):
            totals[s] += own[j, s]
    return totals
