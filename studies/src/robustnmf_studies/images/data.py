"""Pictures of scikit-image, and what is done to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf.datasets import corrupt
from robustnmf_studies.images.settings import IMPULSES, LINES, OCCLUSION, Case

Picture = NDArray[np.uint8]

_N_LINES = 6
# Side of the black square that covers part of it, as a share of the picture's.
_COVERED = 0.15


def load_part(name: str, side: int) -> Picture:
    """Load the middle of a picture that comes with scikit-image, in grey and at full resolution.

    The name is a function of ``skimage.data``, or "motorcycle" for the left one of its stereo
    pair; where the picture is smaller than `side`, all of it comes.

    Examples
    --------
    >>> load_part("camera", 64).shape
    (64, 64)
    """
    data = import_extra("skimage.data", "image", "the pictures need")
    colour = import_extra("skimage.color", "image", "the pictures need")
    whole = data.stereo_motorcycle()[0] if name == "motorcycle" else getattr(data, name)()
    if whole.ndim == 3:
        whole = np.rint(255 * colour.rgb2gray(whole[..., :3])).astype(np.uint8)
    top, left = (max(0, (length - side) // 2) for length in whole.shape)
    return np.ascontiguousarray(whole[top : top + side, left : left + side])


def damage(clean: Picture, case: Case, seed: int) -> Picture:
    """Return a damaged copy of a picture; the noise follows from the seed and the case's name."""
    rng = np.random.default_rng([seed, *map(ord, case.key)])
    if case.damage in IMPULSES:
        # As one sample, so that the share is exact for the picture.
        one = clean.reshape(1, -1)
        flat, _ = corrupt(one, case.damage, case.amount, high=255, random_state=rng)
        return flat.reshape(clean.shape)
    dirty = clean.copy()
    if case.damage == LINES:
        # Some rows and columns become black or white.
        for along in (dirty, dirty.T):
            for line in rng.choice(len(along), _N_LINES // 2, replace=False):
                along[line] = rng.choice([0, 255])
    elif case.damage == OCCLUSION:
        side = round(_COVERED * min(clean.shape))
        top, left = (int(rng.integers(0, length - side)) for length in clean.shape)
        dirty[top : top + side, left : left + side] = 0
    return dirty
