"""Data with noise in it: what methods are given, and the truth by which they are judged."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

# The paper's: k = 10, λ = 0.04, faces of 32×32.
K = 10
LAM = 0.04
SIDE = 32

Array = NDArray[Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Problem:
    """Data with noise in it, and what only the judge and the oracle may know."""

    X: Array
    clean: Array
    # Where the noise is.
    mask: NDArray[np.bool_]
    # Of the fits' random starts.
    seed: int
    lam: float = LAM
    # Height and width, where a row makes a picture; the median filter needs neighbours.
    image_shape: tuple[int, int] | None = None
    k: int = K


def timed(work: Callable[[], T], clock: Callable[[], float] = time.perf_counter) -> tuple[T, float]:
    """Do some work; return its result and the seconds it took.

    Fits that end before they settle say nothing: studies stop them on purpose.
    """
    began = clock()
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        result = work()
    return result, clock() - began
