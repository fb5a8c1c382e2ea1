"""How clean residuals are spread far out: what corruption does not account for is a tail.

Residuals of counts, spectra or traffic have tails that no exponential density knows. Corruption is
as frequent at all levels of the data, which tails are not, so its rates are known without them
(`evenness`). Where more lies far out than these rates say, the rest is clean, and its density falls
by a power.
"""

from __future__ import annotations

import numpy as np

from robustnmf._auto.detection.scales import EntryScales
from robustnmf._auto.detection.settings import TAILS
from robustnmf._common.arrays import Array
from robustnmf._kernels import kernels_for
from robustnmf._kernels.density import FAR, THIN, Tail, surprise, tail_share


def learn_tail(
    size: Array, scale: EntryScales, known: Array, class_of: Array, prior: Array
) -> Tail:
    """Return the tail that makes far-out residuals likeliest, beside corruption of given rates.

    Parameters
    ----------
    size, scale, known, class_of : arrays
        As the kernels take them.
    prior : ndarray of shape (n_classes,)
        Log odds of each class of values.
    """
    spread = kernels_for(size).scale_of(*scale)
    far = known & (size > FAR * spread)
    if not far.any():
        return THIN
    n = int(known.sum())
    spread = spread[far]
    u = size[far] / spread
    log_u = np.log(u / FAR)
    first = int((u < 2 * FAR).sum())
    most = (first + TAILS.doubt * np.sqrt(first) + 1) / n
    corrupt = np.exp(np.clip(prior[class_of[far]] + np.log(spread), -700, 700))
    clean = np.ones(len(u))
    for _ in range(TAILS.rounds):
        count = float(clean.sum())
        index = (count + TAILS.prior_entries) / (
            clean @ log_u + TAILS.prior_entries / TAILS.largest_index
        )
        index = float(np.clip(index, TAILS.least_index, TAILS.largest_index))
        share = count / n + TAILS.allowance * tail_share(FAR)
        tail = Tail.of(min(share, most / (1 - 2**-index)), index)
        density = np.exp(-surprise(u, tail))
        clean = density / (density + corrupt)
    return tail
