"""Our own methods as a user calls them, and what the matrices are compared with."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF, WeightedNMF
from robustnmf_studies.common.detection import Detection, at_best_threshold
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.trust.errors import robust_sd
from robustnmf_studies.trust.rivals import FIXED, MAD, PCP, RIVAL_NAMES, Answer, by_mad
from robustnmf_studies.trust.settings import RANK
from robustnmf_studies.trust.tables import RealTable

Array = NDArray[Any]
Mask = NDArray[np.bool_]

OURS, ORACLE, STACK = "auto", "oracle", "stack"
METHOD_NAMES = {
    OURS: "robustnmf, auto",
    **RIVAL_NAMES,
    STACK: "denoise_stack",
    ORACLE: "best threshold, told the mask",
}
MATRIX_RIVALS = (FIXED, PCP, MAD)
_PCP_CUT = 4.0
_LAM = 0.04
# Features or samples for each component, so that components cannot explain whatever there is.
_PER_COMPONENT = 4


def clean_by_auto(table: RealTable, values: Array) -> Answer:
    """Clean a table with nothing to choose, as from a file with these headings and decimals."""
    from robustnmf._tables.arrays import ArrayTable
    from robustnmf._tables.table import Column, TableError
    from robustnmf.tables import clean_table

    cells = ArrayTable(values)
    cells.columns = [
        Column(name, decimals) for name, decimals in zip(table.columns, table.decimals, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            cleaned: Any = clean_table(cells)
        except TableError as error:
            if "--negative" not in str(error):
                raise
            # As the message advises, and as someone in a hurry does.
            cleaned = clean_table(cells, negative="shift")
    changed, new = cleaned.block(slice(0, len(values)))
    # Filling gaps is another matter.
    changed = changed & np.isfinite(values)
    return Answer(cleaned.mask, np.where(changed, new, values), _verdict_of(cleaned, "diagnosis"))


def rank_for(X: Array) -> int:
    """Return how many components a matrix is given: ten, or less where it is small."""
    return max(1, min(RANK, min(X.shape) // _PER_COMPONENT))


def restore_by_auto(X: Array, rank: int | str, *, whole: bool = False) -> Answer:
    """RobustNMF with nothing known of the noise.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data.
    rank : int or "auto"
        Number of components.
    whole : bool, default=False
        Count all entries of the samples and features that it reports as bad as a whole.

    Returns
    -------
    Answer
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RobustNMF(rank, lam="auto", random_state=0).fit(X)
        mask, restored = np.asarray(model.detect(X)), np.asarray(model.denoise(X))
        sure = np.asarray(model.noise_probability(X)) > 0.9
        fitted = np.asarray(model.denoise(X, keep_clean=False))
    if whole:
        mask = mask.copy()
        mask[np.asarray(getattr(model, "outlier_samples_", ()), dtype=int)] = True
        mask[:, np.asarray(getattr(model, "outlier_features_", ()), dtype=int)] = True
    return Answer(mask, restored, _verdict_of(model, "diagnosis_"), sure, fitted)


def restore_by_fixed_price(X: Array) -> Answer:
    """RobustNMF as in the paper, λ = 0.04."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RobustNMF(rank_for(X), lam=_LAM, random_state=0).fit(X)
        return Answer(np.asarray(model.detect(X)), np.asarray(model.denoise(X)))


def restore_by_pursuit(X: Array) -> Answer:
    """Principal component pursuit; what is far from its low rank is wrong."""
    low_rank = principal_component_pursuit(X, tol=1e-4).low_rank
    residuals = X - low_rank
    mask = np.abs(residuals) > _PCP_CUT * robust_sd(residuals.ravel())
    return Answer(mask, np.where(mask, low_rank, X))


def restore_by_mad(X: Array) -> Answer:
    """The MAD rule, feature by feature."""
    return by_mad(X)


MATRIX_METHODS = {
    FIXED: restore_by_fixed_price,
    PCP: restore_by_pursuit,
    MAD: restore_by_mad,
}


def restore_stack(X: Array, layout: tuple[int, int]) -> Answer:
    """`denoise_stack`, which knows where pixels lie."""
    from robustnmf.image import denoise_stack

    stack = X.reshape(len(X), *layout)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: Any = denoise_stack(stack, random_state=0, return_details=True)
    return Answer(found.mask.reshape(X.shape), found.image.reshape(X.shape))


def oracle(X: Array, wrong: Mask) -> tuple[Detection, Array]:
    """Return the best that a threshold can do on the residual of a fit that knows the mask.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Corrupted.
    wrong : ndarray of bool
        Where.

    Returns
    -------
    Detection
        At the threshold with the highest F1.
    ndarray
        X with its corrupt entries replaced by that fit.
    """
    gaps = np.where(wrong, np.nan, X)
    rows, columns = ~wrong.all(axis=1), ~wrong.all(axis=0)
    # Of a sample or feature without any good entry, only the others can say what is usual.
    usual_row, usual_column = np.nanmean(gaps[rows], axis=0), np.nanmean(gaps[:, columns], axis=1)
    fitted = np.where(columns, usual_row, usual_column[:, None])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = WeightedNMF(rank_for(X), random_state=0)
        W = model.fit_transform(gaps[np.ix_(rows, columns)])
    fitted[np.ix_(rows, columns)] = W @ model.components_
    fitted = np.where(np.isfinite(fitted), fitted, np.nanmean(gaps))
    return at_best_threshold(wrong, X - fitted), np.where(wrong, fitted, X)


def hidden_errors(X: Array, hidden: Mask) -> dict[str, float]:
    """Return how far W H is off at entries that were not there, with λ = 0.04.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Complete.
    hidden : ndarray of bool
        The entries to take away.

    Returns
    -------
    dict
        Root mean squared errors at these entries: "plain", "refit", "auto", and of "oracle", a
        fit of the same rank to the complete data.
    """
    k = rank_for(X)
    models: dict[str, Any] = {
        "plain": RobustNMF(k, lam=_LAM, random_state=0),
        "refit": RobustNMF(k, lam=_LAM, refit="wnmf", random_state=0),
        "auto": RobustNMF(k, lam="auto", random_state=0),
        "oracle": WeightedNMF(k, random_state=0),
    }
    found = {}
    for name, model in models.items():
        data = X if name == "oracle" else np.where(hidden, np.nan, X)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = model.fit_transform(data) @ model.components_
        found[name] = float(np.sqrt(((X - fitted)[hidden] ** 2).mean()))
    return found


def _verdict_of(found: Any, name: str) -> str | None:
    diagnosis = getattr(found, name, None)
    return None if diagnosis is None else str(diagnosis.verdict)
