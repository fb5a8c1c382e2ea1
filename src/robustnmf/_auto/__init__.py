"""What `lam="auto"` and `n_components="auto"` do."""

from robustnmf._auto.candidates import find_rank
from robustnmf._auto.diagnose import final_look, repairing, warn_untrusted
from robustnmf._auto.fit import EXTRA_RUNS, AutoFit, fit_auto
from robustnmf._auto.inference import Judgement, infer_judged, probabilities

__all__ = [
    "EXTRA_RUNS",
    "AutoFit",
    "Judgement",
    "final_look",
    "find_rank",
    "fit_auto",
    "infer_judged",
    "probabilities",
    "repairing",
    "warn_untrusted",
]
