"""Can the detection be trusted? If predictions are no better than the pixels, nothing is replaced.

Neighbours can only judge a picture that they can predict. In one that they cannot (pure noise,
strokes as thin as pixels) what is flagged is the picture itself, and to replace it would destroy
it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._image.detection import Region
from robustnmf._image.grey_levels import WHITE, level_index
from robustnmf._image.mixture import Mixture


@dataclass(frozen=True)
class ReliabilitySettings:
    """When a detection is reliable.

    No study chose them. What they must reach is checked on the pictures of
    ``tests/image/test_reliability.py``: noise, strokes, faces and photographs, clean and corrupt.

    Attributes
    ----------
    hidden_share : float
        Share of the clean pixels that is hidden to see how well they are predicted.
    predictable : float
        Hidden pixels must miss by no more than this share of what they would if all were predicted
        by the median;
    flagged_quantile, hidden_quantile : float
        else nine in ten of the flagged must be further off than all but three in a hundred of the
        hidden ones.
    least_pixels : int
        With fewer flagged or hidden pixels there is nothing to compare.
    most_flagged : float
        No larger share of the known pixels may be flagged, because the first round takes most for
        clean;
    n_atoms, atom_share : int, float
        unless so many of the flagged have one of so few values, as salt and pepper have,
    atom_background : float
        and less than this share of the other pixels has one of them.
    """

    hidden_share: float = 0.05
    predictable: float = 0.45
    flagged_quantile: float = 0.1
    hidden_quantile: float = 0.97
    least_pixels: int = 20
    most_flagged: float = 0.35
    n_atoms: int = 2
    atom_share: float = 0.9
    atom_background: float = 0.5


RELIABILITY = ReliabilitySettings()


def is_reliable(regions: list[Region], mixture: Mixture) -> bool:
    """Tell whether the flagged pixels of a picture stand out from the others.

    Parameters
    ----------
    regions : list of Region
        After all rounds.
    mixture : Mixture
        The last one.

    Returns
    -------
    bool
        True also where hardly anything is flagged.
    """
    # Always the same, so that the verdict on a picture does not depend on the caller's seed.
    rng = np.random.RandomState(0)
    flagged_errors, flagged_values, clean_values, hidden_errors = [], [], [], []
    n_known = 0
    for region in regions:
        flagged = region.flagged
        corrupt = flagged & region.known
        hidden = region.draw_clean(RELIABILITY.hidden_share, rng)
        error = np.abs(region.predicted_without(mixture, flagged | hidden) - region.values)
        flagged_errors.append(error[corrupt])
        flagged_values.append(region.values[corrupt])
        clean_values.append(region.values[~flagged])
        hidden_errors.append(error[hidden])
        n_known += int(region.known.sum())
    flags, tests = np.concatenate(flagged_errors), np.concatenate(hidden_errors)
    if len(flags) < RELIABILITY.least_pixels:
        return True
    clean = np.concatenate(clean_values)
    if _are_atoms(np.concatenate(flagged_values), clean):
        return True
    if len(flags) > RELIABILITY.most_flagged * n_known:
        return False
    if len(tests) < RELIABILITY.least_pixels:
        return True
    spread = np.abs(clean - np.median(clean)).mean()
    predictable = tests.mean() <= RELIABILITY.predictable * spread
    usual = np.quantile(tests, RELIABILITY.hidden_quantile)
    stand_out = np.quantile(flags, RELIABILITY.flagged_quantile) >= usual
    return bool(predictable or stand_out)


def _are_atoms(flagged: Array, clean: Array) -> bool:
    """Whether nearly all flagged pixels have one or two values, which most others have not."""
    counts = np.bincount(level_index(flagged), minlength=WHITE + 1)
    atoms = np.argsort(counts)[-RELIABILITY.n_atoms :]
    share = np.isin(level_index(flagged), atoms).mean()
    background = np.isin(level_index(clean), atoms).mean() if len(clean) else 0
    return bool(share >= RELIABILITY.atom_share and background < RELIABILITY.atom_background)
