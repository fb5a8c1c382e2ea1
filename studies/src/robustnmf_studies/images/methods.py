"""The methods compared: ours, the alternatives, and an oracle.

Those of `skimage.restoration` get their setting from the noisy picture by self-supervision
(`skimage.restoration.calibrate_denoiser`), the best that someone without the clean picture can do.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from robustnmf._common.optional import import_extra
from robustnmf._image.patches import cut_patches, join_patches
from robustnmf.image import denoise_image
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.images.settings import CORRUPT_FROM

Array = NDArray[Any]

OURS, NOTHING, ORACLE = "ours", "nothing", "biharmonic"
PATCH, STEP, PARTS = 8, 4, 16
# The largest window of the adaptive median, and the threshold of the switching one.
_WIDEST = 7
_SWITCH = 40


class Restored(NamedTuple):
    """A picture, from 0 to 255, and the pixels that were held to be corrupt, if a method says."""

    picture: Array
    mask: Array | None


Method = Callable[[Array, Array, int], Restored]


def _ours(dirty: Array, wrong: Array, seed: int, *, mode: str) -> Restored:
    found = denoise_image(dirty, mode=mode, random_state=seed, return_details=True)
    return Restored(found.image, found.mask)


def _changed(dirty: Array, picture: Array) -> Restored:
    """For methods that change all pixels: those changed by much count as found."""
    picture = np.clip(np.rint(picture), 0, 255)
    return Restored(picture, np.abs(picture - dirty) > CORRUPT_FROM)


def _nmf(dirty: Array, wrong: Array, seed: int) -> Restored:
    from sklearn.decomposition import NMF
    from sklearn.exceptions import ConvergenceWarning

    rows = cut_patches(dirty / 255, PATCH, STEP)
    model = NMF(PARTS, init="nndsvda", random_state=seed)
    with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
        W = model.fit_transform(rows)
    return _changed(dirty, 255 * join_patches(W @ model.components_, dirty.shape, PATCH, STEP))


def _robust_pca(dirty: Array, wrong: Array, seed: int) -> Restored:
    rows = cut_patches(dirty / 255, PATCH, STEP)
    found = principal_component_pursuit(rows, tol=1e-4)
    return _changed(dirty, 255 * join_patches(found.low_rank, dirty.shape, PATCH, STEP))


def _median(dirty: Array, wrong: Array, seed: int, *, side: int) -> Restored:
    return _changed(dirty, ndimage.median_filter(dirty, side).astype(float))


def _switching_median(dirty: Array, wrong: Array, seed: int) -> Restored:
    """Replace a pixel by the median around it where they differ by much."""
    middle = ndimage.median_filter(dirty, 3).astype(float)
    mask = np.abs(dirty - middle) > _SWITCH
    return Restored(np.where(mask, middle, dirty), mask)


def _adaptive_median(dirty: Array, wrong: Array, seed: int) -> Restored:
    """Widen the window until its median is no extreme; replace pixels that are (Hwang, Haddad)."""
    picture = dirty.astype(float)
    mask = np.zeros(dirty.shape, dtype=bool)
    open_ = np.ones(dirty.shape, dtype=bool)
    for side in range(3, _WIDEST + 1, 2):
        low, high = ndimage.minimum_filter(dirty, side), ndimage.maximum_filter(dirty, side)
        middle = ndimage.median_filter(dirty, side)
        extreme = (dirty == low) | (dirty == high)
        settled = open_ & (middle > low) & (middle < high)
        if side == _WIDEST:
            settled = open_
        replaced = settled & extreme
        picture[replaced] = middle[replaced]
        mask |= replaced & (picture != dirty)
        open_ &= ~settled
    return Restored(picture, mask)


def _calibrated(name: str, **settings: list[float]) -> Method:
    fixed = {"nl_means": {"patch_size": 5, "patch_distance": 6, "fast_mode": True}}

    def restore(dirty: Array, wrong: Array, seed: int) -> Restored:
        restoration = import_extra("skimage.restoration", "image", "the comparison needs")
        denoise = functools.partial(getattr(restoration, f"denoise_{name}"), **fixed.get(name, {}))
        noisy = dirty / 255
        best = restoration.calibrate_denoiser(noisy, denoise, settings, approximate_loss=True)
        return _changed(dirty, 255 * best(noisy))

    return restore


def _biharmonic(dirty: Array, wrong: Array, seed: int) -> Restored:
    """Fill in the pixels that are wrong, which only an oracle is told."""
    restoration = import_extra("skimage.restoration", "image", "the comparison needs")
    if not wrong.any():
        return Restored(dirty, None)
    filled = restoration.inpaint_biharmonic(dirty / 255, wrong, split_into_regions=True)
    return Restored(np.clip(np.rint(255 * filled), 0, 255), None)


_METHODS: dict[str, tuple[str, Method]] = {
    OURS: ("denoise_image", functools.partial(_ours, mode="restore")),
    "paper": ('denoise_image, mode="paper"', functools.partial(_ours, mode="paper")),
    "nmf": ("NMF of patches", _nmf),
    "pca": ("robust PCA of patches", _robust_pca),
    "median3": ("median 3×3", functools.partial(_median, side=3)),
    "median5": ("median 5×5", functools.partial(_median, side=5)),
    "switching": ("switching median", _switching_median),
    "adaptive": ("adaptive median", _adaptive_median),
    "tv": (
        "total variation",
        _calibrated("tv_chambolle", weight=[0.05, 0.1, 0.2, 0.4, 0.8]),
    ),
    "nlm": ("non-local means", _calibrated("nl_means", h=[0.03, 0.06, 0.12, 0.24])),
    "wavelet": ("wavelet", _calibrated("wavelet", sigma=[0.02, 0.05, 0.1, 0.2, 0.3])),
    ORACLE: ("biharmonic, told the mask", _biharmonic),
    NOTHING: ("as it was", lambda dirty, wrong, seed: Restored(dirty, None)),
}
METHODS = {name: method for name, (_, method) in _METHODS.items()}
METHOD_NAMES = {name: words for name, (words, _) in _METHODS.items()}
MEDIANS = ("median3", "median5")
# All that needs neither the clean picture nor the mask.
RIVALS = tuple(name for name in METHODS if name not in (OURS, ORACLE, NOTHING))
