"""The formats of tables, by name: the one place that knows them all.

Names come without the formats: the command line lists them and must not load NumPy for it.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from robustnmf._tables.format import Format

# The name of each, and where its `Format` is.
FORMATS = {
    "csv": "robustnmf._tables.text_files:CSV",
    "tsv": "robustnmf._tables.text_files:TSV",
    "parquet": "robustnmf._tables.parquet:PARQUET",
    "excel": "robustnmf._tables.excel:EXCEL",
    "npy": "robustnmf._tables.arrays:NPY",
    "npz": "robustnmf._tables.archives:NPZ",
    "mat": "robustnmf._tables.archives:MAT",
    "hdf5": "robustnmf._tables.chunked:HDF5",
    "zarr": "robustnmf._tables.chunked:ZARR",
}


def format_named(name: str) -> Format:
    """Return the format of a name.

    Parameters
    ----------
    name : str
        A key of `FORMATS`.

    Returns
    -------
    Format

    Examples
    --------
    >>> format_named("hdf5").suffixes
    ('.h5', '.hdf5')
    """
    module, _, attribute = FORMATS[name].partition(":")
    found: Format = getattr(import_module(module), attribute)
    return found


def format_or_none(path: Path) -> str | None:
    """Return the name of the format that a file's suffix stands for, if there is one.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str or None
        A key of `FORMATS`.
    """
    suffix = path.suffix.lower()
    return next((name for name in FORMATS if suffix in format_named(name).suffixes), None)


def format_of(path: Path) -> str:
    """Return the name of the format that a file's suffix stands for, or raise.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        A key of `FORMATS`.

    Examples
    --------
    >>> format_of(Path("Data.CSV"))
    'csv'
    """
    name = format_or_none(path)
    if name is not None:
        return name
    formats = [format_named(name) for name in FORMATS]
    known = ", ".join(suffix for format in formats for suffix in format.suffixes)
    advice = {suffix: words for format in formats for suffix, words in format.advice.items()}
    more = advice.get(path.suffix.lower(), "or name it with --format")
    raise ValueError(f"what kind of table is {path.name!r}? Known are {known}; {more}")
