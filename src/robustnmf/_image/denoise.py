"""`denoise_image`: one image in, the same image without its corrupt pixels out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.checks import as_random_state, check_choice, check_count
from robustnmf._common.progress import Share, silent
from robustnmf._engines.threads import ordered_map, ordered_stream
from robustnmf._image.checks import check_image, looks_like_colour
from robustnmf._image.dead_lines import dead_lines
from robustnmf._image.detection import Region, detect
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.mixture import Mixture
from robustnmf._image.planes import from_planes, to_planes
from robustnmf._image.reliability import is_reliable
from robustnmf._image.result import Denoised
from robustnmf._image.tiles import TILING, Tile, cut_tiles

MODES = ("restore", "paper")


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
    progress: Share | None = None,
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
        Height and width of the patches of ``mode="paper"``. No image may be smaller.
    n_components : int, default=16
        How many components ``mode="paper"`` learns. More than the 10 of RobustNMF: all figures of
        the study of pictures (docs/images.md) are for patches of 8 × 8 pixels with 16 components,
        as are those of the plain NMF that it compares with.
    data_range : float, default=None
        Distance from black to white. By default 255 for eight-bit images, else what a median
        filter leaves of the values of the image.
    random_state : int, RandomState or None, default=0
        Chooses the parts to learn from: patches with ``mode="paper"``, else tiles of a large
        picture; None draws others each time. A number by default, unlike
        that of RobustNMF: the same picture gives the same answer.
    return_details : bool, default=False
        Whether to return the mask and the noise as well.
    progress : callable, default=None
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    ndarray or Denoised
        The restored image, of the same shape and dtype. With `return_details`, an object that
        holds it as ``image``, beside ``mask`` (True where a pixel was corrupt or missing) and
        ``noise`` (what was measured less what was put in its place; 0 elsewhere).

    Notes
    -----
    Each pixel is predicted from its neighbours with coefficients fitted to its surroundings, and
    flagged where its posterior probability of being corrupt exceeds one half; predicting and
    flagging go in turns. Flagged pixels are then replaced by that prediction. Pictures of more than
    a million pixels are learned from four parts, and worked on in tiles. Where hidden pixels are
    predicted no better than the flagged ones, as in pure noise, nothing but missing pixels and dead
    lines is replaced.

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
    rng = as_random_state(random_state)
    planes, links = to_planes(array, channel_axis)
    _check_sizes(array.shape, planes.shape[1:], channel_axis, patch_size, n_components)
    greys = GreyScale.estimate(planes, data_range, given.dtype)
    progress = progress or silent
    if mode == "paper":
        # Brings the estimators along, and with them scikit-learn.
        from robustnmf._image.paper import paper_image

        restored, mask = paper_image(planes, greys, patch_size, n_components, rng, progress)
    else:
        restored, mask = _restore(planes, links, greys, rng, progress)
    progress(1.0)
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
class _Learned:
    """All that was learned from a picture, to be applied to each of its tiles.

    Attributes
    ----------
    mixtures : list of Mixture
        One for each round, and what follows from the last.
    reliable : bool
        Whether flagged pixels are to be replaced.
    """

    mixtures: list[Mixture]
    reliable: bool

    @classmethod
    def of(cls, regions: list[Region]) -> _Learned:
        """Flag some regions of a picture in place, and learn from them."""
        mixtures = detect(regions)
        reliable = is_reliable(regions, mixtures[-1])
        if not reliable:
            for region in regions:
                region.clear_flags()
        return cls(mixtures, reliable)

    def flag(self, region: Region) -> None:
        """Flag a region in rounds, with what the whole picture has taught already."""
        if self.reliable:
            region.follow(self.mixtures)
        else:
            region.clear_flags()


def _restore(
    planes: Array,
    links: list[list[int]],
    greys: GreyScale,
    rng: np.random.RandomState,
    progress: Share,
) -> tuple[Array, Array]:
    """Return the planes with corrupt and missing pixels replaced, and where they were."""
    n, height, width = planes.shape
    lines = [dead_lines(plane, greys) for plane in planes]

    def region(tile: Tile) -> Region:
        grey = greys.to_grey(planes[(slice(None), *tile.outer)])
        known = np.isfinite(grey)
        for plane, (rows, columns) in zip(known, lines, strict=True):
            plane[rows[tile.outer[0]]] = False
            plane[:, columns[tile.outer[1]]] = False
        return Region(np.where(known, grey, np.float32(0)), known, links, own=tile.inner)

    whole: Region | None = None
    if planes.size <= TILING.largest_whole:
        tiles = list(cut_tiles(height, width, max(height, width)))
        whole = region(tiles[0])
        learned = _Learned.of([whole])
    else:
        tiles = list(cut_tiles(height, width, TILING.side_of(n)))
        samples = list(cut_tiles(height, width, TILING.sample_side_of(n)))
        chosen = sorted(rng.permutation(len(samples))[: TILING.n_samples])
        learned = _Learned.of(ordered_map(region, [samples[i] for i in chosen]))

    def restore(tile: Tile) -> tuple[Array, Array]:
        """Return which pixels of a tile are replaced, and by what."""
        current = whole
        if current is None:
            current = region(tile)
            learned.flag(current)
        flagged = current.flagged
        repaired = current.values
        if flagged.any():
            repaired = current.repaired(learned.mixtures[-1], flagged)
        inner = (slice(None), *tile.inner)
        return flagged[inner], greys.to_image(repaired[inner][flagged[inner]])

    restored = planes.copy()
    mask = np.zeros(planes.shape, dtype=bool)
    results = zip(tiles, ordered_stream(restore, tiles), strict=True)
    for done, (tile, (replaced, values)) in enumerate(results, 1):
        core = (slice(None), *tile.core)
        mask[core] = replaced
        restored[core][replaced] = values
        progress(done / len(tiles))
    return restored, mask
