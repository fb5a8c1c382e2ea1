"""What else finds wrong cells of a table: each a function from values with gaps to an answer."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.trust.ddc import detect_deviating_cells
from robustnmf_studies.trust.errors import robust_sd
from robustnmf_studies.trust.imputer import impute_and_compare
from robustnmf_studies.trust.scales import scaled

Array = NDArray[Any]

IMPUTER, DDC, DDC_LOG, PCP = "imputer", "ddc", "ddc-log", "pcp"
MAD, IQR, FIXED = "mad", "iqr", "lam=0.04"
RIVAL_NAMES = {
    IMPUTER: "IterativeImputer on logs",
    DDC: "DDC",
    DDC_LOG: "DDC on logs",
    PCP: "principal component pursuit",
    MAD: "MAD rule",
    IQR: "IQR rule",
    FIXED: "RobustNMF, λ = 0.04",
}
_MAD_CUT, _IQR_CUT, _PCP_CUT = 3.5, 1.5, 4.0
_LAM = 0.04
# Columns for each part, so that parts cannot explain whatever there is.
_COLUMNS_PER_PART = 3


class Answer(NamedTuple):
    """What a method says of a table or matrix.

    Attributes
    ----------
    mask : ndarray of bool
        What it calls wrong.
    restored : ndarray
        The data with its repairs in them.
    verdict : str or None
        How far it trusts itself, where it says so.
    sure : ndarray of bool or None
        What it gives a probability above 0.9 of being wrong.
    fitted : ndarray or None
        What its model makes of all entries.
    """

    mask: NDArray[np.bool_]
    restored: Array
    verdict: str | None = None
    sure: NDArray[np.bool_] | None = None
    fitted: Array | None = None


def _replaced(values: Array, mask: NDArray[np.bool_], expected: Array) -> Answer:
    return Answer(mask, np.where(mask, expected, values))


def by_imputer(values: Array) -> Answer:
    """Compare every cell with what regressions on the other columns say, on logs."""
    scale = scaled(values, logs=True)
    found = impute_and_compare(scale.Z)
    return _replaced(values, found.mask, scale.back(found.expected))


def by_ddc(values: Array, *, logs: bool = False) -> Answer:
    """Detect deviating cells."""
    scale = scaled(values, logs=logs)
    found = detect_deviating_cells(scale.Z)
    return _replaced(values, found.mask, scale.back(found.expected))


def by_ddc_on_logs(values: Array) -> Answer:
    """Detect deviating cells on logs."""
    return by_ddc(values, logs=True)


def by_pursuit(values: Array) -> Answer:
    """Split the standardised table into a low-rank and a sparse part; distrust what is sparse."""
    scale = scaled(values, logs=False)
    known = np.isfinite(values)
    # Far values would make all else look alike; gaps are where columns have their middle.
    Z = np.clip(np.where(known, scale.Z, 0.0), -20, 20)
    low_rank = principal_component_pursuit(Z, tol=1e-5).low_rank
    residuals = np.where(known, scale.Z - low_rank, np.nan)
    scales = np.array([robust_sd(column[np.abs(column) > 0]) for column in residuals.T])
    mask = known & (np.abs(residuals) > _PCP_CUT * np.maximum(scales, 0.05))
    return _replaced(values, mask, scale.back(low_rank))


def by_mad(values: Array) -> Answer:
    """Distrust what is more than 3.5 robust standard deviations from its column's median."""
    scale = scaled(values, logs=False)
    mask = np.abs(scale.Z) > _MAD_CUT
    return _replaced(values, mask & np.isfinite(values), np.broadcast_to(scale.centres, mask.shape))


def by_iqr(values: Array) -> Answer:
    """Distrust what is more than 1.5 interquartile ranges outside the quartiles."""
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75), axis=0)
    reach = _IQR_CUT * (high - low)
    mask = (values < low - reach) | (values > high + reach)
    return _replaced(values, mask, np.broadcast_to(middle, mask.shape))


def by_fixed_price(values: Array) -> Answer:
    """RobustNMF as in the paper, λ = 0.04, columns divided by their medians."""
    lowest = np.minimum(np.nanmin(values, axis=0), 0.0)
    shifted = values - lowest
    size = np.nanmedian(shifted, axis=0)
    size = np.where(size > 0, size, np.nanmax(shifted, axis=0))
    size = np.where(size > 0, size, 1.0)
    X = shifted / size
    k = max(1, min(values.shape) // _COLUMNS_PER_PART)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RobustNMF(min(k, 10), lam=_LAM, random_state=0).fit(X)
        mask = np.asarray(model.detect(X)) & np.isfinite(values)
        expected = np.asarray(model.denoise(X, keep_clean=False)) * size + lowest
    return _replaced(values, mask, expected)


RIVALS: dict[str, Callable[[Array], Answer]] = {
    IMPUTER: by_imputer,
    DDC: by_ddc,
    DDC_LOG: by_ddc_on_logs,
    PCP: by_pursuit,
    MAD: by_mad,
    IQR: by_iqr,
    FIXED: by_fixed_price,
}
