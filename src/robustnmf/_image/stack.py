"""`denoise_stack`: many aligned pictures, which predict each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.checks import check_count, check_positive, check_seed
from robustnmf._core.noise import SquaredL1
from robustnmf._engines.threads import ordered_map, ordered_stream
from robustnmf._image.background import Background, BackgroundLearner
from robustnmf._image.checks import check_image, looks_like_colour
from robustnmf._image.detection import Region, detect
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.occlusions import find_occlusions
from robustnmf._image.pictures import Flags, Pictures
from robustnmf._image.planes import from_planes, to_planes
from robustnmf._image.reliability import is_reliable
from robustnmf._image.result import Denoised


@dataclass(frozen=True)
class StackSettings:
    """Constants of the work on a stack.

    No study chose them. What they must reach is checked on the stacks of
    ``tests/image/test_stack.py`` and ``tests/image/test_reliability.py``.

    Attributes
    ----------
    learned_from : int
        Corruption is learned from as many pictures as have about so many pixels, each channel
        counted.
    at_once : int
        Small pictures are judged together, as many as have so many pixels.
    guess_weight : float
        How much a pixel that is flagged counts for the background, at its neighbours' prediction.
    """

    learned_from: int = 2**18
    at_once: int = 2**16
    guess_weight: float = 0.02


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
    The components are learned from 2,048 pixels of each picture, and corruption from as many
    pictures as have a quarter of a million pixels. The others are turned into floats a few at a
    time: beside the stack as it was given and as it is returned, memory holds a fraction of it.
    With `return_details`, background and foreground take four bytes for each pixel, and the mask
    one.

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
    pictures = Pictures(planes, GreyScale.estimate(planes, data_range, given.dtype), n_channels)
    rng = check_random_state(random_state)
    learner = BackgroundLearner(pictures, n_components, lam, rng)
    # The links of one picture are those of all.
    judge = _Judge(pictures, find_occlusions(pictures, learner), links[:n_channels], rng)
    background = judge.background(learner)
    restored, replaced = judge.judged(background)
    image = from_planes(restored, array.shape, channel_axis).astype(given.dtype, copy=False)
    if not return_details:
        return image
    mask = replaced.at(np.arange(pictures.n_pixels)).reshape(planes.shape)
    parts = (mask, *_explained(pictures, background, learner.lam))
    mask, shared, foreground = (from_planes(part, array.shape, channel_axis) for part in parts)
    return DenoisedStack(image, mask, given, shared, foreground)


class _Judge:
    """Judges the pictures of a stack one after another, by what some of them have taught.

    Parameters
    ----------
    pictures : Pictures
        The stack.
    covered : ndarray of bool, shape of the planes, or None
        Pixels that count as missing.
    links : list of lists of int
        Which channels of a picture predict each other.
    rng : RandomState
        Chooses the pictures to learn from.
    """

    def __init__(
        self,
        pictures: Pictures,
        covered: Array | None,
        links: list[list[int]],
        rng: np.random.RandomState,
    ) -> None:
        self._pictures = pictures
        self._covered = covered
        self._links = links
        n = -(-STACK.learned_from // pictures.n_pixels)
        chosen = np.sort(rng.permutation(len(pictures))[:n])
        others = np.setdiff1d(np.arange(len(pictures)), chosen)
        self._learned_from, self._others = self._batches(chosen), self._batches(others)

    def background(self, learner: BackgroundLearner) -> Background:
        """Return what the pictures have in common, where their neighbours flag nothing."""
        guess, flagged = self.judged(None)
        return learner.learn(replace(self._pictures, planes=guess), flagged, STACK.guess_weight)

    def judged(self, background: Background | None) -> tuple[Array, Flags]:
        """Return the stack with corrupt and missing pixels replaced, and where they were.

        Without a background it is a sketch, to learn one from.
        """
        pictures = self._pictures
        seen = ordered_map(lambda batch: self._region(batch, background), self._learned_from)
        mixtures = detect(seen)
        reliable = background is None or is_reliable(seen, mixtures[-1])
        n = len(seen)
        known: list[Region | None] = [*seen, *[None] * len(self._others)]
        del seen

        def judge(turn: int) -> tuple[Array, Array]:
            region, known[turn] = known[turn], None
            if region is None:
                region = self._region(self._others[turn - n], background)
                if background is None:
                    region.glance(mixtures)
                elif reliable or not region.known.all():
                    region.follow(mixtures)
            if not reliable:
                region.clear_flags()
            flagged, values = region.flagged, region.prediction
            if background is not None and flagged.any():
                values = region.repaired(mixtures[-1], flagged)
            return flagged, pictures.greys.to_image(values[flagged])

        restored, replaced = pictures.planes.copy(), Flags(pictures)
        batches = [*self._learned_from, *self._others]
        results = ordered_stream(judge, range(len(batches)))
        for batch, (flagged, values) in zip(batches, results, strict=True):
            replaced.put(batch, flagged)
            planes = pictures.planes_of(batch)
            changed = restored[planes]
            changed[flagged] = values
            restored[planes] = changed
        return restored, replaced

    def _batches(self, indices: Array) -> list[Array]:
        """Cut a list of pictures into some that are small enough to be looked at together."""
        n = max(1, STACK.at_once // self._pictures.n_pixels)
        return [indices[first : first + n] for first in range(0, len(indices), n)]

    def _region(self, batch: Array, background: Background | None) -> Region:
        planes, n = self._pictures.planes_of(batch), self._pictures.n_channels
        grey, known = self._pictures.grey(planes)
        if self._covered is not None:
            known &= ~self._covered[planes]
        guides = None if background is None else background.of(batch)
        links = [
            [first + other for other in one]
            for first in range(0, len(planes), n)
            for one in self._links
        ]
        return Region(grey, known, links, guides)


def _explained(pictures: Pictures, background: Background, lam: float) -> tuple[Array, Array]:
    """Return what the pictures have in common and, as E of the model, what it does not explain."""
    greys, model = pictures.greys, SquaredL1(lam)
    shared, foreground = (np.empty(pictures.planes.shape, np.float32) for _ in range(2))

    def explain(index: int) -> None:
        planes, common = pictures.planes_of([index]), background.of([index])
        grey, known = pictures.grey(planes)
        noise = model.noise(np.where(known, grey, common).reshape(1, -1), common.reshape(1, -1))
        shared[planes] = greys.to_floats(common)
        foreground[planes] = noise.reshape(common.shape) * greys.step

    ordered_map(explain, range(len(pictures)))
    return shared, foreground
