"""Large pictures in tiles that overlap, so that memory stays small and no seam shows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple


@dataclass(frozen=True)
class TilingSettings:
    """How large pictures are cut.

    These bound memory and time. That they cost no quality is what
    ``tests/image/test_denoise.py`` checks (no seams), and how memory grows with the picture is
    measured by ``python -m robustnmf_studies.images.memory``.

    Attributes
    ----------
    largest_whole : int
        Pixels of an image up to which it is worked on as a whole, and of what is turned into
        floats at a time.
    side : int
        Height and width of a tile of one plane, without its margin; where several planes share the
        memory of a tile, it is smaller.
    smallest_side : int
        The same at the least.
    margin : int
        Pixels around a tile that are looked at as well: what a pixel becomes depends on others so
        far away, if only a little.
    n_samples, sample_side : int
        A large picture is learned from so many parts of it, of this side.
    """

    largest_whole: int = 2**20
    side: int = 1024
    smallest_side: int = 64
    margin: int = 32
    n_samples: int = 4
    sample_side: int = 512

    def side_of(self, n: int) -> int:
        """Return the side of a tile of n planes."""
        return max(self.smallest_side, int(self.side / math.sqrt(n)))

    def sample_side_of(self, n: int) -> int:
        """Return the side of a part of n planes to learn from."""
        return max(self.smallest_side, int(self.sample_side / math.sqrt(n)))


TILING = TilingSettings()


class Tile(NamedTuple):
    """A part of a picture: what to look at, and which of it to keep."""

    outer: tuple[slice, slice]
    """Rows and columns of the picture to look at."""
    inner: tuple[slice, slice]
    """Those of `outer` to keep, counted from its corner."""
    core: tuple[slice, slice]
    """The same, counted in the picture."""


def cut_tiles(height: int, width: int, side: int) -> Iterator[Tile]:
    """Cut a picture into tiles whose cores are at most `side` high and wide.

    Examples
    --------
    >>> [tile.core for tile in cut_tiles(10, 30, 20)]
    [(slice(0, 10, None), slice(0, 15, None)), (slice(0, 10, None), slice(15, 30, None))]
    """
    for top, bottom in _spans(height, side):
        for left, right in _spans(width, side):
            outer = (_widened(top, bottom, height), _widened(left, right, width))
            inner = (
                slice(top - outer[0].start, bottom - outer[0].start),
                slice(left - outer[1].start, right - outer[1].start),
            )
            yield Tile(outer, inner, (slice(top, bottom), slice(left, right)))


def _spans(length: int, side: int) -> list[tuple[int, int]]:
    """Cut a length into equal spans, none longer than `side`."""
    n = -(-length // side)
    edges = [round(i * length / n) for i in range(n + 1)]
    return list(pairwise(edges))


def _widened(begin: int, end: int, length: int) -> slice:
    return slice(max(0, begin - TILING.margin), min(length, end + TILING.margin))
