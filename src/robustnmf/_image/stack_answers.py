"""What is said of a stack, some pictures at a time, and where it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share
from robustnmf._core.noise import SquaredL1
from robustnmf._engines import Written, lies_elsewhere
from robustnmf._engines.threads import read_stream
from robustnmf._estimators.answers import check_out
from robustnmf._image.background import Background
from robustnmf._image.given_stack import GivenStack
from robustnmf._image.pictures import Flags, Pictures, parts
from robustnmf._image.planes import channels_first

Put = Callable[[slice, Array], None]
NAMES = ("image", "mask", "background", "foreground")
# Those that take a product W H.
_EXPLAINED = ("background", "foreground")


@dataclass(frozen=True)
class Judged:
    """All that was found out about a stack.

    Attributes
    ----------
    pictures : Pictures
        The stack.
    restored : (n_pictures, n_pixels)
        The pictures without their corrupt and missing pixels,
    replaced : Flags
        and where these were.
    background : Background
        W H.
    lam : float
        λ of the model.
    """

    pictures: Pictures
    restored: Any
    replaced: Flags
    background: Background
    lam: float

    def answers(self, names: set[str], pictures: slice) -> Iterator[tuple[str, Array]]:
        """Give some answers about some pictures, each as (n, channels, height, width)."""
        shape = (-1, *self.pictures.shape[1:])
        indices = range(pictures.start, pictures.stop)
        if "image" in names:
            yield "image", self.restored[pictures].reshape(shape)
        if "mask" in names:
            yield "mask", self.replaced.of(indices).reshape(shape)
        if names & set(_EXPLAINED):
            given = ((index, self.pictures.read([index])) for index in indices)
            explained = zip(*read_stream(self._explain, given), strict=True)
            for name, found in zip(_EXPLAINED, explained, strict=True):
                if name in names:
                    yield name, np.stack(found)

    def _explain(self, picture: tuple[int, Array]) -> tuple[Array, Array]:
        """Return what a picture shares, and as E of the model what that does not explain."""
        index, given = picture
        greys, common = self.pictures.greys, self.background.of([index])
        grey, known = self.pictures.grey(given)
        X = np.where(known, grey, common).reshape(1, -1)
        noise = SquaredL1(self.lam).noise(X, common.reshape(1, -1)).reshape(common.shape)
        return greys.to_floats(common), (noise * greys.step).astype(np.float32, copy=False)


def checked_targets(out: Any, stack: GivenStack, *, return_details: bool) -> dict[str, Any]:
    """Return where answers are to go, by their names; empty if that is left to us."""
    if out is None:
        return {}
    if not return_details:
        if isinstance(out, Mapping):
            raise ValueError("out is a dict, which goes with return_details=True: pass that, too")
        _check_target("out", out, stack, "image")
        return {"image": out}
    if not isinstance(out, Mapping) or not out or not set(out) <= set(NAMES):
        names = ", ".join(map(repr, NAMES))
        raise ValueError(
            f"with return_details=True, out must be a dict with some of {names}; got {out!r}"
        )
    for name, target in out.items():
        _check_target(f"out[{name!r}]", target, stack, name)
    return dict(out)


def delivered(
    judged: Judged, stack: GivenStack, targets: dict[str, Any], names: Sequence[str], tell: Share
) -> dict[str, Any]:
    """Return answers by their names: all targets, filled, or those of these names as new arrays."""
    filled = targets
    if not targets:
        # What was restored in memory is the answer itself.
        new = [name for name in names if not (name == "image" and stack.held)]
        filled = {name: np.empty(stack.shape, _dtype(name, stack)) for name in new}
    puts = {name: _put(target, stack) for name, target in filled.items()}
    for pictures in _portions(judged.pictures, filled.values()):
        for name, answer in judged.answers(set(filled), pictures):
            puts[name](pictures, answer)
        tell(pictures.stop / len(judged.pictures))
    if targets or not stack.held:
        return filled
    image = stack.as_given(judged.restored.reshape(judged.pictures.shape))
    return {**filled, "image": image.astype(stack.dtype, copy=False)}


def _put(target: Any, stack: GivenStack) -> Put:
    """Return what puts pictures, (n, channels, height, width), into an array of the user's axes."""
    if isinstance(target, np.ndarray) and not lies_elsewhere(target):
        return channels_first(target, stack.channel_axis).__setitem__
    written = Written(target)
    return lambda pictures, answer: written.put(pictures, stack.as_given(answer))


def _portions(pictures: Pictures, targets: Iterable[Any]) -> Iterator[slice]:
    """Cut the stack into parts to be written, each of whole chunks: none is packed twice."""
    chunks = (getattr(A, "shards", None) or getattr(A, "chunks", None) for A in targets)
    chunk = max((each[0] for each in chunks if each), default=1)
    # As floats, which most answers are.
    few = next(parts(len(pictures), pictures.n_pixels * np.dtype(np.float32).itemsize)).stop
    step = max(1, round(few / chunk)) * chunk
    n = len(pictures)
    return (slice(first, min(first + step, n)) for first in range(0, n, step))


def _check_target(label: str, target: Any, stack: GivenStack, name: str) -> None:
    check_out(label, target, stack.shape)
    needed = _dtype(name, stack)
    dtype = getattr(target, "dtype", needed)
    if not np.can_cast(needed, dtype):
        raise ValueError(f"{label} has dtype {dtype}, which cannot hold {needed}: give it that one")
    if stack.channels_lead and lies_elsewhere(target):
        raise ValueError(
            f"{label} is no array in memory, and pictures are written one after the other: with "
            f"channel_axis={stack.channel_axis} they do not lie along its first axis; give an array"
        )


def _dtype(name: str, stack: GivenStack) -> np.dtype[Any]:
    return stack.dtype if name == "image" else np.dtype(bool if name == "mask" else np.float32)
