"""TIFF of any depth and number of pages, by tifffile."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._picture_files.opened import (
    Page,
    PictureError,
    PictureFile,
    check_memory,
    check_size,
)

_NONE, _DEFLATE = 1, (8, 32946)
# Kinds of brightness: white is zero, black is zero, RGB, CMYK.
_PHOTOMETRIC = {0: "miniswhite", 1: "minisblack", 2: "rgb", 5: "separated"}
# Description, software and resolution have arguments of their own; these are copied as they are:
# maker, model, orientation, date, artist, host, copyright, XMP, ICC profile, ImageJ.
_COPIED = (271, 272, 274, 306, 315, 316, 33432, 700, 34675, 50838, 50839)


class TiffFile(PictureFile):
    """A TIFF file."""

    def __init__(self, path: Path) -> None:
        tifffile = import_extra("tifffile", "image", "TIFF files need")
        with clear_about_damage(), tifffile.TiffFile(path) as opened:
            self._byteorder = opened.byteorder
            self._big = opened.is_bigtiff
            pages = list(opened.pages)
            if not pages:
                raise PictureError("it holds no picture: export it again")
            # A small file may hold many large pages of one colour.
            check_memory(sum(_bytes(page) for page in pages))
            self.pages = [read_page(page, path) for page in pages]
            self._options = [options_of(page) for page in pages]

    def _write(self, path: Path, arrays: list[NDArray[Any]]) -> None:
        tifffile = import_extra("tifffile", "image", "TIFF files need")
        with tifffile.TiffWriter(path, byteorder=self._byteorder, bigtiff=self._big) as writer:
            for array, options in zip(arrays, self._options, strict=True):
                writer.write(array, contiguous=False, metadata=None, **options)


def check_page(page: Any) -> None:
    """Refuse a page that could not be read, or written again as it was."""
    check_size(page.imagelength, page.imagewidth)
    if int(page.photometric) not in _PHOTOMETRIC or page.bitspersample < 8:
        raise PictureError(
            "its numbers are no brightness (palette, YCbCr, 1 bit): convert it to RGB"
        )
    if page.subifds:
        raise PictureError(
            "it keeps other pictures inside a page (smaller copies, say), which would be lost: "
            "save it without them"
        )
    if page.planarconfig == 2 and page.samplesperpixel > 1:
        raise PictureError("it keeps each colour in a plane of its own: save it interleaved")


def read_page(page: Any, path: Path) -> Page:
    """Return the pixels of a page."""
    check_page(page)
    if int(page.compression) in (_NONE, *_DEFLATE):
        array = page.asarray()
    else:
        array = _read_by_pillow(page, path)
    opacity = len(page.extrasamples) == 1 and array.ndim == 3
    return Page.of(np.ascontiguousarray(array), opacity=opacity)


def options_of(page: Any) -> dict[str, Any]:
    """Return what a writer must be told so that the new page is like the old one."""
    options: dict[str, Any] = {
        "photometric": _PHOTOMETRIC[int(page.photometric)],
        "compression": "zlib" if int(page.compression) != _NONE else None,
        "description": page.description or None,
        "software": page.software or False,
        "extratags": [
            (tag.code, int(tag.dtype), tag.count, tag.value, True)
            for tag in page.tags
            if tag.code in _COPIED
        ],
    }
    if "XResolution" in page.tags and "YResolution" in page.tags:
        options["resolution"] = (page.tags["XResolution"].value, page.tags["YResolution"].value)
        if "ResolutionUnit" in page.tags:
            options["resolutionunit"] = int(page.tags["ResolutionUnit"].value)
    if page.extrasamples:
        options["extrasamples"] = [int(kind) for kind in page.extrasamples]
    return options


@contextmanager
def clear_about_damage() -> Iterator[None]:
    """Say what to do about a file that cannot be read to its end."""
    try:
        yield
    except PictureError:
        raise
    except Exception as error:
        # Whatever a damaged file trips the reader over.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise PictureError(f"it is no whole TIFF file ({reason}): export it again") from error


def _bytes(page: Any) -> int:
    return int(np.prod(page.shape, dtype=object)) * (page.dtype.itemsize if page.dtype else 1)


def _read_by_pillow(page: Any, path: Path) -> NDArray[Any]:
    """Read a page whose compression tifffile does not know by itself."""
    image = import_extra("PIL.Image", "image", "picture files need")
    with image.open(path, formats=["TIFF"]) as opened:
        opened.seek(page.index)
        array = np.array(opened)
    if array.dtype != page.dtype or array.shape != page.shape:
        raise PictureError(
            f"its compression ({page.compression.name}) cannot be read at full depth: "
            "save it without compression"
        )
    return array
