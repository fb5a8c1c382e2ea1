"""Which entries are corrupt, learned from the data: scales, values, and the odds of both."""

from robustnmf._auto.detection.detector import Detector
from robustnmf._auto.detection.learner import Learner
from robustnmf._auto.detection.likelihood import log_likelihood
from robustnmf._auto.detection.outliers import outlying, unexplained, unrelated
from robustnmf._auto.detection.rows import first_price, judge_rows

__all__ = [
    "Detector",
    "Learner",
    "first_price",
    "judge_rows",
    "log_likelihood",
    "outlying",
    "unexplained",
    "unrelated",
]
