"""The paper's rule: one pass over each row."""

from __future__ import annotations

from array_api_compat import array_namespace

from robustnmf._common.arrays import Array
from robustnmf._kernels.portable.sums import row_sum
from robustnmf._kernels.shared import ratio


def paper_rule(
    X: Array, P: Array, Ep: Array, En: Array, lam: float
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """One update of Ep and En by the paper's eq. 9, and what its W and H need.

    Returns new Ep and En, X + 2En and P + Ep + En (which times Hᵀ are the two sides of the rule for
    W), the cleaned rows X − Ep + En after the update, and the loss of each row before it. A missing
    entry takes part as its own prediction, without noise (EM).
    """
    xp = array_namespace(X, P)
    X = xp.where(xp.isnan(X), P, X)
    mass = Ep + En
    total = xp.sum(mass, axis=1)[:, None]
    R = X - P - Ep + En
    loss = row_sum(xp, R * R) + lam * row_sum(xp, mass) ** 2
    # What the matrices of eq. 9 come to, written out.
    cross, overlap = 2 * max(0.0, 1 - lam), 2 * min(1.0, lam)
    shared = P + mass + lam * total
    new_Ep = Ep * ratio(X + cross * En, shared - overlap * En)
    new_En = En * ratio(xp.maximum(2 * P + cross * Ep - X, xp.zeros_like(P)), shared - overlap * Ep)
    # The rule does not keep X − E ≥ 0. Lowering Ep to its bound does, and lowers f as well.
    new_Ep = xp.minimum(new_Ep, X + new_En)
    return new_Ep, new_En, X + 2 * En, P + mass, X - new_Ep + new_En, loss
