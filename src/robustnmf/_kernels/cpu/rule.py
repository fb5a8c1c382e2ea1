"""The paper's rule: one pass over each row."""

from __future__ import annotations

import numpy as np

from robustnmf._kernels.jit import Array, jit


def paper_rule(
    X: Array, P: Array, Ep: Array, En: Array, lam: float
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """See `portable.paper_rule`; overwrites Ep and En."""
    top, cleaned, loss = np.empty_like(P), np.empty_like(P), np.empty(len(X))
    tiny = P.dtype.type(np.finfo(P.dtype).smallest_normal ** 0.5)
    _paper_rule(X, P, Ep, En, P.dtype.type(lam), tiny, top, cleaned, loss)
    return Ep, En, top, P, cleaned, loss


@jit
def _paper_rule(X, P, Ep, En, lam, tiny, top, cleaned, loss):
    """P is overwritten with P + Ep + En."""
    m = X.shape[1]
    kind = X.dtype.type
    zero, one, two = kind(0), kind(1), kind(2)
    cross = two * max(zero, one - lam)
    overlap = two * min(one, lam)
    for i in range(X.shape[0]):
        mass = 0.0
        for j in range(m):
            mass += np.float64(Ep[i, j]) + np.float64(En[i, j])
        price = lam * kind(mass)
        total = 0.0
        for j in range(m):
            p, ep, en = P[i, j], Ep[i, j], En[i, j]
            x = X[i, j] if X[i, j] == X[i, j] else p
            r = np.float64(x - p - ep + en)
            total += r * r
            both = p + ep + en
            shared = both + price
            pull = two * p + cross * ep - x
            pull = pull if pull > zero else zero
            new_en = en * ((pull + tiny) / (shared - overlap * ep + tiny))
            new_ep = ep * ((x + cross * en + tiny) / (shared - overlap * en + tiny))
            new_ep = new_ep if new_ep < x + new_en else x + new_en
            top[i, j] = x + two * en
            P[i, j] = both
            Ep[i, j], En[i, j] = new_ep, new_en
            cleaned[i, j] = x - new_ep + new_en
        loss[i] = total + np.float64(lam) * mass * mass
