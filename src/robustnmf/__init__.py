"""Nonnegative matrix factorization for dirty data: X ≈ W H + E with sparse, large noise E."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustnmf._common.diagnosis import Diagnosis, TrustWarning
from robustnmf._version import __version__

if TYPE_CHECKING:
    from robustnmf._estimators import MiniBatchRobustNMF, RobustNMF, WeightedNMF, robust_nmf

__all__ = [
    "Diagnosis",
    "MiniBatchRobustNMF",
    "RobustNMF",
    "TrustWarning",
    "WeightedNMF",
    "__version__",
    "robust_nmf",
]


def __getattr__(name: str) -> Any:
    # The estimators load scikit-learn, which takes a second; the command line's --help must not.
    if name in __all__:
        from robustnmf import _estimators

        return getattr(_estimators, name)
    raise AttributeError(f"module 'robustnmf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
