"""`denoise_stack`: many aligned pictures, which predict each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.checks import check_count, check_positive, check_seed
from robustnmf._estimators import RobustNMF
from robustnmf._image.checks import check_image, looks_like_colour
from robustnmf._image.detection import Region, detect
from robustnmf._image.factors import fit_grey
from robustnmf._image.grey_levels import WHITE, GreyScale
from robustnmf._image.occlusions import find_occlusions
from robustnmf._image.planes import from_planes, to_planes
from robustnmf._image.reliability import is_reliable
from robustnmf._image.result import Denoised


@dataclass(frozen=True)
class StackSettings:
    """Constants of learning from a stack.

    No study chose them. What they must reach is checked on the stacks of
    ``tests/image/test_stack.py`` and ``tests/image/test_reliability.py``.

    Attributes
    ----------
    usual_share : float
        Share of a picture's pixels that may well be foreground or noise: λ is 1 over their number.
    samples_per_component : int
        At the least: components of their own would take the noise as it is.
    n_turns : int
        How often components are learned from what is not flagged, and pixels flagged with their
        help.
    max_iter : int
        Iterations of each fit.
    """

    usual_share: float = 0.05
    samples_per_component: int = 4
    n_turns: int = 2
    max_iter: int = 200


STACK = StackSettings()


@dataclass(frozen=True)
class DenoisedStack(Denoised):
    """A restored stack, what was wrong with it, and what moves in it.

    Attributes
    ----------
    image : ndarray
        The restored stack, of the shape and dtype of the one given.
    mask : ndarray of bool
        True where a pixel was corrupt or missing, and so was replaced.
    measured : ndarray
        The stack as it was given.
    background : ndarray of float32
        W H: what the pictures share, each in its own mixture.
    foreground : ndarray of float32
        E: what no mixture of components explains, things that move as well as noise; 0 elsewhere.
        ``foreground * ~mask`` leaves the corrupt pixels out.
    """

    background: Array
    foreground: Array


def denoise_stack(
    stack: Any,
    *,
    channel_axis: int | None = None,
    n_components: int = 10,
    lam: float | None = None,
    data_range: float | None = None,
    random_state: Any = 0,
    return_details: bool = False,
) -> Any:
    """Find the corrupt pixels of many aligned pictures and replace them.

    The pictures are the samples of a RobustNMF, so what they have in common helps to judge
    each pixel, beside its neighbours: faces, frames of a fixed camera, microscope frames. For
    pictures that do not show the same thing at the same place, use `denoise_image` on each.
    Areas of one value that cover part of a picture are found as well, if the other pictures tell
    what they hide; where they travel from picture to picture they are things that move, and stay.

    Parameters
    ----------
    stack : array-like of shape (n_pictures, height, width), or with channels
        Integers or floats of any range; NaN means missing, and so does the mask of a masked
        array. It is not written to.
    channel_axis : int, default=None
        Which axis holds channels; None if none does.
    n_components : int, default=10
        How many components, as in RobustNMF; fewer are used if there are fewer than four pictures
        for each.
    lam : float, default=None
        λ of the RobustNMF. By default 1 / (5 % of the pixels of a picture), where RobustNMF has a
        number: about 1/s is right if s pixels are noise, and that grows with the picture.
    data_range : float, default=None
        Distance from black to white, as in `denoise_image`.
    random_state : int, RandomState or None, default=0
        Seed of the start; None draws one each time. A number by default, unlike that of RobustNMF:
        the same pictures give the same answer.
    return_details : bool, default=False
        Whether to return the mask, the noise, the background and the foreground as well.

    Returns
    -------
    ndarray or DenoisedStack
        The restored stack, of the same shape and dtype; all pixels that are not corrupt stay bit
        for bit. With `return_details`, an object that holds it as ``image``, beside ``mask``,
        ``noise``, ``background`` (W H) and ``foreground`` (E).

    Notes
    -----
    The whole stack is held in memory as floats, some ten times.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf.image import denoise_stack
    >>> rng = np.random.default_rng(0)
    >>> scene = np.add.outer(np.arange(24.0), np.arange(24.0)) + 40
    >>> clean = np.stack([scene * light for light in rng.uniform(0.5, 1.5, 12)]).astype(np.uint8)
    >>> dirty = clean.copy()
    >>> dirty[3, 5, 6], dirty[7, 11, 2] = 255, 0
    >>> result = denoise_stack(dirty, random_state=0, return_details=True)
    >>> np.argwhere(result.mask).tolist()
    [[3, 5, 6], [7, 11, 2]]
    """
    given, array = check_image(stack, "stack")
    if channel_axis is None and looks_like_colour(array.shape):
        raise ValueError(
            f"stack has shape {array.shape}, which is that of one colour picture: use "
            "denoise_image(picture, channel_axis=-1); a stack of them has four axes"
        )
    if array.ndim != 3 + (channel_axis is not None):
        raise ValueError(
            f"stack has shape {array.shape}: pictures along the first axis are needed; "
            "for one picture use denoise_image, for channels pass channel_axis"
        )
    check_count("n_components", n_components)
    check_seed(random_state)
    if lam is not None:
        check_positive("lam", lam, "Try 1 / (how many pixels of a picture may be corrupt).")
    planes, links = to_planes(array, channel_axis, link_slices=False)
    n_channels = 1 if channel_axis is None else array.shape[channel_axis]
    n = len(planes) // n_channels
    greys = GreyScale.estimate(planes, data_range, given.dtype)
    grey = greys.to_grey(planes)
    known = np.isfinite(grey)
    grey = np.where(known, grey, np.float32(0))
    model = RobustNMF(
        max(1, min(n_components, n // STACK.samples_per_component)),
        lam=lam or 1 / (STACK.usual_share * grey.size / n),
        max_iter=STACK.max_iter,
        random_state=check_random_state(random_state).randint(2**31),
    )
    visible = known & ~find_occlusions(grey, known, n, model)
    # The links of one picture are those of all.
    repaired, replace = _restore(model, grey, visible, links[:n_channels])
    image = np.where(replace, greys.to_image(repaired), planes)
    image = from_planes(image, array.shape, channel_axis).astype(given.dtype, copy=False)
    if not return_details:
        return image
    # A picture that is missing altogether is known by nothing but its repair.
    missing = ~known.reshape(n, -1).any(axis=1).repeat(n_channels)[:, None, None]
    rows = np.where(known, grey, np.where(missing, repaired, np.nan)).reshape(n, -1)
    rows /= np.float32(WHITE)
    background = (model.transform(rows) @ model.components_).reshape(planes.shape) * WHITE
    noise = model.estimate_noise(rows).toarray().reshape(planes.shape)
    foreground = (noise * (WHITE * greys.step)).astype(np.float32)
    return DenoisedStack(
        image,
        from_planes(replace, array.shape, channel_axis),
        given,
        from_planes(greys.to_floats(background), array.shape, channel_axis),
        from_planes(foreground, array.shape, channel_axis),
    )


def _restore(
    model: RobustNMF, grey: Array, known: Array, links: list[list[int]]
) -> tuple[Array, Array]:
    """Flag by neighbours alone, then by neighbours and components in turns; repair what is flagged.

    Parameters
    ----------
    model : RobustNMF
        Fitted here, to the pixels that are not flagged.
    grey, known : ndarray of shape (n_pictures * n_channels, height, width)
        The pictures, from 0 to 255, and which of their pixels are known.
    links : list of lists of int
        Which channels of a picture predict each other.

    Returns
    -------
    repaired : ndarray, same shape
    replace : ndarray of bool, same shape
        Pixels that are corrupt or missing.
    """
    n_channels = len(links)
    pictures = [slice(top, top + n_channels) for top in range(0, len(grey), n_channels)]
    regions = [Region(grey[span], known[span], links) for span in pictures]
    mixtures = detect(regions)
    for _ in range(STACK.n_turns):
        predicted = np.concatenate([region.prediction for region in regions])
        guides = _product(model, grey, predicted, _flagged(regions), len(pictures))
        regions = [Region(grey[span], known[span], links, guides[span]) for span in pictures]
        mixtures = detect(regions)
    if not is_reliable(regions, mixtures[-1]):
        for region in regions:
            region.clear_flags()
    repaired = [region.repaired(mixtures[-1], region.flagged) for region in regions]
    return np.concatenate(repaired), _flagged(regions)


def _flagged(regions: list[Region]) -> Array:
    return np.concatenate([region.flagged for region in regions])


def _product(model: RobustNMF, grey: Array, predicted: Array, flagged: Array, n: int) -> Array:
    """Return W H of the pictures, learned from the pixels that are not flagged."""
    rows, guess, unknown = (planes.reshape(n, -1) for planes in (grey, predicted, flagged))
    # A pixel that is flagged in all pictures, and a picture that is flagged everywhere, would have
    # nothing to learn from but the neighbours' prediction.
    all_flagged = unknown.all(axis=0) | unknown.all(axis=1, keepdims=True)
    rows = np.where(unknown, np.where(all_flagged, guess, np.nan), rows)
    W = fit_grey(model, rows)
    return (W @ model.components_ * WHITE).reshape(grey.shape).astype(np.float32)
