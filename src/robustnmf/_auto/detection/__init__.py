"""Which entries are corrupt, learned from the data: scales, values, and the odds of both."""

from robustnmf._auto.detection.detector import Detector
from robustnmf._auto.detection.learner import Learner
from robustnmf._auto.detection.likelihood import log_likelihood
from robustnmf._auto.detection.outliers import outlying, unexplained, unrelated
from robustnmf._auto.detection.rows import explain_rows, first_price

__all__ = [
    "Detector",
    "Learner",
    "explain_rows",
    "first_price",
    "log_likelihood",
    "outlying",
    "unexplained",
    "unrelated",
]
