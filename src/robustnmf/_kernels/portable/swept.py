"""A block of rows cleaned, swept and summed up."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._kernels.portable.noise import clean_squared_l1, clean_truncated
from robustnmf._kernels.portable.sweep import sweep_rows
from robustnmf._kernels.shared import no_room


def swept_squared_l1(
    X: Array, W: Array, H: Array, gram: Array, lam: float, tau: Array, sweeps: int
) -> tuple[Array, Array, Array, Array, Array]:
    """New W of a block, WᵀW, WᵀX̂, thresholds, and the loss at the old W, for λ‖e‖₁².

    gram is H Hᵀ, and `tau` a first guess.
    """
    cleaned, loss, tau = clean_squared_l1(X, W @ H, lam, tau)
    return *_swept(W, H, gram, cleaned, sweeps), tau, array_namespace(X).sum(loss)


def swept_truncated(
    X: Array, W: Array, H: Array, gram: Array, limits: Array, sweeps: int
) -> tuple[Array, Array, Array, Array]:
    """Do the same for entries that have limits of their own; there are no thresholds to return."""
    cleaned, loss = clean_truncated(X, W @ H, limits)
    return *_swept(W, H, gram, cleaned, sweeps), array_namespace(X).sum(loss)


def swept_left_out(
    X: Array, W: Array, H: Array, gram: Array, bits: Array, sweeps: int
) -> tuple[Array, Array, Array, Array]:
    """Do the same where the entries whose bit is set do not count, and all others do."""
    return swept_truncated(X, W, H, gram, no_room(bits, X.shape[1]), sweeps)


def _swept(
    W: Array, H: Array, gram: Array, cleaned: Array, sweeps: int
) -> tuple[Array, Array, Array]:
    W = sweep_rows(W, gram, cleaned @ H.T, sweeps)
    return W, W.T @ W, W.T @ cleaned
