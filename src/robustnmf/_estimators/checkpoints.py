"""`fit(X, checkpoint=...)`: what is checked, and what a fit is told from another by."""

from __future__ import annotations

import os
from hashlib import sha256
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.checks import check_not_negative
from robustnmf._fitting.checkpoint import Checkpoint, check_folder
from robustnmf._fitting.data import Summary
from robustnmf._fitting.factorize import Options
from robustnmf._version import __version__

# Seconds between two writings, unless somebody says otherwise.
EVERY = 30.0
# What does not change the answer.
_UNTOLD = {"verbose"}


class Plan(NamedTuple):
    """Where a fit is to be kept, before its data are looked at."""

    folder: Path
    every: float
    request: dict[str, Any]

    @staticmethod
    def of(estimator: Any, path: Any, every: Any, options: Options) -> Plan | None:
        """Check what was asked for; None if nothing is to be kept."""
        every = check_not_negative("checkpoint_every", every, "Try 30, a number of seconds.")
        if path is None:
            return None
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"checkpoint must be the name of a folder, or None; got {path!r}")
        if not options.solver.resumes:
            raise ValueError(
                f"checkpoint: solver={estimator.solver!r} cannot tell its state; "
                "use solver='hals', or no checkpoint"
            )
        if isinstance(options.random_state, bool) or not isinstance(options.random_state, Integral):
            raise ValueError(
                "checkpoint needs a whole number as random_state, so that a second fit begins as "
                f"the first did; got {options.random_state!r}. Try random_state=0."
            )
        folder = Path(path).absolute()
        check_folder(folder)
        request: dict[str, Any] = {
            "version of robustnmf": __version__,
            "estimator": type(estimator).__name__,
        }
        for name, value in sorted(estimator.get_params(deep=False).items()):
            if name not in _UNTOLD:
                request[name] = _in_words(value)
        return Plan(folder, every, request)

    def opened(self, X: Any, weights: Any, summary: Summary) -> Checkpoint:
        """Return the checkpoint for these data; what is there already has to be of the same fit."""
        about = {
            "shape of X": [int(size) for size in X.shape],
            "dtype of X": str(np.dtype(X.dtype)),
            "weights": weights is not None,
            "values of X": summary.digest,
        }
        return Checkpoint(self.folder, self.every, self.request | about)


def _in_words(value: Any) -> Any:
    """Return a parameter as JSON; a start stands for itself by its digest."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, tuple | list):
        return [_in_words(part) for part in value]
    array = np.ascontiguousarray(value)
    return f"{array.dtype} {array.shape} {sha256(array.tobytes()).hexdigest()}"
