"""The estimators: scikit-learn's contract around solvers, noise models and engines."""

from robustnmf.estimators.function import robust_nmf
from robustnmf.estimators.robust import RobustNMF
from robustnmf.estimators.weighted import WeightedNMF

__all__ = ["RobustNMF", "WeightedNMF", "robust_nmf"]
