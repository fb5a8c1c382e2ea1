"""Judging the pictures of a stack one after another, by what some of them have taught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.progress import Share, silent
from robustnmf._engines.threads import closed_after, read_stream
from robustnmf._image.background import Background, BackgroundLearner
from robustnmf._image.detection import Region, detect
from robustnmf._image.pictures import Flags, Pictures, put
from robustnmf._image.planes import channel_links
from robustnmf._image.reliability import is_reliable


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


class _Batch(NamedTuple):
    """Some pictures that are looked at together, as they were read."""

    turn: int
    pictures: Array
    given: Array
    covered: Array | None


class Judge:
    """Judges the pictures of a stack.

    They are read by the thread that asks, in order, while others work on those before.

    Parameters
    ----------
    pictures : Pictures
        The stack.
    covered : Flags or None
        Pixels that count as missing.
    rng : RandomState
        Chooses the pictures to learn from.
    """

    def __init__(
        self, pictures: Pictures, covered: Flags | None, rng: np.random.RandomState
    ) -> None:
        self._pictures = pictures
        self._covered = covered
        n = -(-STACK.learned_from // pictures.n_pixels)
        chosen = np.sort(rng.permutation(len(pictures))[:n])
        others = np.setdiff1d(np.arange(len(pictures)), chosen)
        self._learned_from, self._others = self._batches(chosen), self._batches(others)

    def background(self, learner: BackgroundLearner, progress: Share = silent) -> Background:
        """Return what the pictures have in common, where their neighbours flag nothing."""
        guess, flagged = self.judged(None, progress)
        return learner.learn(self._pictures, guess, flagged, STACK.guess_weight)

    def judged(self, background: Background | None, progress: Share = silent) -> tuple[Any, Flags]:
        """Return the stack with corrupt and missing pixels replaced, and where they were.

        The former are rows, (n_pictures, n_pixels). Without a background it is a sketch, to learn
        one from.
        """
        pictures = self._pictures
        learned_from = self._read(self._learned_from)
        seen = list(read_stream(lambda batch: self._region(batch, background), learned_from))
        mixtures = detect(seen)
        reliable = background is None or is_reliable(seen, mixtures[-1])
        known: list[Region | None] = [*seen, *[None] * len(self._others)]
        del seen

        def judge(batch: _Batch) -> tuple[_Batch, Array, Array]:
            region, known[batch.turn] = known[batch.turn], None
            if region is None:
                region = self._region(batch, background)
                if background is None:
                    region.glance(mixtures)
                elif reliable or not region.known.all():
                    region.follow(mixtures)
            if not reliable:
                region.clear_flags()
            flagged, values = region.flagged, region.prediction
            if background is not None and flagged.any():
                values = region.repaired(mixtures[-1], flagged)
            restored = batch.given.reshape(flagged.shape).copy()
            restored[flagged] = pictures.greys.to_image(values[flagged])
            return batch, restored, flagged

        rows = pictures.room((len(pictures), pictures.n_pixels), pictures.source.dtype)
        replaced = Flags(pictures)
        batches = [*self._learned_from, *self._others]
        with closed_after(read_stream(judge, self._read(batches))) as results:
            for batch, restored, flagged in results:
                replaced.put(batch.pictures, flagged)
                put(rows, batch.pictures, restored.reshape(len(batch.pictures), -1))
                progress((batch.turn + 1) / len(batches))
        return rows, replaced

    def _read(self, batches: list[Array]) -> Iterator[_Batch]:
        for turn, indices in enumerate(batches):
            covered = None if self._covered is None else self._covered.of(indices)
            yield _Batch(turn, indices, self._pictures.read(indices), covered)

    def _batches(self, indices: Array) -> list[Array]:
        """Cut a list of pictures into some that are small enough to be looked at together."""
        n = max(1, STACK.at_once // self._pictures.n_pixels)
        return [indices[first : first + n] for first in range(0, len(indices), n)]

    def _region(self, batch: _Batch, background: Background | None) -> Region:
        grey, known = self._pictures.grey(batch.given)
        if batch.covered is not None:
            known &= ~batch.covered
        guides = None if background is None else background.of(batch.pictures)
        # The links of one picture are those of all.
        n = self._pictures.n_channels
        links = [
            [first + other for other in one]
            for first in range(0, len(grey), n)
            for one in channel_links(n)
        ]
        return Region(grey, known, links, guides)
