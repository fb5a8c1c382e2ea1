"""The machine, and how fast it multiplies and reads: without these no figure means much."""

from __future__ import annotations

import platform
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from robustnmf._common.versions import versions
from robustnmf._engines.threads import ordered_map, thread_count
from robustnmf_studies.bench.timing import seconds
from robustnmf_studies.common.machine import processor

_REPEAT = 5
# Arrays much larger than any cache, in pieces that fit into it.
_ENTRIES = 2**24
_PIECE = 2**15


def describe(side: int = 1500, entries: int = _ENTRIES) -> dict[str, Any]:
    """Return cores, processor, versions, and the measured rates of products and of memory.

    Parameters
    ----------
    side : int
        Of the square matrices multiplied.
    entries : int
        Length of the arrays of the triad.
    """
    blas = [info for info in threadpool_info() if info.get("user_api") == "blas"]
    return {
        "processor": processor(),
        "system": platform.system(),
        "threads": thread_count(),
        "blas": ", ".join(sorted({f"{b['internal_api']} {b['version']}" for b in blas})),
        "versions": versions(),
        "gemm_gflops": {name: gemm_rate(side, name) / 1e9 for name in ("float64", "float32")},
        "triad_gbytes": triad_rate(entries) / 1e9,
    }


def gemm_rate(side: int, dtype: str) -> float:
    """Return the operations a second of a product of square matrices, on all threads."""
    rng = np.random.default_rng(0)
    A, B = (rng.random((side, side)).astype(dtype) for _ in range(2))
    C = np.empty_like(A)
    with threadpool_limits(limits=thread_count(), user_api="blas"):
        best = _fastest(lambda: np.matmul(A, B, out=C))
    return 2.0 * side**3 / best


def triad_rate(entries: int) -> float:
    """Return the bytes a second of a = b + s·c on all threads; three arrays are counted."""
    a, b, c = (np.ones(entries) for _ in range(3))
    bounds = np.linspace(0, entries, thread_count() + 1).astype(int).tolist()

    def work(part: tuple[int, int]) -> None:
        scaled = np.empty(_PIECE)
        for first in range(part[0], part[1], _PIECE):
            piece = slice(first, min(first + _PIECE, part[1]))
            product = np.multiply(c[piece], 3.0, out=scaled[: piece.stop - first])
            np.add(b[piece], product, out=a[piece])

    parts = list(pairwise(bounds))
    return 3.0 * a.nbytes / _fastest(lambda: ordered_map(work, parts))


def _fastest(function: Callable[[], Any]) -> float:
    # The fastest of some, for this is about what the machine can do.
    return min(seconds(function) for _ in range(_REPEAT))
