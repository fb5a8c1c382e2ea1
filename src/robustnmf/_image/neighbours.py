"""Pixels predicted from their neighbours: linear prediction with local coefficients.

A pixel is predicted as a linear combination of the eight pixels around it and, where there are
any, of the same pixel in linked pictures (other channels, other slices). The coefficients are
those that predict the pixels of a small window best (ridge regression), so they follow edges and
textures. The pixel itself is none of the examples in its window. Where the window has little to
teach, the coefficients stay near those of the whole picture.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._engines.threads import ordered_map, single_threaded_blas
from robustnmf._image.filters import mirrored
from robustnmf._image.windows import (
    RADIUS,
    predict_strip,
    strip_scratch,
)


@dataclass(frozen=True)
class PredictionSettings:
    """Constants of the prediction from neighbours.

    The ridge was chosen on the seven development photographs of the study of pictures
    (``robustnmf reproduce images``, docs/images.md), as was the window of 11 × 11 pixels. How
    pictures are cut does not change a prediction by more than rounding; `side` and `band` are those
    with which the loops run best.

    Attributes
    ----------
    ridge : float
        How strongly coefficients are held to those of the whole picture, in squared grey levels.
    band, side : int
        Rows and columns that are worked on together; fixed, so that the result does not depend on
        the number of threads.
    counted : int
        The equations of whole pictures are those of every so manieth row: their coefficients need
        no more. An odd number, because the rows of enlarged and of interlaced pictures come in
        kinds, two by two or four by four.
    """

    ridge: float = 20.0
    band: int = 96
    side: int = 384
    counted: int = 5


PREDICTION = PredictionSettings()

_AROUND = tuple((i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
# How eight neighbours differ from their mean: opposite ones from each other, one pair from another,
# and the corners from those nearest. Each is orthogonal to all others and to the mean.
_SIGNS = [
    [1, 0, 0, 0, 0, 0, 0, -1],
    [0, 1, 0, 0, 0, 0, -1, 0],
    [0, 0, 1, 0, 0, -1, 0, 0],
    [0, 0, 0, 1, -1, 0, 0, 0],
    [1, 0, -1, 0, 0, -1, 0, 1],
    [0, 1, 0, -1, -1, 0, 1, 0],
    [1, -1, 1, -1, -1, 1, -1, 1],
]
CONTRASTS = np.array([np.divide(row, np.linalg.norm(row)) for row in _SIGNS])
# Smooth continuation: the four nearest pixels, corrected by the four on the corners.
_SMOOTH = CONTRASTS @ [0.5 if i == 0 or j == 0 else -0.25 for i, j in _AROUND]


class Equations(NamedTuple):
    """Normal equations of the coefficients of some pictures as a whole."""

    products: Array
    """Weighted products of the regressors, summed over the pictures; (K, K)."""
    target: Array
    """Weighted products of the regressors with the pixel; (K,)."""


def initial_coefficients(n_linked: int) -> Array:
    """Return the coefficients before anything was learned; linked pictures do not count yet."""
    return np.array([*_SMOOTH, *([0.0] * n_linked)])


def predict(
    planes: Array,
    weights: Array,
    links: list[list[int]],
    coefficients: Array,
    guides: Array | None = None,
    wanted: Array | None = None,
) -> Array:
    """Predict the pixels of some pictures from their neighbours.

    Parameters
    ----------
    planes : ndarray of float32, shape (n, height, width)
        The pictures, with a guess where a pixel is not known.
    weights : ndarray of float32, same shape
        How much each pixel counts as an example to learn from.
    links : list of lists of int
        For each picture, the others that predict it as well; the same number each.
    coefficients : ndarray of shape (7 + n_linked,)
        Those of the pictures as a whole: of contrasts of the neighbours, then of linked pictures; a
        guide counts as a linked one, the last.
    guides : ndarray of float32, same shape, default=None
        A further picture for each that predicts it.
    wanted : ndarray of bool, same shape, default=None
        Pixels to predict; all by default.

    Returns
    -------
    ndarray of float32, shape (n, height, width)
        Where only some pixels are wanted, the others keep the values of `planes`.
    """
    n, height, width = planes.shape
    linked = _sources_of(links, guides)
    padded = mirrored(_sources(planes, guides), RADIUS + 1)
    weights = np.pad(weights, ((0, 0), (RADIUS, RADIUS), (RADIUS, RADIUS)))
    if wanted is None:
        wanted = np.ones(planes.shape, dtype=bool)
    values = planes.copy()
    prior = np.asarray(coefficients, dtype=np.float32)
    along = np.arange(max(height, width))
    n_examples = np.array(
        [
            np.minimum(length, along + RADIUS + 1) - np.maximum(0, along - RADIUS)
            for length in (height, width)
        ],
        dtype=np.float32,
    )

    def work(task: tuple[int, int]) -> None:
        plane, top = task
        bottom = min(top + PREDICTION.band, height)
        scratch = strip_scratch(len(prior), min(PREDICTION.side, width))
        for left in range(0, width, PREDICTION.side):
            predict_strip(
                padded,
                weights[plane],
                plane,
                linked[plane],
                wanted[plane],
                (top, bottom, left, min(left + PREDICTION.side, width)),
                n_examples,
                np.float32(PREDICTION.ridge),
                prior,
                scratch,
                values[plane],
            )

    ordered_map(work, list(product(range(n), range(0, height, PREDICTION.band))))
    return values


def whole_equations(
    planes: Array, weights: Array, links: list[list[int]], guides: Array | None = None
) -> Equations:
    """Return the normal equations of the coefficients of all pixels of some pictures together.

    Of some rows only, but they weigh as much as those of all rows would.

    Parameters
    ----------
    planes, weights, links, guides
        As for `predict`.
    """
    sources = _sources(planes, guides)
    height, width = planes.shape[1:]
    rows = slice(0, height, PREDICTION.counted)
    wide = mirrored(sources, 1)
    around = np.stack(
        [wide[:, 1 + i :, 1 + j :][:, :height, :width][:, rows] for i, j in _AROUND], axis=1
    ).reshape(len(sources), len(_AROUND), -1)
    pixels = sources[:, rows].reshape(len(sources), -1) - around.mean(axis=1)
    sums: Array = np.zeros(())
    with single_threaded_blas:
        for plane, linked in enumerate(_sources_of(links, guides)):
            # With the pixel itself as the last.
            X = np.concatenate([CONTRASTS @ around[plane], pixels[linked], pixels[[plane]]])
            sums = sums + (X * weights[plane, rows].ravel()) @ X.T
    sums *= height / len(range(*rows.indices(height)))
    return Equations(sums[:-1, :-1], sums[:-1, -1])


def _sources_of(links: list[list[int]], guides: Array | None) -> Array:
    """Return the indices of the pictures that predict each as well; guides follow the pictures."""
    n = len(links)
    extra = [[n + c] if guides is not None else [] for c in range(n)]
    linked = [[*others, *more] for others, more in zip(links, extra, strict=True)]
    return np.array(linked, dtype=np.int64).reshape(n, -1)


def _sources(planes: Array, guides: Array | None) -> Array:
    return planes if guides is None else np.concatenate([planes, guides])
