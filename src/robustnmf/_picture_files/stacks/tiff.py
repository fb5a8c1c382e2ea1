"""Stacks in the pages of a TIFF, one page in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf._picture_files.opened import PictureError
from robustnmf._picture_files.stacks.opened import InOrder, StackFile, check_numbers
from robustnmf._picture_files.tiff import check_page, clear_about_damage, options_of, read_page

# Offsets of a TIFF have four bytes; metadata needs some room, too.
_MOST_BYTES = 2**32 - 2**26


class TiffStack(StackFile):
    """The pages of a TIFF file, which are all of one size and kind."""

    def __init__(self, path: Path) -> None:
        tifffile = import_extra("tifffile", "image", "TIFF files need")
        with clear_about_damage(), ExitStack() as opened:
            self._file = opened.enter_context(tifffile.TiffFile(path))
            self.pictures = _Pages(self._file, path)
            # Nothing is wrong with it, so it stays open.
            opened.pop_all()
        self.channel_axis = self.pictures.channel_axis

    @contextmanager
    def copied(self, path: Path) -> Iterator[InOrder]:
        """Give what takes page after page, each with the metadata and opacity that it had."""
        pages = self.pictures
        options = {"byteorder": self._file.byteorder}
        with new_tiff(path, pages.nbytes, big=self._file.is_bigtiff, **options) as writer:

            def write(index: int, pixels: Array) -> None:
                page = pages.page(index)
                whole = pages.read(index).whole(pixels)
                writer.write(whole, contiguous=False, metadata=None, **options_of(page))

            yield InOrder(pages.shape, pages.dtype, write)


@contextmanager
def new_tiff(path: Path, size: int, *, big: bool = False, **options: Any) -> Iterator[Any]:
    """Give a writer of pages with so many bytes; the file appears when all are written."""
    tifffile = import_extra("tifffile", "image", "TIFF files need")
    with (
        written_whole(path) as temporary,
        tifffile.TiffWriter(temporary, bigtiff=big or size > _MOST_BYTES, **options) as writer,
    ):
        yield writer


class _Pages:
    """The pages of a file as one array, of which some can be read."""

    def __init__(self, file: Any, path: Path) -> None:
        self._file, self._path = file, path
        kinds = set()
        n = 0
        # None is kept: of many pages their tags alone would fill the memory.
        for page in file.pages:
            check_page(page)
            kinds.add((page.shape, str(page.dtype), tuple(page.extrasamples)))
            n += 1
        if len(kinds) != 1:
            sizes = ", ".join(sorted({"×".join(map(str, shape)) for shape, *_ in kinds}))
            raise PictureError(
                f"its pages are no stack: they differ in size or kind ({sizes}); leave out --stack"
                if kinds
                else "it holds no picture: export it again"
            )
        first = self.read(0)
        self.channel_axis, self.dtype = first.channel_axis, first.pixels.dtype
        self.shape = (n, *first.pixels.shape)
        # With the opacity.
        self.nbytes = n * prod(file.pages[0].shape) * self.dtype.itemsize
        check_numbers(self.dtype)

    def __getitem__(self, pictures: slice) -> Array:
        indices = range(*pictures.indices(self.shape[0]))
        return np.stack([self.read(index).pixels for index in indices])

    def page(self, index: int) -> Any:
        """Return what the file says of a page."""
        return self._file.pages[index]

    def read(self, index: int) -> Any:
        """Return the pixels of a page, and its opacity."""
        with clear_about_damage():
            return read_page(self.page(index), self._path)
