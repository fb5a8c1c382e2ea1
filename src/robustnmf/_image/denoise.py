"""`denoise_image`: one image in, the same image without its corrupt pixels out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from robustnmf._fitting.parameters import check_choice, check_count, check_seed
from robustnmf._image.belief import Belief
from robustnmf._image.checks import check_image, looks_like_colour
from robustnmf._image.evidence import believable
from robustnmf._image.lines import dead_lines
from robustnmf._image.paper import paper_image
from robustnmf._image.parts import Parts, fit_patches, sample_patches, weigh_parts
from robustnmf._image.planes import Units, from_planes, to_planes
from robustnmf._image.result import Denoised
from robustnmf._image.rounds import Region, settle
from robustnmf._image.tiles import Tile, cut_tiles

Array = NDArray[Any]
Progress = Callable[[float], None]

MODES = ("restore", "paper")
# Pixels of a picture that are looked at as a whole; larger ones are cut into tiles.
_WHOLE = 2**20
_TILE = 512
# Tiles from which a large picture is learned.
_LEARN_FROM = 4
# Known pixels hidden to see how well neighbours and patches predict them.
_HIDDEN = 0.03
# Rows and columns of a region in which that is done.
_ENOUGH = 256


def denoise_image(
    image: Any,
    *,
    channel_axis: int | None = None,
    mode: str = "restore",
    patch_size: int = 8,
    n_components: int = 16,
    data_range: float | None = None,
    random_state: Any = 0,
    return_details: bool = False,
    progress: Progress | None = None,
) -> Any:
    """Find the corrupt pixels of an image and replace them.

    Meant for impulses: pixels that are wrong by themselves, black, white or of any value, up to
    about a third of all; also for dead rows and columns and for missing pixels (NaN). It does
    not remove weak noise that is in all pixels, nor things that cover part of the picture.

    Parameters
    ----------
    image : array-like of shape (..., height, width)
        Grey picture, stack or volume (the last two axes are rows and columns), or with
        `channel_axis` a colour picture or hyperspectral cube. Integers or floats of any range;
        NaN means missing, and so does the mask of a masked array. It is not written to.
    channel_axis : int, default=None
        Which axis holds channels; None if none does. Colours then help to judge each other.
    mode : {"restore", "paper"}, default="restore"
        With ``"restore"``, only corrupt and missing pixels are replaced; all others stay bit for
        bit as they were measured. With ``"paper"``, the whole picture is replaced by W H of its
        patches (section 6.2.2 of the paper), which also blurs what was clean.
    patch_size : int, default=8
        Height and width of the patches from which parts are learned.
    n_components : int, default=16
        How many parts.
    data_range : float, default=None
        Distance from black to white. By default 255 for eight-bit images, else what a median
        filter leaves of the values of the image.
    random_state : int, RandomState or None, default=0
        Chooses the patches to learn from; the same seed gives the same picture. None draws others
        each time.
    return_details : bool, default=False
        Whether to return the mask and the noise as well.
    progress : callable, default=None
        Told the share of the work that is done, from 0 to 1.

    Returns
    -------
    ndarray or Denoised
        The restored image, of the same shape and dtype. With `return_details`, an object that
        holds it as ``image``, beside ``mask`` (True where a pixel was corrupt or missing) and
        ``noise`` (what was measured less what was put in its place; 0 elsewhere).

    Notes
    -----
    Each pixel is predicted from its neighbours with coefficients fitted to its surroundings, and
    judged by Bayes' rule; judging and predicting go in turns. Corrupt pixels are then replaced by
    a mean of that prediction and of W H of the patches around them, weighed by how well each
    predicts known pixels. Pictures of more than a million pixels are worked on in tiles. Where
    hidden pixels are predicted no better than what seems corrupt, as in pure noise, nothing but
    missing pixels and dead lines is replaced.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf.image import denoise_image
    >>> clean = np.add.outer(np.arange(64), np.arange(64)).astype(np.uint8)
    >>> dirty = clean.copy()
    >>> dirty[10, 20], dirty[40, 5] = 255, 0
    >>> result = denoise_image(dirty, random_state=0, return_details=True)
    >>> np.argwhere(result.mask).tolist()
    [[10, 20], [40, 5]]
    >>> bool((abs(result.image.astype(int) - clean) <= 1).all())
    True
    """
    given, array = check_image(image)
    check_choice("mode", mode, MODES)
    check_seed(random_state)
    planes, links = to_planes(array, channel_axis)
    _check_sizes(array.shape, planes.shape[1:], channel_axis, patch_size, n_components)
    seed = check_random_state(random_state)
    units = Units.of(planes, data_range, given.dtype)
    tell = progress or (lambda share: None)
    if mode == "paper":
        restored, mask = paper_image(planes, units, patch_size, n_components, seed, tell)
    else:
        restored, mask = _restore(planes, links, units, patch_size, n_components, seed, tell)
    tell(1.0)
    picture = from_planes(restored, array.shape, channel_axis).astype(given.dtype, copy=False)
    if not return_details:
        return picture
    return Denoised(picture, from_planes(mask, array.shape, channel_axis), given)


def _check_sizes(
    whole: tuple[int, ...],
    shape: tuple[int, int],
    channel_axis: int | None,
    patch_size: Any,
    n_components: Any,
) -> None:
    check_count("patch_size", patch_size, least=2)
    check_count("n_components", n_components)
    if channel_axis is None and looks_like_colour(whole):
        raise ValueError(
            f"image has shape {whole}, which is that of a colour picture: pass channel_axis=-1 "
            "(or, if it is a volume of narrow slices, add an axis: image[..., None], "
            "channel_axis=-1)"
        )
    if min(shape) < patch_size:
        height, width = shape
        fix = f", or patch_size={min(shape)}" if min(shape) > 1 else ""
        raise ValueError(
            f"image is {height}x{width} pixels, smaller than a patch: pass a larger image{fix}"
        )


@dataclass(frozen=True)
class _Recipe:
    """All that was learned from a picture, to be applied to each of its tiles."""

    beliefs: list[Belief]
    parts: Parts
    believed: bool
    """Whether pixels that seem corrupt are to be replaced."""


def _restore(
    planes: Array,
    links: list[list[int]],
    units: Units,
    patch_size: int,
    n_components: int,
    seed: Any,
    tell: Progress,
) -> tuple[Array, Array]:
    n, height, width = planes.shape
    lines = [dead_lines(plane, units) for plane in planes]
    side = max(height, width)
    if planes.size > _WHOLE:
        side = max(64, int(_TILE / np.sqrt(n)))
    tiles = list(cut_tiles(height, width, side))
    chosen = sorted(seed.permutation(len(tiles))[:_LEARN_FROM])

    def region(tile: Tile) -> Region:
        grey = units.grey(planes[(slice(None), *tile.outer)])
        known = np.isfinite(grey)
        for plane, (rows, columns) in zip(known, lines, strict=True):
            plane[rows[tile.outer[0]]] = False
            plane[:, columns[tile.outer[1]]] = False
        return Region(np.where(known, grey, np.float32(0)), known, links, own=tile.inner)

    regions = {place: region(tiles[place]) for place in chosen}
    beliefs = settle(list(regions.values()))
    believed = believable(list(regions.values()), beliefs[-1])
    if not believed:
        for judged in regions.values():
            judged.acquit()
    tell(0.5 * len(chosen) / len(tiles))
    parts = _learn_parts(list(regions.values()), beliefs[-1], patch_size, n_components, seed)
    recipe = _Recipe(beliefs, parts, believed)
    restored = planes.copy()
    mask = np.zeros(planes.shape, dtype=bool)
    for place, tile in enumerate(tiles):
        current = regions.pop(place, None)
        if current is None:
            current = region(tile)
            for belief in recipe.beliefs[:-1]:
                current.advance(belief)
            if not recipe.believed:
                current.acquit()
        replace = current.doubtful
        if replace.any():
            grey = _replaced(current, recipe, replace)
            keep = (slice(None), *tile.inner)
            core = (slice(None), *tile.core)
            mask[core] = replace[keep]
            restored[core] = np.where(replace[keep], units.back(grey[keep]), planes[core])
        tell((place + 1) / len(tiles))
    return restored, mask


def _learn_parts(
    regions: list[Region], belief: Belief, side: int, n_components: int, seed: Any
) -> Parts:
    replace = [region.doubtful for region in regions]
    doubtful = [plane for mask in replace for plane in mask]
    planes = [plane for region in regions for plane in region.values]
    none = Parts(np.zeros((1, side * side), dtype=np.float32), side, 0.0)
    if not any(mask.any() for mask in doubtful):
        # Nothing will be replaced, so nothing need be learned.
        return none
    examples = np.concatenate(
        [
            sample_patches(plane, mask, side, len(planes), seed)
            for plane, mask in zip(planes, doubtful, strict=True)
        ]
    )
    if np.isnan(examples).all(axis=0).any():
        # So few patches, or so many doubtful pixels, that nothing is known of some place in them.
        return none
    model = fit_patches(examples, n_components, seed)
    parts = Parts(model.components_, side, 0.0)
    sums = np.zeros(2)
    for region, mask in zip(regions, replace, strict=True):
        hidden = (seed.random_sample(mask.shape) < _HIDDEN) & ~mask
        near = region.restored(belief, mask | hidden)
        for group in zip(region.values, near, hidden, mask, strict=True):
            sums += weigh_parts(parts, *(field[:_ENOUGH, :_ENOUGH] for field in group))
    share = min(max(sums[0] / sums[1], 0.0), 1.0) if sums[1] > 0 else 0.0
    return Parts(parts.components, side, share)


def _replaced(region: Region, recipe: _Recipe, replace: Array) -> Array:
    """Return the region with the pixels to replace predicted by neighbours and parts."""
    parts = recipe.parts
    restored = region.restored(recipe.beliefs[-1], replace)
    if parts.share == 0:
        return restored
    for plane, mask in zip(restored, replace, strict=True):
        far = parts.predict(plane, mask)
        use = mask & np.isfinite(far)
        plane[use] += parts.share * (far[use] - plane[use])
    return restored
