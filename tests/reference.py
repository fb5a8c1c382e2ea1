"""Slow, readable twins of what the library computes fast. Written from the formulas, row by row."""

import numpy as np
from scipy import optimize


def threshold_l1(r, lam):
    """τ = max over s of λ·(sum of the s largest |r|)/(1 + λs)."""
    sums = np.cumsum(np.sort(np.abs(r))[::-1])
    counts = np.arange(1, len(r) + 1)
    return max(0.0, float(np.max(lam * sums / (1 + lam * counts))))


def noise_l1(r, lam):
    tau = threshold_l1(r, lam)
    return np.sign(r) * np.maximum(np.abs(r) - tau, 0)


def noise_l0(r, lam):
    """Try every number s of corrupt entries; the s largest are the ones."""
    order = np.argsort(-np.abs(r), kind="stable")
    costs = [np.sum(r[order[s:]] ** 2) + lam * s**2 for s in range(len(r) + 1)]
    e = np.zeros_like(r)
    corrupt = order[: int(np.argmin(costs))]
    e[corrupt] = r[corrupt]
    return e


def loss_l1(r, e, lam):
    return np.sum((r - e) ** 2) + lam * np.sum(np.abs(e)) ** 2


def loss_l0(r, e, lam):
    return np.sum((r - e) ** 2) + lam * np.count_nonzero(e) ** 2


NOISE = {"squared_l1": (noise_l1, loss_l1), "squared_l0": (noise_l0, loss_l0)}


def clean(x, p, lam, name):
    """One row: cleaned row and loss; NaN in x is missing."""
    noise, loss = NOISE[name]
    r = np.where(np.isnan(x), 0.0, x - p)
    e = noise(r, lam)
    return p + r - e, loss(r, e, lam)


def objective(X, W, H, E, lam, name):
    """The objective over the known entries, with E given."""
    _, loss = NOISE[name]
    R = np.where(np.isnan(X), 0.0, X - W @ H)
    return sum(loss(r, e, lam) for r, e in zip(R, E, strict=True))


def hals_sweep(W, gram, cross):
    W = W.copy()
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            if gram[j, j] > 0:
                W[i, j] = max(0.0, W[i, j] + (cross[i, j] - W[i] @ gram[:, j]) / gram[j, j])
    return W


def paper_step(X, W, H, Ep, En, lam):
    """One iteration of eq. 9 and 8 with every matrix written out; here samples are columns."""
    x, u = X.T, H.T
    m, n = x.shape
    k = u.shape[1]
    v = np.vstack([W.T, Ep.T, En.T])
    eye, ones = np.eye(m), np.sqrt(lam) * np.ones((1, m))
    u_tilde = np.block([[u, eye, -eye], [np.zeros((1, k)), ones, ones]])
    x_tilde = np.vstack([x, np.zeros((1, n))])
    gram = u_tilde.T @ u_tilde
    S = np.abs(gram)
    v = np.maximum(0, v - v * (gram @ v) / (S @ v) + v * (u_tilde.T @ x_tilde) / (S @ v))
    new_v, ep, en = v[:k], v[k : k + m], v[k + m :]
    ep = np.minimum(ep, x + en)  # the constraint X − E ≥ 0, which the rule itself does not keep
    x_hat = x - ep + en
    new_u = u * (x_hat @ new_v.T) / (u @ new_v @ new_v.T)
    return new_v.T, new_u.T, ep.T, en.T


def paper_objective(X, W, H, Ep, En, lam):
    R = X - W @ H - Ep + En
    return np.sum(R**2) + lam * np.sum((Ep + En).sum(axis=1) ** 2)


def weighted_step(X, Q, W, H):
    """One iteration of WNMF."""
    W = W * ((Q * X) @ H.T) / ((Q * (W @ H)) @ H.T)
    H = H * (W.T @ (Q * X)) / (W.T @ (Q * (W @ H)))
    return W, H


def evenness(counts, expected, allowance, settings):
    """How even far-out entries are over groups: each class by itself, or all rare ones together."""

    def ratio(seen, expected):
        enough = expected >= settings.least_expected
        if enough.sum() < 2:
            return 1.0
        seen, expected = seen[enough], expected[enough]
        highest = (seen + settings.doubt * np.sqrt(seen) + settings.doubt) / expected
        mean = seen.sum() / expected.sum()
        return min(1.0, np.quantile(highest, settings.rare) / max(mean, 1e-12))

    share = counts / np.maximum(counts.sum(axis=0), 1)
    excess = np.maximum(counts - share * allowance, 0)
    together = ratio(excess.sum(axis=0), expected.sum(axis=0))
    rare = counts.sum(axis=1) < settings.own
    answer = []
    for i in range(len(counts)):
        these = rare if rare[i] else [i]
        own = ratio(excess[these].sum(axis=0), expected[these].sum(axis=0))
        answer.append(max(own, together))
    return np.array(answer)


def growth(size, scale, known, axis, share, reach):
    """By how much each scale must grow for a share of its known residuals to lie within reach."""
    samples, features, levels, level, least = scale
    u = size / np.maximum(samples[:, None] * features * levels[level], least)
    groups = {
        0: [(slice(None), j) for j in range(size.shape[1])],
        1: list(range(len(size))),
        2: [level == g for g in range(len(levels))],
    }[axis]
    answer = []
    for group in groups:
        inside = u[group][known[group]]
        enough = len(inside) == 0 or (inside > reach).mean() <= 1 - share
        answer.append(1.0 if enough else max(1.0, np.quantile(inside, share) / reach))
    return np.array(answer)


def robust_column(x, W, weights, far, n_passes, ridge):
    """Solve one column of H by reweighted nonnegative least squares, with SciPy's solver."""
    W, weights = W.astype(float), weights.astype(float)
    counted = weights
    for _ in range(n_passes):
        # A ridge is as many further equations.
        held = np.sqrt(ridge * (W**2).sum(axis=0))
        root = np.sqrt(counted)
        A = np.vstack([root[:, None] * W, np.diag(held)])
        h = optimize.nnls(A, np.append(root * x, np.zeros(len(held))))[0]
        counted = weights / (1 + ((x - W @ h) / far) ** 2)
    return h


def solid_squares(plane, side):
    """Mark all squares of this side in which every pixel has the same value."""
    solid = np.zeros(plane.shape, dtype=bool)
    for i in range(plane.shape[0] - side + 1):
        for j in range(plane.shape[1] - side + 1):
            square = plane[i : i + side, j : j + side]
            if (square == square[0, 0]).all():
                solid[i : i + side, j : j + side] = True
    return solid
