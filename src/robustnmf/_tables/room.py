"""Is there room? Sizes that a file declares, checked before anything is read."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Sequence
from math import prod
from pathlib import Path

from robustnmf._common.memory import in_words, memory_left
from robustnmf._tables.table import TableError

# What a row and a column cost beside their cells: names, counts, places, weights.
ROW_BYTES, COLUMN_BYTES = 64, 256


def require_memory(what: str, size: int, advice: str) -> None:
    """Raise if something does not fit into the memory.

    Parameters
    ----------
    what : str
        What needs it, as the beginning of a sentence.
    size : int
        Bytes.
    advice : str
        What its owner can do.
    """
    left = memory_left()
    if left is not None and size > left:
        raise TableError(
            f"{what}, which takes about {in_words(size)} of memory, and {in_words(left)} are "
            f"left: {advice}"
        )


def require_room(name: str, shape: Sequence[int], itemsize: int) -> None:
    """Raise if there is no room to work on an array that itself may be larger than the memory.

    Parameters
    ----------
    name : str
        What to call it.
    shape : (rows, columns)
        As the file declares it.
    itemsize : int
        Bytes of a cell while it is worked on.
    """
    n, m = shape
    what = f"{name} has {n:,} × {m:,} = {n * m:,} cells"
    require_memory(
        what, ROW_BYTES * n + COLUMN_BYTES * m, "take fewer rows or columns, or a larger machine"
    )
    folder = tempfile.gettempdir()
    # Large matrices lie in a temporary file while they are worked on.
    free = shutil.disk_usage(folder).free
    left = memory_left() or 0
    if n * m * itemsize > max(free, left):
        raise TableError(
            f"{what}, for which a temporary file of {in_words(n * m * itemsize)} is needed, and "
            f"{in_words(free)} are free in {folder}: set TMPDIR to a larger disk, or take a part"
        )


def require_cells(name: str, shape: Sequence[int], bytes_each: int, advice: str) -> None:
    """Raise if a table that is held in memory does not fit into it.

    Parameters
    ----------
    name : str
        What to call it.
    shape : sequence of int
        As the file declares it.
    bytes_each : int
        What a cell takes.
    advice : str
        What its owner can do.
    """
    size = " × ".join(f"{length:,}" for length in shape)
    what = f"{name} has {size} = {prod(shape):,} cells"
    require_memory(what, prod(shape) * bytes_each, advice)


def require_unpacked(path: Path, times: float) -> None:
    """Raise if an archive does not fit into the memory once it is unpacked.

    Parameters
    ----------
    path : Path
        A zip file. No more is ever unpacked than its directory declares.
    times : float
        How much larger than its text the unpacked content is in memory.
    """
    with zipfile.ZipFile(path) as archive:
        size = sum(info.file_size for info in archive.infolist())
    packed = path.stat().st_size
    require_memory(
        f"it unpacks from {in_words(packed)} to {in_words(size)}",
        int(size * times),
        "is it what it should be? If so, take a larger machine or another format",
    )


def require_parts(shape: Sequence[int], n_components: int) -> None:
    """Raise if there are more parts than the memory can hold.

    Parameters
    ----------
    shape : (rows, columns)
        Of the table.
    n_components : int
        How many parts were asked for.
    """
    n, m = shape
    # Weights and parts, each with a few of its size to work with, and all pairs of parts.
    size = 8 * n_components * (3 * (n + m) + n_components)
    require_memory(
        f"{n_components:,} parts of a table of {n:,} × {m:,} cells were asked for",
        size,
        f"fewer than {min(n, m):,} parts are needed to find anything",
    )
