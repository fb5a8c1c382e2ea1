"""The paper's experiments: computed, written down, drawn, judged and reported.

``robustnmf reproduce`` is this package's command.
"""

from robustnmf.experiments.pipeline import Reproduction, reproduce
from robustnmf.experiments.settings import FULL, QUICK, Plan, Settings

__all__ = ["FULL", "QUICK", "Plan", "Reproduction", "Settings", "reproduce"]
