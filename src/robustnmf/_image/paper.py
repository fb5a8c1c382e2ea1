"""The paper's own way with pictures (its section 6.2.2): W H of the patches, overlap-added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._image.belief import WHITE
from robustnmf._image.parts import fit_patches, sample_patches
from robustnmf._image.patches import cut_patches, join_patches
from robustnmf._image.planes import Units
from robustnmf._image.tiles import cut_tiles

Array = NDArray[Any]

_TILE = 512


def paper_image(
    planes: Array,
    units: Units,
    patch_size: int,
    n_components: int,
    seed: Any,
    tell: Callable[[float], None],
) -> tuple[Array, Array]:
    """Replace pictures by W H of their patches.

    Parameters
    ----------
    planes : ndarray of shape (n, height, width)
        The pictures; NaN is missing.
    units : Units
        Their grey levels.
    patch_size, n_components : int
        Of the patches and of the parts.
    seed : RandomState
        Chooses the patches to learn from, and the start.
    tell : callable
        Told the share of the work that is done.

    Returns
    -------
    restored : ndarray, same shape and dtype
    mask : ndarray of bool, same shape
        True where more than half of a pixel's patches call it noise, and where it was missing.
    """
    examples = [sample_patches(plane, None, patch_size, len(planes), seed) for plane in planes]
    model = fit_patches(units.grey(np.concatenate(examples)), n_components, seed)
    # Patches overlap by half: each pixel is the mean of four of them.
    step = max(1, patch_size // 2)
    restored = np.empty_like(planes)
    mask = np.zeros(planes.shape, dtype=bool)
    tiles = list(cut_tiles(planes.shape[1], planes.shape[2], _TILE))
    for turn, (place, tile) in enumerate((p, t) for p in range(len(planes)) for t in tiles):
        part = units.grey(planes[place][tile.outer]) / np.float32(WHITE)
        rows = cut_patches(part, patch_size, step)
        whole = model.inverse_transform(model.transform(rows))
        noisy = model.detect(rows).astype(np.float32)
        joined = (join_patches(made, part.shape, patch_size, step) for made in (whole, noisy))
        picture, votes = (made[tile.inner] for made in joined)
        restored[place][tile.core] = units.back(np.clip(picture, 0, 1) * WHITE)
        mask[place][tile.core] = (votes > 0.5) | np.isnan(part[tile.inner])
        tell((turn + 1) / (len(planes) * len(tiles)))
    return restored, mask
