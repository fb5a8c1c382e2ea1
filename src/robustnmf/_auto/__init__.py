"""What `lam="auto"` and `n_components="auto"` do."""

from robustnmf._auto.candidates import find_rank
from robustnmf._auto.diagnose import warn_untrusted
from robustnmf._auto.fit import EXTRA_RUNS
from robustnmf._auto.inference import LearnedDetection
from robustnmf._auto.online import Detecting, begun_detecting
from robustnmf._auto.result import AutoResult, learn

__all__ = [
    "EXTRA_RUNS",
    "AutoResult",
    "Detecting",
    "LearnedDetection",
    "begun_detecting",
    "find_rank",
    "learn",
    "warn_untrusted",
]
