"""The versions of all that had a part in a result."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from robustnmf._version import __version__

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "scikit-image", "joblib", "matplotlib")


def versions() -> dict[str, str]:
    """Return them by name; packages that are not installed are left out.

    Returns
    -------
    dict of str to str
    """
    found = {"robustnmf": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
