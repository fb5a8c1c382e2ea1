"""`denoise_stack`: many aligned pictures, which predict each other, in memory or elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from robustnmf._common.arrays import Array
from robustnmf._common.checks import check_count, check_positive, check_seed
from robustnmf._common.progress import Share, part, silent
from robustnmf._image.background import BackgroundLearner
from robustnmf._image.given_stack import GivenStack
from robustnmf._image.judge import Judge
from robustnmf._image.occlusions import find_occlusions
from robustnmf._image.result import Denoised
from robustnmf._image.stack_answers import NAMES, Judged, checked_targets, delivered

# Shares of the time that have usually gone by when each step ends.
_LOOKED, _SKETCHED, _JUDGED = 0.1, 0.5, 0.95


@dataclass(frozen=True)
class DenoisedStack(Denoised):
    """A restored stack, what was wrong with it, and what moves in it.

    Attributes
    ----------
    image : ndarray
        The restored stack, of the shape and dtype of the one given.
    mask : ndarray of bool
        True where a pixel was corrupt or missing, and so was replaced.
    measured : object
        The stack as it was given.
    background : ndarray of float32
        W H: what the pictures share, each in its own mixture.
    foreground : ndarray of float32
        E: what no mixture of components explains, things that move as well as noise; 0 elsewhere.
        ``foreground * ~mask`` leaves the corrupt pixels out.

    Notes
    -----
    With `out`, these are the arrays given there, and None for what was not asked for.
    """

    background: Array
    foreground: Array

    @property
    def noise(self) -> Array:
        """What was measured less what was put in its place, in memory wherever the stack lies."""
        if self.image is None or self.mask is None:
            raise ValueError("noise follows from image and mask: name both in out")
        parts = (self.image, self.mask, self.measured)
        return Denoised(
            *(A if isinstance(A, np.ndarray) else np.asarray(A[:]) for A in parts)
        ).noise


def denoise_stack(
    stack: Any,
    *,
    channel_axis: int | None = None,
    n_components: int = 10,
    lam: float | None = None,
    data_range: float | None = None,
    random_state: Any = 0,
    return_details: bool = False,
    out: Any = None,
    progress: Share | None = None,
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
        array. It is not written to. Datasets of HDF5 (h5py), arrays of Zarr and Dask, large
        memory-mapped arrays, and any other object with `shape`, `dtype` and slices of its first
        axis (and without ``__array__``) are read a few pictures at a time, along the first axis.
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
    out : array of the shape of `stack`, or with `return_details` a dict of them, default=None
        Where to put the restored stack; with `return_details`, "image", "mask", "background" and
        "foreground". What is not named is not made, and None in the answer. Any array will do whose
        pictures can be assigned: NumPy, memory-mapped, Zarr, HDF5. It is filled from the first
        picture to the last, when all have been judged.
    progress : callable, default=None
        Called with the share of the work that is done, from 0 to 1.

    Returns
    -------
    ndarray or DenoisedStack
        The restored stack, of the same shape and dtype, or `out`; all pixels that are not corrupt
        stay bit for bit. With `return_details`, an object that holds it as ``image``, beside
        ``mask``, ``noise``, ``background`` (W H) and ``foreground`` (E).

    Notes
    -----
    The components are learned from 2,048 pixels of each picture, and corruption from as many
    pictures as have a quarter of a million pixels. The others are turned into floats a few at a
    time: beside the stack as it was given and as it is returned, memory holds a fraction of it.
    With `return_details`, background and foreground take four bytes for each pixel, and the mask
    one.

    A stack that is not in memory is read three to seven times (an array of Dask is computed as
    often). With `out`, memory holds a few pictures, some 40 bytes for each pixel of one picture,
    and some tens of kilobytes for each picture. What is restored, and some bits for each pixel, lie
    in files without a name meanwhile, in the folder for temporary files (``TMPDIR``). The answer is
    the same wherever the stack lies, bit for bit.

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

    From one file into another, whatever their size:

    >>> import tempfile
    >>> from pathlib import Path
    >>> folder = tempfile.TemporaryDirectory()
    >>> path, new = (Path(folder.name) / name for name in ("frames.npy", "clean.npy"))
    >>> np.save(path, dirty)
    >>> frames = np.load(path, mmap_mode="r")
    >>> out = np.lib.format.open_memmap(new, "w+", dtype=frames.dtype, shape=frames.shape)
    >>> bool((denoise_stack(frames, out=out) == result.image).all())
    True
    >>> folder.cleanup()
    """
    found = GivenStack.of(stack, channel_axis)
    check_count("n_components", n_components)
    check_seed(random_state)
    if lam is not None:
        check_positive("lam", lam, "Try 1 / (how many pixels of a picture may be corrupt).")
    targets = checked_targets(out, found, return_details=return_details)
    tell = progress or silent
    pictures = found.pictures(data_range)
    rng = check_random_state(random_state)
    learner = BackgroundLearner(pictures, n_components, lam, rng)
    covered = find_occlusions(pictures, learner, part(tell, 0, _LOOKED))
    judge = Judge(pictures, covered, rng)
    background = judge.background(learner, part(tell, _LOOKED, _SKETCHED))
    restored, replaced = judge.judged(background, part(tell, _SKETCHED, _JUDGED))
    judged = Judged(pictures, restored, replaced, background, learner.lam)
    names = NAMES if return_details else ("image",)
    answers = delivered(judged, found, targets, names, part(tell, _JUDGED, 1))
    tell(1.0)
    if not return_details:
        return answers["image"]
    fields: dict[str, Any] = {name: answers.get(name) for name in NAMES}
    return DenoisedStack(measured=found.measured, **fields)
