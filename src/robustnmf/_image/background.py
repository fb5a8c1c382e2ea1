"""What the pictures of a stack have in common: W H of a RobustNMF whose samples they are.

Each picture's W has few numbers, and some thousand pixels tell them. So the factorization is one
of a random sample of the pixels. Given W, each pixel's column of H is a small problem of its own,
whatever the size of the pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.robust import robust_deviation
from robustnmf._engines.threads import read_stream, single_threaded_blas
from robustnmf._estimators import RobustNMF
from robustnmf._image.factors import fit_grey
from robustnmf._image.grey_levels import WHITE
from robustnmf._image.pictures import Flags, Indices, Pictures, columns, strips
from robustnmf._kernels import kernels_for


@dataclass(frozen=True)
class BackgroundSettings:
    """Constants of learning what pictures have in common.

    No study chose them. What they must reach is checked on the stacks of
    ``tests/image/test_stack.py`` and ``tests/image/test_occlusions.py``.

    Attributes
    ----------
    usual_share : float
        Share of a picture's pixels that may well be foreground or noise: λ is 1 over their number.
    samples_per_component : int
        At the least: components of their own would take the noise as it is.
    n_columns : int
        Pixels of each picture from which W is learned.
    max_iter, tol : int, float
        Of the factorization. It predicts beside the neighbours, and need not be right to the last
        digit.
    n_passes : int
        How often a pixel's column is solved for, each time with less weight on what is far off.
    far : float
        A residual so many times the usual size counts half.
    least_size : float
        Grey levels: residuals are held to be of this size at the least.
    ridge : float
        Added to the normal equations of a column, for each picture and unit of W, so that a pixel
        which is hidden nearly everywhere does not divide by nothing.
    entries : int
        Pixels, pictures counted, that are worked on at a time.
    """

    usual_share: float = 0.05
    samples_per_component: int = 4
    n_columns: int = 2048
    max_iter: int = 50
    tol: float = 1e-3
    n_passes: int = 4
    far: float = 1.5
    least_size: float = 1.0
    ridge: float = 1e-6
    entries: int = 2**15


BACKGROUND = BackgroundSettings()


@dataclass(frozen=True)
class Background:
    """W H of a stack.

    Attributes
    ----------
    W : ndarray of float32, shape (n_pictures, k)
    H : ndarray of float32, shape (k, n_pixels)
        Either is NaN for what is not known at all.
    shape : tuple of int
        Channels, height and width of a picture.
    """

    W: Array
    H: Array
    shape: tuple[int, ...]

    def of(self, pictures: Indices) -> Array:
        """Return the background of some pictures, plane by plane, in grey levels."""
        with single_threaded_blas:
            return (self.W[pictures] @ self.H).reshape(-1, *self.shape[1:])


class BackgroundLearner:
    """Learns the background of a stack, each time from the same pixels.

    Parameters
    ----------
    pictures : Pictures
        The stack; of its pixels only size and grey scale matter here.
    n_components : int
        The most components.
    lam : float, default=None
        λ for whole pictures.
    random_state : int or RandomState
        Chooses the pixels, and the start.
    """

    def __init__(
        self, pictures: Pictures, n_components: int, lam: float | None, random_state: Any
    ) -> None:
        rng = check_random_state(random_state)
        m = pictures.n_pixels
        self.lam = lam or 1 / (BACKGROUND.usual_share * m)
        self._model = RobustNMF(
            max(1, min(n_components, len(pictures) // BACKGROUND.samples_per_component)),
            max_iter=BACKGROUND.max_iter,
            tol=BACKGROUND.tol,
            random_state=rng.randint(2**31),
        )
        self._columns = np.sort(rng.permutation(m)[: BACKGROUND.n_columns])
        # About 1/λ pixels of a picture are foreground or noise; of a sample, as many fewer.
        self._model.set_params(lam=self.lam * m / len(self._columns))

    def learn(
        self, pictures: Pictures, rows: Any, hidden: Flags, guess_weight: float = 0.0
    ) -> Background:
        """Learn from the pixels that are not hidden.

        Parameters
        ----------
        pictures : Pictures
            The stack; of it only size and grey scale matter here.
        rows : (n_pictures, n_pixels)
            Its pixels, as `Pictures.by_pixels` returns them, with a guess at hidden ones if these
            are to count.
        hidden : Flags
            Pixels not to learn from.
        guess_weight : float, default=0
            How much the guess at a hidden pixel counts. What is hidden in all pictures is known by
            it alone.
        """
        n, m = len(pictures), pictures.n_pixels
        sample = pictures.greys.to_grey(columns(rows, self._columns))
        unknown = hidden.at(self._columns)
        if guess_weight:
            unknown &= ~(unknown.all(axis=0) | unknown.all(axis=1, keepdims=True))
        sample[unknown] = np.nan
        seen = np.flatnonzero(~unknown.all(axis=1))
        sample = sample[np.ix_(seen, ~unknown.all(axis=0))]
        model = clone(self._model)
        W = fit_grey(model, sample)
        scaled = W * np.float32(WHITE)
        with single_threaded_blas:
            size = _usual_size(sample - scaled @ model.components_)
        H = np.empty((W.shape[1], m), np.float32)

        def solve(strip: tuple[slice, Array, Array]) -> None:
            part, values, flagged = strip
            grey = pictures.greys.to_grey(values[seen])
            weights = np.where(flagged[seen], np.float32(guess_weight), np.float32(1))
            # What counts nothing may be NaN.
            X = np.where(weights > 0, grey, np.float32(0))
            H[:, part] = robust_columns(X, scaled, weights, BACKGROUND.far * size)

        step = max(64, BACKGROUND.entries // n)
        for _ in read_stream(solve, strips(rows, hidden, step)):
            pass
        everywhere = np.full((n, W.shape[1]), np.nan, np.float32)
        everywhere[seen] = scaled
        return Background(everywhere, H, pictures.shape[1:])


def robust_columns(X: Array, W: Array, weights: Array, far: float) -> Array:
    """Return H ≥ 0 with X ≈ W H, each column of it by itself, little moved by what is far off.

    Residuals are taken as Cauchy's: their least squares are solved again and again, with weights
    that the residuals before have left (iteratively reweighted).

    Parameters
    ----------
    X : ndarray of float32, shape (n, m)
    W : ndarray of float32, shape (n, k)
    weights : ndarray of float32, shape (n, m)
        What each entry counts; a column in which none counts becomes NaN.
    far : float
        A residual of this size counts half.

    Returns
    -------
    ndarray of float32, shape (k, m)

    Examples
    --------
    >>> import numpy as np
    >>> W = np.ones((5, 1), np.float32)
    >>> X = np.float32([[2], [2], [2], [2], [90]])
    >>> robust_columns(X, W, np.ones_like(X), 1.0).round(1)
    array([[2.]], dtype=float32)
    """
    n, k = W.shape
    # All columns' normal equations are one product with the pairs of W.
    pairs = (W[:, :, None] * W[:, None, :]).reshape(n, k * k)
    ridge = BACKGROUND.ridge * n * np.diag(np.einsum("ij,ij->j", W, W) / n)
    counted = weights
    for left in reversed(range(BACKGROUND.n_passes)):
        curvature = (counted.T @ pairs).astype(np.float64).reshape(-1, k, k) + ridge
        pull = ((counted * X).T @ W).astype(np.float64)
        found = kernels_for(pull).solve_quadratic_rows(curvature, pull).T.astype(np.float32)
        if left:
            residual = (X - W @ found) / np.float32(far)
            counted = weights / (1 + residual * residual)
    found[:, ~weights.any(axis=0)] = np.nan
    return found


def _usual_size(residual: Array) -> float:
    """Return the standard deviation of most residuals, by their median; NaN does not count."""
    return max(robust_deviation(residual[~np.isnan(residual)]), BACKGROUND.least_size)
