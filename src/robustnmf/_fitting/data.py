"""Checks of data, before any work is done, and a summary of what they hold.

X is never copied or converted whole: it is read block by block, like everywhere else.
"""

from __future__ import annotations

import math
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from robustnmf._engines import Placed, engine_for, placed, source_of
from robustnmf._fitting.scan import Seen, scan

# Largest values within these powers of two need no rescaling: squares and their sums over any data
# that fit into memory stay well inside the range of the dtype.
_COMFORTABLE = {np.dtype(np.float32): 20, np.dtype(np.float64): 200}


class Summary(NamedTuple):
    """What one look at all the data tells."""

    largest: float
    mean: float
    square_sum: float
    n_known: int
    dtype: np.dtype
    """Of the results."""
    working_dtype: np.dtype
    """Of the computation: float64 where the squares of float32 data would be out of range."""
    exponent: int
    """X·2^exponent has values whose squares are safe to compute with."""
    largest_weight: float
    digest: str = ""
    """Stands for all values and their order, if that was asked for."""

    def moderate(self) -> Summary:
        """Return the same with a unit of work in which single precision holds the data, too."""
        return self._replace(exponent=comfortable_exponent(self.largest, np.float32))


def result_dtype(X: Any) -> np.dtype:
    """Return float32 for float32 data and float64 for all else, as scikit-learn does."""
    return np.dtype(np.float32 if X.dtype == np.float32 else np.float64)


def _widest(X: Any) -> np.dtype:
    """Return the most precise dtype that there is where data are."""
    found = placed(X)
    return np.dtype(np.float64 if found is None or found.place.has_double else np.float32)


def as_rows(X: Any) -> Any:
    """Return X such that rows can be sliced: CSR if it is sparse."""
    return X.tocsr() if sparse.issparse(X) else X


def examine(
    X: Any,
    weights: Any,
    owner: str,
    *,
    columns: bool,
    digest: bool = False,
    first_row: int = 0,
) -> Summary:
    """Refuse data that no answer exists for, and summarise the rest.

    With `columns`, a feature without any known value is refused too: nothing could be learned of
    it. A row without one is refused always. `digest` asks for that. `first_row` is where these rows
    begin in the user's.
    """
    dtype = result_dtype(X)
    seen: Seen = engine_for(X, weights, dtype=dtype).fold(
        lambda rows, X, q: scan(X, q, first_row + rows.start, owner, digest), Seen.joined
    )
    _refuse_unknown("row", np.concatenate(seen.unknown_rows), weights)
    if columns:
        _refuse_unknown("column", np.flatnonzero(seen.known_in_column == 0), weights)
    largest = seen.largest
    _refuse_unsquarable(largest, X.shape)
    comfortable = comfortable_exponent(largest, dtype) == 0
    work = dtype if comfortable else _widest(X)
    return Summary(
        largest=largest,
        mean=math.fsum(seen.totals) / seen.n_known,
        square_sum=math.fsum(seen.square_sums),
        n_known=seen.n_known,
        dtype=dtype,
        working_dtype=work,
        exponent=comfortable_exponent(largest, work),
        largest_weight=seen.largest_weight,
        digest=sha256(repr(seen.checksums).encode()).hexdigest() if digest else "",
    )


def comfortable_exponent(largest: float, dtype: Any) -> int:
    """Return the even power of two that brings `largest` near 1, or 0 where it need not be.

    Even, so that both factors can take half of it. Scaling by powers of two changes no digits.
    """
    if largest == 0:
        return 0
    _, power = math.frexp(largest)
    return 0 if abs(power) <= _COMFORTABLE[np.dtype(dtype)] else -2 * (power // 2)


def check_weights(weights: Any, X: Any) -> Any:
    """Return weights of the shape of X, as an array, a CSR matrix or a source.

    Whether they lie in [0, 1] is looked at with the data, block by block.
    """
    if weights is None:
        return None
    refuse_masked("weights", weights)
    given, data = placed(weights, "weights"), placed(X)
    if given is not None or data is not None:
        refuse_elsewhere(given, data)
    found = given or source_of(weights, "weights")
    found = _weights_in_memory(weights, X.shape) if found is None else found
    if found.shape != X.shape:
        raise ValueError(
            f"weights must have the shape of X, {X.shape}; got {found.shape}. "
            "Give one weight for each entry of X."
        )
    return as_rows(found)


def refuse_elsewhere(weights: Placed | None, X: Placed | None) -> None:
    """Refuse weights that are not where the data are."""
    if weights is not None and X is not None and weights.place == X.place:
        return
    here, there = (f"{A.place}" if A is not None else "in memory" for A in (X, weights))
    raise ValueError(
        "weights must be arrays of the same package and on the same device as X, so that nothing "
        f"is moved unasked; X is {here}, weights are {there}"
    )


def _weights_in_memory(weights: Any, shape: tuple[int, int]) -> Any:
    try:
        weights = check_array(
            weights, accept_sparse=("csr", "csc"), dtype="numeric", ensure_all_finite=False
        )
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"weights must be an array of numbers of the shape of X, {shape}: {error}"
        ) from error
    if sparse.issparse(weights) and not weights.has_canonical_format:
        weights = weights.copy()
        weights.sum_duplicates()
    return weights


def refuse_masked(name: str, data: Any) -> None:
    """Refuse NumPy's masked arrays, whose mask everybody else would silently ignore."""
    if isinstance(data, np.ma.MaskedArray):
        raise ValueError(
            f"{name} is a masked array, whose mask would be ignored; "
            "mark missing entries with NaN: X.astype(float).filled(np.nan)"
        )


def _refuse_unknown(kind: str, where: np.ndarray, weights: Any) -> None:
    if len(where):
        cause = "NaN" if weights is None else "NaN or of weight 0"
        raise ValueError(
            f"Input X has {len(where)} {kind}{'s' if len(where) > 1 else ''} in which every value "
            f"is {cause} (first: {kind} {where[0]}). Nothing can be learned of it; drop it."
        )


def _refuse_unsquarable(largest: float, shape: tuple[int, int]) -> None:
    """The objective is a sum of squares, in float64 whatever the data."""
    if largest == 0:
        return
    unit = "multiply X by" if largest < 1 else "divide X by"
    bound = largest * largest * shape[0] * shape[1] if largest < 1e150 else math.inf
    if not math.isfinite(bound) or largest < 1e-150:
        factor = 10.0 ** min(300, abs(round(math.log10(largest))))
        raise ValueError(
            f"Input X has values up to {largest:.3g}, whose squares float64 cannot hold; "
            f"{unit} {factor:.0e}, which changes nothing but the unit"
        )
