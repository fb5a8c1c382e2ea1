"""`denoise_stack`: many aligned pictures, which know each other."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from robustnmf._estimators import RobustNMF
from robustnmf._fitting.parameters import check_count, check_positive, check_seed
from robustnmf._image.belief import WHITE
from robustnmf._image.checks import check_image, looks_like_colour
from robustnmf._image.covers import find_covers
from robustnmf._image.evidence import believable
from robustnmf._image.planes import Units, from_planes, to_planes
from robustnmf._image.result import Denoised
from robustnmf._image.rounds import Region, settle

Array = NDArray[Any]

# Of a picture, this share of the pixels may well be foreground or noise: λ ≈ 1 / (their number).
_USUAL_SHARE = 0.05
# Pictures for each part, at the least: parts of their own would take the noise as it is.
_PICTURES_PER_PART = 4
_TURNS = 2
_PASSES = 200


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
        E: what no mixture of parts explains, things that move as well as noise; 0 elsewhere.
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
        How many parts; fewer are used if there are fewer than four pictures for each.
    lam : float, default=None
        λ of the RobustNMF. By default 1 / (5 % of the pixels of a picture).
    data_range : float, default=None
        Distance from black to white, as in `denoise_image`.
    random_state : int, RandomState or None, default=0
        Seed of the start; the same seed gives the same pictures. None draws one each time.
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
    planes, links = to_planes(array, channel_axis, slices_help=False)
    channels = 1 if channel_axis is None else array.shape[channel_axis]
    n = len(planes) // channels
    units = Units.of(planes, data_range, given.dtype)
    grey = units.grey(planes)
    known = np.isfinite(grey)
    grey = np.where(known, grey, np.float32(0))
    model = RobustNMF(
        max(1, min(n_components, n // _PICTURES_PER_PART)),
        lam=lam or 1 / (_USUAL_SHARE * grey.size / n),
        max_iter=_PASSES,
        random_state=check_random_state(random_state).randint(2**31),
    )
    visible = known & ~find_covers(grey, known, n, model)
    # The links of one picture are those of all.
    restored, replace = _restore(model, grey, visible, links[:channels])
    image = from_planes(np.where(replace, units.back(restored), planes), array.shape, channel_axis)
    image = image.astype(given.dtype, copy=False)
    if not return_details:
        return image
    # A picture that is missing altogether is known by nothing but its guess.
    lost = ~known.reshape(n, -1).any(axis=1).repeat(channels)[:, None, None]
    rows = np.where(known, grey, np.where(lost, restored, np.nan)).reshape(n, -1)
    rows /= np.float32(WHITE)
    whole = (model.transform(rows) @ model.components_).reshape(planes.shape)
    noise = model.estimate_noise(rows).toarray().reshape(planes.shape)
    return DenoisedStack(
        image,
        from_planes(replace, array.shape, channel_axis),
        given,
        from_planes(units.floats(whole * WHITE), array.shape, channel_axis),
        from_planes((noise * (WHITE * units.level)).astype(np.float32), array.shape, channel_axis),
    )


def _restore(
    model: RobustNMF, grey: Array, known: Array, links: list[list[int]]
) -> tuple[Array, Array]:
    """Judge by neighbours alone, then by neighbours and parts in turns; return what they say.

    Parameters
    ----------
    model : RobustNMF
        Fitted here, to the pixels that are not doubtful.
    grey, known : ndarray of shape (n_pictures * n_channels, height, width)
        The pictures, from 0 to 255, and which of their pixels are known.
    links : list of lists of int
        Which channels of a picture help each other.

    Returns
    -------
    restored : ndarray, same shape
    replace : ndarray of bool, same shape
        Pixels that are corrupt or missing.
    """
    channels = len(links)
    pictures = [slice(top, top + channels) for top in range(0, len(grey), channels)]
    regions = [Region(grey[span], known[span], links) for span in pictures]
    beliefs = settle(regions)
    for _ in range(_TURNS):
        near = np.concatenate([region.prediction for region in regions])
        guides = _explain(model, grey, near, _doubtful(regions), len(pictures))
        regions = [Region(grey[span], known[span], links, guides[span]) for span in pictures]
        beliefs = settle(regions)
    if not believable(regions, beliefs[-1]):
        for region in regions:
            region.acquit()
    restored = [region.restored(beliefs[-1], region.doubtful) for region in regions]
    return np.concatenate(restored), _doubtful(regions)


def _doubtful(regions: list[Region]) -> Array:
    return np.concatenate([region.doubtful for region in regions])


def _explain(model: RobustNMF, grey: Array, near: Array, doubtful: Array, n: int) -> Array:
    """Return each picture as a mixture of parts, learned from the pixels that are not doubtful."""
    rows, guess, unknown = (planes.reshape(n, -1) for planes in (grey, near, doubtful))
    # A place that is doubtful in all pictures, and a picture that is doubtful everywhere, would
    # have nothing to learn from but the guess.
    hopeless = unknown.all(axis=0) | unknown.all(axis=1, keepdims=True)
    rows = np.where(unknown, np.where(hopeless, guess, np.nan), rows) / np.float32(WHITE)
    with warnings.catch_warnings():
        # A prediction need not be right to the last digit.
        warnings.simplefilter("ignore", ConvergenceWarning)
        W = model.fit_transform(rows)
    return (W @ model.components_ * WHITE).reshape(grey.shape).astype(np.float32)
