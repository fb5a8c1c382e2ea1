"""What else finds wrong cells of a table: each a function from values with gaps to an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.trust.ddc import detect_deviating_cells
from robustnmf_studies.trust.imputer import impute_and_compare
from robustnmf_studies.trust.scales import robust_sd, scaled

Array = NDArray[Any]
Mask = NDArray[np.bool_]

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
LAM, PCP_CUT = 0.04, 4.0
_MAD_CUT, _IQR_CUT = 3.5, 1.5
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

    mask: Mask
    restored: Array
    verdict: str | None = None
    sure: Mask | None = None
    fitted: Array | None = None


def _replaced(values: Array, mask: Mask, expected: Array) -> Answer:
    return Answer(mask, np.where(mask, expected, values))


def _on_scale(find: Callable[[Array], tuple[Mask, Array]], *, logs: bool) -> _Rival:
    """Return what finds and predicts cells of a scaled table as a rival."""

    def answer(values: Array) -> Answer:
        scale = scaled(values, logs=logs)
        mask, expected = find(scale.Z)
        return _replaced(values, mask, scale.back(expected))

    return answer


def _pursuit(Z: Array) -> tuple[Mask, Array]:
    """Split the standardised table into a low-rank and a sparse part; distrust what is sparse."""
    known = np.isfinite(Z)
    # Far values would make all else look alike; gaps are where columns have their middle.
    near = np.clip(np.where(known, Z, 0.0), -20, 20)
    low_rank = principal_component_pursuit(near, tol=1e-5).low_rank
    residuals = np.where(known, Z - low_rank, np.nan)
    scales = np.array([robust_sd(column[np.abs(column) > 0]) for column in residuals.T])
    return known & (np.abs(residuals) > PCP_CUT * np.maximum(scales, 0.05)), low_rank


def _mad(Z: Array) -> tuple[Mask, Array]:
    """Distrust what is more than 3.5 robust standard deviations from its column's median."""
    return np.abs(Z) > _MAD_CUT, np.zeros(Z.shape)


def _iqr(values: Array) -> Answer:
    """Distrust what is more than 1.5 interquartile ranges outside the quartiles."""
    low, middle, high = np.nanquantile(values, (0.25, 0.5, 0.75), axis=0)
    reach = _IQR_CUT * (high - low)
    return _replaced(values, (values < low - reach) | (values > high + reach), middle)


def _fixed_price(values: Array) -> Answer:
    """RobustNMF as in the paper, λ = 0.04, columns divided by their medians."""
    lowest = np.minimum(np.nanmin(values, axis=0), 0.0)
    shifted = values - lowest
    size = np.nanmedian(shifted, axis=0)
    size = np.where(size > 0, size, np.nanmax(shifted, axis=0))
    size = np.where(size > 0, size, 1.0)
    X = shifted / size
    k = max(1, min(values.shape) // _COLUMNS_PER_PART)
    model = RobustNMF(min(k, 10), lam=LAM, random_state=0).fit(X)
    mask = np.asarray(model.detect(X)) & np.isfinite(values)
    expected = np.asarray(model.denoise(X, keep_clean=False)) * size + lowest
    return _replaced(values, mask, expected)


_Rival = Callable[[Array], Answer]
RIVALS: dict[str, _Rival] = {
    IMPUTER: _on_scale(impute_and_compare, logs=True),
    DDC: _on_scale(detect_deviating_cells, logs=False),
    DDC_LOG: _on_scale(detect_deviating_cells, logs=True),
    PCP: _on_scale(_pursuit, logs=False),
    MAD: _on_scale(_mad, logs=False),
    IQR: _iqr,
    FIXED: _fixed_price,
}
