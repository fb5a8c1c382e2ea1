"""NumPy's own files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._picture_files.opened import (
    MOST_COLOURS,
    Page,
    PictureError,
    PictureFile,
    check_memory,
)


class NpyFile(PictureFile):
    """An array: rows and columns, with colours last or slices first where there are three axes."""

    def __init__(self, path: Path) -> None:
        array = mapped(path)
        check_memory(array.nbytes)
        array = np.array(array)
        colours = array.ndim >= 3 and array.shape[-1] <= MOST_COLOURS
        self.pages = [Page(array, -1 if colours else None)]

    def _write(self, path: Path, arrays: list[NDArray[Any]]) -> None:
        with path.open("wb") as file:
            np.save(file, arrays[0], allow_pickle=False)


def mapped(path: Path) -> NDArray[Any]:
    """Return the array of a file; nothing is read yet."""
    try:
        # Mapped, since the header of a bad file may claim more than memory holds.
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise PictureError(
            f"no array can be read ({_first_line(error)}): save it with numpy.save"
        ) from error
    if not isinstance(array, np.ndarray):
        raise PictureError("it is an archive of arrays: save one of them with numpy.save")
    return array


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
