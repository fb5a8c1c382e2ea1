"""The paper's own way with pictures (its section 6.2.2): W H of the patches, overlap-added."""

from __future__ import annotations

from itertools import product

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share
from robustnmf._image.grey_levels import WHITE, GreyScale
from robustnmf._image.patch_model import fit_patches, patch_step, sample_patches
from robustnmf._image.patches import cut_patches, join_patches
from robustnmf._image.tiles import TILING, cut_tiles


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
    examples = [sample_patches(plane, None, patch_size, len(planes), rng) for plane in planes]
    model = fit_patches(greys.to_grey(np.concatenate(examples)), n_components, rng)
    step = patch_step(patch_size)
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
