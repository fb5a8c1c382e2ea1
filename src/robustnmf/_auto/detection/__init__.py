"""Which entries are corrupt, learned from the data: scales, values, and the odds of both."""

from robustnmf._auto.detection.detector import Detector
from robustnmf._auto.detection.first import FirstFit, first_price
from robustnmf._auto.detection.learner import Learner
from robustnmf._auto.detection.likelihood import log_likelihood
from robustnmf._auto.detection.outliers import outlying, unexplained, unrelated
from robustnmf._auto.detection.rows import ExplainedRows, explain_rows

__all__ = [
    "Detector",
    "ExplainedRows",
    "FirstFit",
    "Learner",
    "explain_rows",
    "first_price",
    "log_likelihood",
    "outlying",
    "unexplained",
    "unrelated",
]
