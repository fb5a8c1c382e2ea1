"""Which entries are corrupt, learned from the data: scales, values, and the odds of both."""

from robustnmf.detection.detector import Detector
from robustnmf.detection.learner import Learner
from robustnmf.detection.likelihood import log_likelihood
from robustnmf.detection.loops import loops
from robustnmf.detection.loss import TruncatedSquares
from robustnmf.detection.outliers import outlying, unexplained, unrelated
from robustnmf.detection.rows import first_price, judge_rows

__all__ = [
    "Detector",
    "Learner",
    "TruncatedSquares",
    "first_price",
    "judge_rows",
    "log_likelihood",
    "loops",
    "outlying",
    "unexplained",
    "unrelated",
]
