"""RobustNMF on grey levels: the one way in which pictures and patches are factorized."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from robustnmf._common.arrays import Array
from robustnmf._estimators import RobustNMF
from robustnmf._image.grey_levels import WHITE


def fit_grey(model: RobustNMF, rows: Array) -> Array:
    """Fit a model to rows of grey levels, white being 1 for the model.

    Parameters
    ----------
    model : RobustNMF
        Fitted here. That it may stop before it has converged is meant, and no warning is due: what
        it predicts need not be right to the last digit.
    rows : ndarray of shape (n_samples, n_pixels)
        From 0 to 255; NaN is missing. Their dtype is the one in which the model is fitted.

    Returns
    -------
    ndarray of shape (n_samples, n_components)
        W; ``W @ model.components_ * 255`` are grey levels again.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        W: Array = model.fit_transform(rows / np.float32(WHITE))
    return W
