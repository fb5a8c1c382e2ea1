"""Are the flags to be believed? If predictions are no better than the pixels, nothing is replaced.

Neighbours can only judge a picture that they can predict. In one that they cannot (pure noise,
strokes as thin as pixels) what is flagged is the picture itself, and to replace it would destroy
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf.image.belief import Belief, levels
from robustnmf.image.rounds import Region

Array = NDArray[Any]

# Known pixels hidden to see how well they are predicted.
_HIDDEN = 0.05
# Nine in ten of the flagged must be further off than all but three in a hundred of the hidden.
_LEAST_FLAGGED, _USUAL = 0.1, 0.97
# With fewer flagged or hidden pixels there is nothing to compare.
_FEW = 20
# A larger share than this is believed only if nearly all of it has one or two values, as salt and
# pepper have: the first look takes most pixels for clean.
_LARGE_SHARE, _ATOMS, _NEARLY_ALL = 0.35, 2, 0.9


def believable(regions: list[Region], belief: Belief, seed: int = 0) -> bool:
    """Tell whether what is flagged in some regions of a picture stands out from what is not.

    Parameters
    ----------
    regions : list of Region
        After all rounds.
    belief : Belief
        The last one.
    seed : int, default=0
        Chooses the pixels to hide.

    Returns
    -------
    bool
        True also where hardly anything is flagged.
    """
    rng = np.random.RandomState(seed)
    flagged, values, hidden = [], [], []
    n_known = 0
    for region in regions:
        corrupt = region.doubtful & region.known
        test = (rng.random_sample(corrupt.shape) < _HIDDEN) & ~region.doubtful
        miss = np.abs(region.restored(belief, region.doubtful | test) - region.values)
        flagged.append(miss[corrupt])
        values.append(region.values[corrupt])
        hidden.append(miss[test])
        n_known += int(region.known.sum())
    flags, tests = np.concatenate(flagged), np.concatenate(hidden)
    if len(flags) < _FEW:
        return True
    if len(flags) > _LARGE_SHARE * n_known and not _few_values(np.concatenate(values)):
        return False
    if len(tests) < _FEW:
        return True
    return bool(np.quantile(flags, _LEAST_FLAGGED) >= np.quantile(tests, _USUAL))


def _few_values(values: Array) -> bool:
    counts = np.sort(np.bincount(levels(values)))
    return bool(counts[-_ATOMS:].sum() >= _NEARLY_ALL * len(values))
