"""PNG and JPEG, by Pillow."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._picture_files.opened import Page, PictureError, PictureFile, check_size

# Modes of Pillow whose numbers are brightness, and whether the last channel is opacity.
_MODES = {"L": False, "LA": True, "RGB": False, "RGBA": True, "CMYK": False, "I;16": False}
_PNG_DEPTH = slice(24, 26)


class PhotoFile(PictureFile):
    """A PNG or JPEG file."""

    def __init__(self, path: Path, kind: str) -> None:
        image = import_extra("PIL.Image", "image", "picture files need")
        self._kind = kind
        if kind == "PNG":
            _refuse_deep_colour(path)
        try:
            with warnings.catch_warnings():
                # We have a limit of our own, and Pillow's hints would confuse.
                warnings.simplefilter("ignore")
                with image.open(path, formats=[kind]) as opened:
                    check_size(opened.height, opened.width)
                    _refuse_frames(opened, kind)
                    self._mode = opened.mode
                    self._extra = _metadata(opened, kind)
                    pixels = np.array(opened)
        except image.DecompressionBombError as error:
            raise PictureError(f"{error}: cut it into parts") from error
        except (OSError, SyntaxError, ValueError) as error:
            if isinstance(error, PictureError):
                raise
            raise PictureError(f"it is no whole {kind} file ({error}): export it again") from error
        if self._mode not in _MODES:
            raise PictureError(
                f"its mode is {self._mode}, not grey or colour: convert it to RGB first"
            )
        self.pages = [Page.of(pixels, opacity=_MODES[self._mode])]

    def _write(self, path: Path, arrays: list[NDArray[Any]]) -> None:
        image = import_extra("PIL.Image", "image", "picture files need")
        picture = image.fromarray(np.ascontiguousarray(arrays[0]))
        if picture.mode != self._mode:
            # Four channels look like RGBA to Pillow.
            picture = image.frombytes(self._mode, picture.size, arrays[0].tobytes())
        picture.save(path, format=self._kind, **self._extra)


def _refuse_deep_colour(path: Path) -> None:
    with path.open("rb") as file:
        depth, colour = file.read(26)[_PNG_DEPTH].ljust(2, b"\0")
    # Pillow would silently drop half of the bits.
    if depth == 16 and colour != 0:
        raise PictureError("it is a colour PNG of 16 bits, of which half are lost: save it as TIFF")


def _refuse_frames(opened: Any, kind: str) -> None:
    # Only the first would be written again.
    frames = getattr(opened, "n_frames", 1)
    if frames > 1:
        raise PictureError(
            f"it is a {kind} of {frames} pictures (animated, or several views), of which only the "
            "first would be left: save them one by one, or as pages of a TIFF"
        )


def _metadata(opened: Any, kind: str) -> dict[str, Any]:
    """Return what `save` must be told so that the new file is like the old one."""
    info = opened.info
    extra = {
        name: info[name]
        for name in (
            "dpi",
            "icc_profile",
            "exif",
            "gamma",
            "transparency",
            "comment",
            "progressive",
        )
        if name in info
    }
    if kind == "PNG":
        png = import_extra("PIL.PngImagePlugin", "image", "picture files need")
        words = png.PngInfo()
        for name, text in getattr(opened, "text", {}).items():
            words.add_text(name, text)
        extra["pnginfo"] = words
    else:
        jpeg = import_extra("PIL.JpegImagePlugin", "image", "picture files need")
        # The same tables as before, so the quality is that of the file.
        extra["qtables"] = opened.quantization
        sampling = jpeg.get_sampling(opened)
        if sampling != -1:
            extra["subsampling"] = sampling
    return extra
