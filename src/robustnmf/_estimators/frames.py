"""Frames in, frames out: answers of the shape of X get its index and its columns."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from scipy import sparse

Method = Callable[..., Any]


def framed_like_input(method: Method) -> Method:
    """Let a method that answers for every entry of X answer frames with a frame.

    For pandas the index and the columns are kept, for polars the columns. Whatever else X is, the
    answer is what the method returned, and so it is where the caller named an `out` for it. The
    kind of frame follows from X alone: scikit-learn's `set_output` is about `transform`, whose
    columns are components.
    """

    @functools.wraps(method)
    def answer(self: Any, X: Any, *args: Any, **options: Any) -> Any:
        found = method(self, X, *args, **options)
        return found if options.get("out") is not None else like_frame(found, X)

    return answer


def like_frame(answer: Any, X: Any) -> Any:
    """Return an array (or sparse array) of the shape of X as the kind of frame that X is.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> X = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]}, index=["x", "y"])
    >>> like_frame(np.array([[True, False], [False, False]]), X)
           a      b
    x   True  False
    y  False  False
    """
    # A frame can only come from a module that is loaded already; none need be imported to ask.
    pandas, polars = sys.modules.get("pandas"), sys.modules.get("polars")
    if pandas is not None and isinstance(X, pandas.DataFrame):
        names = {"index": X.index, "columns": X.columns}
        if sparse.issparse(answer) and all(map(_is_sparse, X.dtypes)):
            return pandas.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(answer), **names)
        return pandas.DataFrame(_dense(answer), **names)
    if polars is not None and isinstance(X, polars.DataFrame):
        return polars.DataFrame(_dense(answer), schema=X.columns, orient="row")
    return answer


def _dense(answer: Any) -> Any:
    return answer.toarray() if sparse.issparse(answer) else answer


def _is_sparse(dtype: Any) -> bool:
    return type(dtype).__name__ == "SparseDtype"
