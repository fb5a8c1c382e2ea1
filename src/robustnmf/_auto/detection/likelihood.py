"""How likely values are that a fit did not see: the measure by which accounts are compared.

An account is a fit with what it takes for clean and for corrupt. A value is as likely as its clean
residual and the rate at which corruption writes it make it, together. This is a proper score: to
call everything noise costs the sharp predictions, to call nothing noise costs the far-out values.
"""

from __future__ import annotations

import numpy as np

from robustnmf._auto.detection.values import Classes, Rates
from robustnmf._common.arrays import Array
from robustnmf._kernels.density import surprise

# So many entries at a time are compared with every class: what that makes stays in cache.
AT_ONCE = 200


def log_likelihood(
    classes: Classes, rates: Rates, values: Array, prediction: Array, scale: Array
) -> Array:
    """Return the logarithm of the probability of each value's class.

    The clean part is a distribution over the classes, so that a value which clean data often have
    (0 where most entries are 0) is as likely as it is, whatever the density says.

    Parameters
    ----------
    classes, rates : Classes, Rates
        The classes of values, and how often corrupt and clean entries have each.
    values, prediction, scale : ndarray of shape (n,)
        Of entries that the fit did not see.
    """
    total = float(rates.corrupt.sum())
    share = min(total, 0.5)
    written = rates.corrupt * (share / max(total, np.finfo(float).tiny))
    class_of = classes.index_of(values)
    log_measure = np.log(rates.measure)
    answer = np.empty(len(values))
    for first in range(0, len(values), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        index = class_of[some]
        logs = log_measure - surprise((classes.points - prediction[some, None]) / scale[some, None])
        own = np.take_along_axis(logs, index[:, None], axis=1)[:, 0]
        highest = logs.max(axis=1)
        clean = np.exp(own - highest) / np.exp(logs - highest[:, None]).sum(axis=1)
        answer[some] = np.log((1 - share) * clean + written[index] + np.finfo(float).tiny)
    return answer
