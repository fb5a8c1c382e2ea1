"""HDF5 datasets whose cells lie elsewhere: in raw files, or in other datasets.

A copy of an HDF5 file still points to them, so that writing into the copy would change them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from robustnmf._tables.table import TableError


def found_arrays(file: Any) -> dict[str, Any]:
    """Return the datasets of a file, but not those that links lead to.

    Parameters
    ----------
    file : h5py.File
        Open.

    Returns
    -------
    dict of str to h5py.Dataset
    """
    found: dict[str, Any] = {}

    def collect(key: str, item: Any) -> None:
        # A dataset without a shape is an empty one.
        if getattr(item, "shape", None) is not None:
            found[key] = item

    file.visititems(collect)
    return found


def linked(file: Any, name: str, found: Mapping[str, Any]) -> str:
    """Return the name of the dataset itself, where a name is a link inside the file.

    Parameters
    ----------
    file : h5py.File
        Open.
    name : str
        As the user named it.
    found : mapping of str to h5py.Dataset
        Those that lie in the file itself.

    Returns
    -------
    str
        The same name if it leads nowhere.
    """
    try:
        item = file[name]
    except (KeyError, ValueError, OSError):
        return name
    if not os.path.samefile(item.file.filename, file.filename):
        raise TableError(
            f"dataset {name!r} is a link to {Path(item.file.filename).name}: clean that file"
        )
    return next((key for key, value in found.items() if value == item), name)


def elsewhere(dataset: Any) -> list[str]:
    """Return the names of the files that hold the cells of a dataset; none if it does itself.

    Parameters
    ----------
    dataset : h5py.Dataset
        Of an open file.

    Returns
    -------
    list of str
    """
    if dataset.is_virtual:
        sources = dataset.virtual_sources()
        return sorted({source.file_name for source in sources}) or ["."]
    return sorted({name for name, _, _ in dataset.external or ()})


def refuse_gaps(dataset: Any, path: Path) -> None:
    """Raise if a file is gone that holds cells of a virtual dataset, which then reads as zeros.

    Parameters
    ----------
    dataset : h5py.Dataset
        Of an open file.
    path : Path
        That file.
    """
    if not dataset.is_virtual:
        return
    for name in elsewhere(dataset):
        # A dot is the file itself; a percent sign stands for a whole series.
        if name == "." or "%" in name or Path(name).exists() or (path.parent / name).exists():
            continue
        raise TableError(
            f"dataset {dataset.name.strip('/')!r} takes cells from {name}, which is not there: "
            "they would read as zeros"
        )


def made_plain(file: Any, name: str) -> Any:
    """Put a dataset of the same name, type and attributes in place of one that lies elsewhere.

    Parameters
    ----------
    file : h5py.File
        Open for writing.
    name : str
        Of the dataset.

    Returns
    -------
    h5py.Dataset
        A new one without any cell filled.
    """
    old = file[name]
    # Under another name first: the attributes of the old one are still needed.
    temporary = f"{name}-new"
    while temporary in file:
        temporary += "-"
    new = file.create_dataset(temporary, shape=old.shape, dtype=old.dtype)
    for key in old.attrs:
        kept = old.attrs.get_id(key)
        new.attrs.create(key, old.attrs[key], shape=kept.shape, dtype=kept.dtype)
    # Only the way to the old dataset goes, and what it points to is not touched.
    del file[name]
    file.move(temporary, name)
    return file[name]
