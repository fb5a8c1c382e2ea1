"""How much work one iteration is: operations and bytes, counted and not measured."""

from __future__ import annotations

from robustnmf._solvers.settings import HALS
from robustnmf_studies.bench.plan import Size

# Operations on one entry in the noise step: its residual (1), passes over the row for the
# threshold (size, compare, sum: 4 each, three of them when warm), clipping, adding and its share
# of the loss (5).
_NOISE = 1 + 3 * 4 + 5


def count_work(size: Size, itemsize: int) -> dict[str, float]:
    """Return the operations and the bytes from main memory of one pass.

    Parameters
    ----------
    size : Size
        Shape of the problem.
    itemsize : int
        Bytes of an entry.

    Returns
    -------
    dict
        ``gemm_flops`` of W H, X̂ Hᵀ and Wᵀ X̂; ``noise_flops``; ``sweep_flops`` of both factors and
        their Gram matrices; ``bytes``, if blocks stay in cache: X once, W read twice (it is
        extrapolated from) and written twice.

    Examples
    --------
    >>> count_work(Size(100, 50, 2), 8)["gemm_flops"]
    60000.0
    """
    n, m, k = size
    sweeps_w, sweeps_h = HALS.sweeps_w, HALS.sweeps_h
    return {
        "gemm_flops": 3 * 2.0 * n * m * k,
        "noise_flops": float(_NOISE) * n * m,
        "sweep_flops": 2.0 * k * k * (n * (2 + sweeps_w) + m * (2 + sweeps_h)),
        "bytes": float(itemsize) * (n * m + 4 * n * k),
    }
