"""A plain recipe: predict each cell from its row's others, and distrust what is far from it.

Suspects are set missing, scikit-learn's `IterativeImputer` fills them, and every cell is compared
with what the imputer's regressions say of it from the other columns; then again.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.scales import robust_sd

Array = NDArray[Any]
# Robust standard deviations of a column's residuals that are too many, chosen on the data for
# tuning; at first, of the column itself.
_CUT, _FIRST_CUT = 4.0, 5.0
_ROUNDS = 3
# Columns that predict a column; more take long and add little.
_MOST_WITNESSES = 15


def impute_and_compare(Z: Array) -> tuple[NDArray[np.bool_], Array]:
    """Find the cells that the other cells of their rows speak against.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        Robustly standardised, with NaN for missing cells.

    Returns
    -------
    mask : ndarray of bool
        Which cells are far from their prediction.
    expected : ndarray
        The predictions.

    Examples
    --------
    >>> import numpy as np
    >>> Z = np.outer(np.linspace(-2, 2, 50), [1, 1, 1]) + 0.01 * np.random.default_rng(0).normal(
    ...     size=(50, 3))
    >>> Z[40, 1] = -1.5
    >>> mask, expected = impute_and_compare(Z)
    >>> np.argwhere(mask).tolist(), round(float(expected[40, 1]), 1)
    ([[40, 1]], 1.3)
    """
    known = np.isfinite(Z)
    mask = known & (np.abs(Z) > _FIRST_CUT)
    expected = np.zeros_like(Z)
    for _ in range(_ROUNDS):
        expected = _predictions(np.where(mask, np.nan, Z))
        residuals = np.where(known, Z - expected, np.nan)
        trusted = np.where(mask, np.nan, residuals)
        scales = np.array([robust_sd(column) for column in trusted.T])
        before, mask = mask, known & (np.abs(residuals) > _CUT * scales)
        if np.array_equal(before, mask):
            break
    return mask, expected


def _predictions(Z: Array) -> Array:
    """Return what every column's last regression says of all its cells."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer

    m = Z.shape[1]
    imputer = IterativeImputer(
        initial_strategy="median",
        max_iter=5,
        tol=0.01,
        keep_empty_features=True,
        n_nearest_features=_MOST_WITNESSES if m > _MOST_WITNESSES + 1 else None,
        random_state=0,
    )
    # The imputer learns only about columns with gaps: one row without anything gives all of them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        filled = imputer.fit_transform(np.vstack([Z, np.full((1, m), np.nan)]))[:-1]
    expected = np.zeros_like(Z)
    for step in imputer.imputation_sequence_:
        # Later rounds write over earlier ones.
        expected[:, step.feat_idx] = step.estimator.predict(filled[:, step.neighbor_feat_idx])
    return expected
