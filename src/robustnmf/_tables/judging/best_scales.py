"""The scales on which the columns of a table say most of each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.density import learn_density
from robustnmf._tables.judging.scales import KINDS, SCALE
from robustnmf._tables.judging.witness import begin

_NONE = np.empty(0, dtype=int)


def on_best_scales(
    X: Array, suspect: Array, columns: Columns, names: Sequence[str], fold: Array, folds: int
) -> Columns:
    """Return the columns on the scales on which they say most of each other.

    Each on the scale of its own that makes it most even, or all on the same: what is a sum on one
    scale is none on another, so columns that belong together want the same. The likelihood of
    cells that are predicted from others decides, carried back to the table's own numbers, where it
    can be compared.
    """
    trusted = X.copy()
    trusted[:, columns.used] = np.where(suspect, np.nan, X[:, columns.used])
    raw = X[:, columns.used]
    compared = ~np.isnan(raw) & ~suspect & columns.judged & (raw > 0)
    if not compared.any():
        return Columns.of(trusted, names, columns.kinds)
    own = Columns.of(trusted, names, columns.kinds)
    best, highest = None, -np.inf
    for found in (own, *(own.on(trusted, kind) for kind in KINDS)):
        if best is not None and found.scales == best.scales:
            continue
        Z = np.nan_to_num(found.even(X))
        use = ~np.isnan(raw) & ~suspect & (np.abs(Z) <= SCALE.far)
        witness = begin(Z, use, found.judged, fold, folds, _NONE, (SCALE.shrinkage,))
        prediction, spread = witness.predict(Z, use, fold)
        density = learn_density(Z - prediction, spread, use & found.judged)
        logs = density.log(Z - prediction, spread, found.even_steps(prediction))
        slopes = [scale.log_slope(raw[:, c]) for c, scale in enumerate(found.scales)]
        score = float((logs + np.stack(slopes, axis=1))[compared].mean())
        if score > highest:
            best, highest = found, score
    assert best is not None
    return best
