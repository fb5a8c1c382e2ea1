"""Nonnegative matrix factorization for dirty data: X ≈ W H + E with sparse, large noise E."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from robustnmf._version import __version__
from robustnmf.diagnosis import Diagnosis, TrustWarning

if TYPE_CHECKING:
    from robustnmf.estimators import RobustNMF, WeightedNMF, robust_nmf

__all__ = [
    "Diagnosis",
    "RobustNMF",
    "TrustWarning",
    "WeightedNMF",
    "__version__",
    "robust_nmf",
]


def __getattr__(name: str) -> Any:
    # The estimators load scikit-learn, which takes a second; the command line's --help must not.
    if name in __all__:
        from robustnmf import estimators

        return getattr(estimators, name)
    raise AttributeError(f"module 'robustnmf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
