"""Are the flags to be believed? If predictions are no better than the pixels, nothing is replaced.

Neighbours can only judge a picture that they can predict. In one that they cannot (pure noise,
strokes as thin as pixels) what is flagged is the picture itself, and to replace it would destroy
it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._image.belief import WHITE, Belief, levels
from robustnmf._image.rounds import Region

Array = NDArray[Any]

# Known pixels hidden to see how well they are predicted.
_HIDDEN = 0.05
# Hidden pixels must miss by less than this share of what they would if all were predicted alike;
# else nine in ten of the flagged must be further off than all but three in a hundred of these.
_UNPREDICTABLE = 0.45
_LEAST_FLAGGED, _USUAL = 0.1, 0.97
# With fewer flagged or hidden pixels there is nothing to compare.
_FEW = 20
# No more than this share may be flagged, because the first look takes most pixels for clean;
_LARGE_SHARE = 0.35
# unless nearly all of the flagged have one or two values, as salt and pepper have.
_ATOMS, _NEARLY_ALL = 2, 0.9


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
    flagged, values, others, hidden = [], [], [], []
    n_known = 0
    for region in regions:
        corrupt = region.doubtful & region.known
        test = (rng.random_sample(corrupt.shape) < _HIDDEN) & ~region.doubtful
        miss = np.abs(region.restored(belief, region.doubtful | test) - region.values)
        flagged.append(miss[corrupt])
        values.append(region.values[corrupt])
        others.append(region.values[~region.doubtful])
        hidden.append(miss[test])
        n_known += int(region.known.sum())
    flags, tests = np.concatenate(flagged), np.concatenate(hidden)
    if len(flags) < _FEW:
        return True
    rest = np.concatenate(others)
    if _stand_alone(np.concatenate(values), rest):
        return True
    if len(flags) > _LARGE_SHARE * n_known:
        return False
    if len(tests) < _FEW:
        return True
    predictable = tests.mean() <= _UNPREDICTABLE * np.abs(rest - np.median(rest)).mean()
    stand_out = np.quantile(flags, _LEAST_FLAGGED) >= np.quantile(tests, _USUAL)
    return bool(predictable or stand_out)


def _stand_alone(flagged: Array, others: Array) -> bool:
    """Whether nearly all flagged pixels have one or two values, which most others have not."""
    atoms = np.argsort(np.bincount(levels(flagged), minlength=WHITE + 1))[-_ATOMS:]
    share, natural = (np.isin(levels(A), atoms).mean() if len(A) else 0 for A in (flagged, others))
    return bool(share >= _NEARLY_ALL and natural < 0.5)
