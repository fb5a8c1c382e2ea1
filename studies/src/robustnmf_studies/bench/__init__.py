"""Benchmarks: what is measured side by side, what it should be, and whether it is.

``robustnmf bench`` is this package's command.
"""

from robustnmf_studies.bench.plan import FULL, QUICK, Plan
from robustnmf_studies.bench.results import Result, Row, read_result, write_result

__all__ = ["FULL", "QUICK", "Plan", "Result", "Row", "read_result", "write_result"]
