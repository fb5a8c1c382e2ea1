"""Benchmarks: what is measured side by side, what it should be, and whether it is.

``robustnmf bench`` is this package's command.
"""

from robustnmf.benchmarks.plan import FULL, QUICK, Plan
from robustnmf.benchmarks.results import Result, Row, read_result, write_result

__all__ = ["FULL", "QUICK", "Plan", "Result", "Row", "read_result", "write_result"]
