"""Which files are pictures, told by their names; needs nothing but Python."""

from __future__ import annotations

from pathlib import Path

PNG, JPEG, TIFF, NPY = "png", "jpeg", "tiff", "npy"
KIND_OF = {
    ".png": PNG,
    ".jpg": JPEG,
    ".jpeg": JPEG,
    ".tif": TIFF,
    ".tiff": TIFF,
    ".npy": NPY,
}


def kind_of(path: Path) -> str:
    """Return the format of a file.

    Examples
    --------
    >>> kind_of(Path("holiday.JPG"))
    'jpeg'
    """
    try:
        return KIND_OF[path.suffix.lower()]
    except KeyError:
        known = ", ".join(KIND_OF)
        raise ValueError(f"{path.name} is no picture that we know: use one of {known}") from None
