"""The paper's own way with pictures (its section 6.2.2): W H of the patches, overlap-added."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share
from robustnmf._estimators import RobustNMF
from robustnmf._image.factors import fit_grey
from robustnmf._image.grey_levels import WHITE, GreyScale
from robustnmf._image.patches import cut_patches, join_patches
from robustnmf._image.tiles import TILING, cut_tiles


@dataclass(frozen=True)
class PatchSettings:
    """Constants of learning from patches.

    Chosen on the seven development photographs of the study of pictures (``robustnmf reproduce
    images``, docs/images.md).

    Attributes
    ----------
    n_examples : int
        Patches to learn from: more would hardly change the components.
    max_iter : int
        Iterations of that; the components of patches settle long before the objective does.
    overlap : int
        Patches lie a side apart, divided by this.
    """

    n_examples: int = 4000
    max_iter: int = 100
    overlap: int = 2


PATCHES = PatchSettings()


def paper_image(
    planes: Array,
    greys: GreyScale,
    patch_size: int,
    n_components: int,
    rng: np.random.RandomState,
    progress: Share,
) -> tuple[Array, Array]:
    """Replace pictures by W H of their patches.

    Parameters
    ----------
    planes : ndarray of shape (n, height, width)
        The pictures; NaN is missing.
    greys : GreyScale
        Their grey levels.
    patch_size, n_components : int
        Of the patches and of the model.
    rng : RandomState
        Chooses the patches to learn from, and the start.
    progress : callable
        Called with the share of the work that is done.

    Returns
    -------
    restored : ndarray, same shape and dtype
    mask : ndarray of bool, same shape
        True where more than half of a pixel's patches call it noise, and where it was missing.
    """
    examples = [_sample_patches(plane, patch_size, len(planes), rng) for plane in planes]
    model = RobustNMF(n_components, max_iter=PATCHES.max_iter, random_state=rng)
    fit_grey(model, greys.to_grey(np.concatenate(examples)))
    step = max(1, patch_size // PATCHES.overlap)
    restored = np.empty_like(planes)
    mask = np.zeros(planes.shape, dtype=bool)
    tiles = list(cut_tiles(planes.shape[1], planes.shape[2], TILING.side))
    for turn, (i, tile) in enumerate(product(range(len(planes)), tiles)):
        part = greys.to_grey(planes[i][tile.outer]) / np.float32(WHITE)
        rows = cut_patches(part, patch_size, step)
        whole = model.inverse_transform(model.transform(rows))
        noisy = model.detect(rows).astype(np.float32)
        joined = (join_patches(made, part.shape, patch_size, step) for made in (whole, noisy))
        picture, votes = (made[tile.inner] for made in joined)
        restored[i][tile.core] = greys.to_image(np.clip(picture, 0, 1) * WHITE)
        mask[i][tile.core] = (votes > 0.5) | np.isnan(part[tile.inner])
        progress((turn + 1) / (len(planes) * len(tiles)))
    return restored, mask


def _sample_patches(plane: Array, side: int, n_pictures: int, rng: np.random.RandomState) -> Array:
    """Draw a picture's share of the patches to learn from."""
    height, width = (length - side + 1 for length in plane.shape)
    wanted = min(PATCHES.n_examples // n_pictures + 1, height * width)
    chosen = np.sort(rng.choice(height * width, wanted, replace=False))
    return cut_patches(plane, side, 1, chosen)
