"""Which files are pictures, told by their names; needs nothing but Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

PNG, JPEG, TIFF, NPY, HDF5, ZARR = "png", "jpeg", "tiff", "npy", "hdf5", "zarr"
KIND_OF = {
    ".png": PNG,
    ".jpg": JPEG,
    ".jpeg": JPEG,
    ".tif": TIFF,
    ".tiff": TIFF,
    ".npy": NPY,
}
# Of files that hold many pictures of one scene.
STACK_KIND_OF = {
    ".tif": TIFF,
    ".tiff": TIFF,
    ".npy": NPY,
    ".h5": HDF5,
    ".hdf5": HDF5,
    ".zarr": ZARR,
}


def kind_of(path: Path, kinds: Mapping[str, str] = KIND_OF) -> str:
    """Return the format of a file, by a table of suffixes.

    Examples
    --------
    >>> kind_of(Path("holiday.JPG"))
    'jpeg'
    """
    try:
        return kinds[path.suffix.lower()]
    except KeyError:
        known = ", ".join(kinds)
        what = "picture" if kinds is KIND_OF else "stack of pictures"
        raise ValueError(f"{path.name} is no {what} that we know: use one of {known}") from None
