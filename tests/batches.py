"""Rows for the tests of MiniBatchRobustNMF."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from robustnmf import MiniBatchRobustNMF

K, M = 4, 60


def rows(n=4000, seed=0, parts=None, dtype=np.float64, gaps=0.0):
    """Rows with a twentieth of the entries wrong: data, mask of what is wrong, clean data."""
    rng = np.random.default_rng(seed)
    if parts is None:
        parts = np.random.default_rng(99).gamma(0.5, size=(K, M))
    clean = rng.gamma(0.5, size=(n, len(parts))) @ parts
    clean *= 1 + 0.05 * rng.standard_normal(clean.shape)
    wrong = rng.random(clean.shape) < 0.05
    X = np.where(wrong, clean + 5 * (0.5 + rng.random(clean.shape)), clean)
    X[rng.random(clean.shape) < gaps] = np.nan
    return X.astype(dtype), wrong, clean


def model(**options):
    return MiniBatchRobustNMF(
        **{"n_components": K, "batch_size": 200, "random_state": 0, "tol": 1e-3} | options
    )


def three_epochs(**options):
    return model(max_iter=3, tol=0, **options)


def objective(fitted, X):
    return -fitted.score(X) * np.count_nonzero(~np.isnan(X))


def parts_found(components, parts):
    """The cosine of the part that was found worst."""
    one, other = (A / np.linalg.norm(A, axis=1, keepdims=True) for A in (components, parts))
    return (one @ other.T).max(axis=0).min()


quiet = pytest.mark.filterwarnings(f"ignore::{ConvergenceWarning.__module__}.ConvergenceWarning")
