"""The estimators: scikit-learn's contract around solvers, noise models and engines."""

from robustnmf._estimators.function import robust_nmf
from robustnmf._estimators.minibatch import MiniBatchRobustNMF
from robustnmf._estimators.robust import RobustNMF
from robustnmf._estimators.weighted import WeightedNMF

__all__ = ["MiniBatchRobustNMF", "RobustNMF", "WeightedNMF", "robust_nmf"]
