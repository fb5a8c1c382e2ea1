"""The paper's experiments: computed, written down, drawn, judged and reported.

``robustnmf reproduce`` is this package's command.
"""

from robustnmf_studies.common.settings import FULL, QUICK, Plan, Settings
from robustnmf_studies.paper.pipeline import Reproduction, reproduce
from robustnmf_studies.paper.study import run_study

__all__ = ["FULL", "QUICK", "Plan", "Reproduction", "Settings", "reproduce", "run_study"]
