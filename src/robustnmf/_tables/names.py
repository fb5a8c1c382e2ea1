"""The names of formats and their suffixes; loads nothing, so that the help can list them."""

from __future__ import annotations

from pathlib import Path

NAMES = {
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "excel": "Excel",
    "npy": "NPY",
    "npz": "NPZ",
    "mat": "MAT",
    "hdf5": "HDF5",
    "zarr": "Zarr",
}
SUFFIXES = {
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".npy": "npy",
    ".npz": "npz",
    ".mat": "mat",
    ".h5": "hdf5",
    ".hdf5": "hdf5",
    ".zarr": "zarr",
}
# The usual suffix of each, for files without a name of their own.
SUFFIX_OF = {kind: suffix for suffix, kind in reversed(SUFFIXES.items())}


def format_of(path: Path) -> str:
    """Return the format that a name's suffix stands for.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    str
        A key of `NAMES`.

    Examples
    --------
    >>> format_of(Path("Data.CSV"))
    'csv'
    """
    kind = SUFFIXES.get(path.suffix.lower())
    if kind is None:
        more = "save it as .xlsx" if path.suffix.lower() == ".xls" else "or name it with --format"
        raise ValueError(
            f"what kind of table is {path.name!r}? Known are {', '.join(SUFFIXES)}; {more}"
        )
    return kind
