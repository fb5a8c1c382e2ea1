"""Stacks in NumPy's own files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.files import written_whole
from robustnmf._picture_files.npy import mapped
from robustnmf._picture_files.stacks.opened import StackFile, check_numbers, colours_of


class NpyStack(StackFile):
    """An array: pictures, rows, columns, and perhaps colours."""

    def __init__(self, path: Path) -> None:
        self.pictures = mapped(path)
        check_numbers(self.pictures.dtype)
        self.channel_axis = colours_of(self.pictures.shape)

    @contextmanager
    def copied(self, path: Path) -> Iterator[Any]:
        """Give a map of the new file."""
        with new_npy(path, self.pictures.shape, self.pictures.dtype) as new:
            yield new


@contextmanager
def new_npy(path: Path, shape: tuple[int, ...], dtype: Any) -> Iterator[Any]:
    """Give a map of a new file, which appears when all is written."""
    with written_whole(path) as temporary:
        new = np.lib.format.open_memmap(temporary, mode="w+", dtype=dtype, shape=shape)
        yield new
        new.flush()
