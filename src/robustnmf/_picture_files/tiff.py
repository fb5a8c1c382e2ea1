"""TIFF of any depth and number of pages, by tifffile."""

from __future__ import annotations

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
        try:
            with tifffile.TiffFile(path) as opened:
                self._byteorder = opened.byteorder
                self._big = opened.is_bigtiff
                pages = list(opened.pages)
                if not pages:
                    raise PictureError("it holds no picture: export it again")
                # A small file may hold many large pages of one colour.
                check_memory(sum(_bytes(page) for page in pages))
                read = [_read_page(page, path) for page in pages]
        except PictureError:
            raise
        except Exception as error:
            # Whatever a damaged file trips the reader over.
            reason = (str(error) or type(error).__name__).splitlines()[0]
            raise PictureError(f"it is no whole TIFF file ({reason}): export it again") from error
        self.pages = [page for page, _ in read]
        self._options = [options for _, options in read]

    def _write(self, path: Path, arrays: list[NDArray[Any]]) -> None:
        tifffile = import_extra("tifffile", "image", "TIFF files need")
        with tifffile.TiffWriter(path, byteorder=self._byteorder, bigtiff=self._big) as writer:
            for array, options in zip(arrays, self._options, strict=True):
                writer.write(array, contiguous=False, metadata=None, **options)


def _bytes(page: Any) -> int:
    return int(np.prod(page.shape, dtype=object)) * (page.dtype.itemsize if page.dtype else 1)


def _read_page(page: Any, path: Path) -> tuple[Page, dict[str, Any]]:
    check_size(page.imagelength, page.imagewidth)
    photometric = int(page.photometric)
    if photometric not in _PHOTOMETRIC or page.bitspersample < 8:
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
    if int(page.compression) in (_NONE, *_DEFLATE):
        array = page.asarray()
    else:
        array = _read_by_pillow(page, path)
    n_extra = len(page.extrasamples)
    opacity = n_extra == 1 and array.ndim == 3
    options: dict[str, Any] = {
        "photometric": _PHOTOMETRIC[photometric],
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
    if n_extra:
        options["extrasamples"] = [int(kind) for kind in page.extrasamples]
    return Page.of(np.ascontiguousarray(array), opacity=opacity), options


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
