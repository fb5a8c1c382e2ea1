"""Packages that only some functions need, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(module: str, extra: str, why: str, package: str = "robustnmf") -> Any:
    """Import a module of an optional dependency, or say which extra brings it.

    Parameters
    ----------
    module : str
        Dotted name, e.g. ``"matplotlib.figure"``.
    extra : str
        The extra that installs it, e.g. ``"plot"``.
    why : str
        What needs it, as the beginning of a sentence, e.g. ``"pictures need"``.
    package : str
        Whose extra it is.

    Returns
    -------
    module
        The imported module.

    Raises
    ------
    ImportError
        If the package is not installed.

    Examples
    --------
    >>> import_extra("no_such_package", "plot", "pictures need")
    Traceback (most recent call last):
    ...
    ImportError: pictures need the 'plot' extra: pip install 'robustnmf[plot]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A package that is there but lacks a part of its own is broken in another way:
        # our advice would not help, its own message does.
        if (error.name or "").partition(".")[0] != module.partition(".")[0]:
            raise
        raise ImportError(f"{why} the '{extra}' extra: pip install '{package}[{extra}]'") from error
