"""Fits of every kind, for tests of what holds for all of them."""

import pytest

from robustnmf import RobustNMF

# Every variant that must keep every promise.
VARIANTS = {
    "default": {},
    "mu": {"solver": "mu", "max_iter": 1000, "tol": 1e-3},
    "squared_l0": {"penalty": "squared_l0", "lam": 0.5},
    "refit": {"refit": "wnmf"},
    "mu refit": {"solver": "mu", "refit": "wnmf", "max_iter": 1000, "tol": 1e-3},
    "nndsvda": {"init": "nndsvda"},
    "restarts": {"n_init": 3},
}
variants = pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)


def model(**options):
    return RobustNMF(
        **{"n_components": 3, "lam": 0.3, "random_state": 0, "max_iter": 2000} | options
    )
