"""Our own methods as a user calls them, and what the matrices are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf import RobustNMF, WeightedNMF
from robustnmf_studies.common.detection import Detection, at_best_threshold
from robustnmf_studies.common.pcp import principal_component_pursuit
from robustnmf_studies.trust import rivals
from robustnmf_studies.trust.rivals import FIXED, LAM, MAD, PCP, Answer, Array, Mask
from robustnmf_studies.trust.scales import robust_sd
from robustnmf_studies.trust.tables import RealTable

OURS, ORACLE, STACK = "auto", "oracle", "stack"
METHOD_NAMES = {
    OURS: "robustnmf, auto",
    **rivals.RIVAL_NAMES,
    STACK: "denoise_stack",
    ORACLE: "best threshold, told the mask",
}
RANK = 10
# Features or samples for each component, so that components cannot explain whatever there is.
_PER_COMPONENT = 4


def clean_by_auto(table: RealTable, values: Array) -> Answer:
    """Clean a table with nothing to choose, as from a file with these headings and decimals."""
    from robustnmf._tables.arrays import ArrayTable
    from robustnmf._tables.table import Column, TableError
    from robustnmf.tables import clean_table

    cells = ArrayTable(values)
    cells.columns = [Column(*column) for column in zip(table.columns, table.decimals, strict=True)]
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
    return Answer(cleaned.mask, np.where(changed, new, values), str(cleaned.diagnosis.verdict))


def rank_for(X: Array) -> int:
    """Return how many components a matrix is given: ten, or less where it is small."""
    return max(1, min(RANK, min(X.shape) // _PER_COMPONENT))


def restore_by_auto(X: Array, rank: int | str, *, whole: bool = False) -> Answer:
    """RobustNMF with nothing known of the noise.

    With `whole`, all entries count of the samples and features that it reports as bad as a whole.
    """
    model = RobustNMF(rank, lam="auto", random_state=0).fit(X)
    mask, restored = np.array(model.detect(X)), np.asarray(model.denoise(X))
    sure = np.asarray(model.noise_probability(X)) > 0.9
    fitted = np.asarray(model.denoise(X, keep_clean=False))
    if whole:
        mask[model.outlier_samples_] = True
        mask[:, model.outlier_features_] = True
    return Answer(mask, restored, str(model.diagnosis_.verdict), sure, fitted)


def restore_stack(X: Array, layout: tuple[int, int]) -> Answer:
    """`denoise_stack`, which knows where pixels lie."""
    from robustnmf.image import denoise_stack

    stack = X.reshape(len(X), *layout)
    found: Any = denoise_stack(stack, random_state=0, return_details=True)
    return Answer(found.mask.reshape(X.shape), found.image.reshape(X.shape))


def _fixed_price(X: Array) -> Answer:
    """RobustNMF as in the paper, λ = 0.04."""
    model = RobustNMF(rank_for(X), lam=LAM, random_state=0).fit(X)
    return Answer(np.asarray(model.detect(X)), np.asarray(model.denoise(X)))


def _pursuit(X: Array) -> Answer:
    """Principal component pursuit; what is far from its low rank is wrong."""
    low_rank = principal_component_pursuit(X, tol=1e-4).low_rank
    residuals = X - low_rank
    mask = np.abs(residuals) > rivals.PCP_CUT * robust_sd(residuals.ravel())
    return Answer(mask, np.where(mask, low_rank, X))


MATRIX_RIVALS = {FIXED: _fixed_price, PCP: _pursuit, MAD: rivals.RIVALS[MAD]}


def oracle(X: Array, wrong: Mask) -> tuple[Detection, Array]:
    """Return the best that a threshold can do on the residual of a fit that knows the mask.

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
    model = WeightedNMF(rank_for(X), random_state=0)
    W = model.fit_transform(gaps[np.ix_(rows, columns)])
    fitted[np.ix_(rows, columns)] = W @ model.components_
    fitted = np.where(np.isfinite(fitted), fitted, np.nanmean(gaps))
    return at_best_threshold(wrong, X - fitted), np.where(wrong, fitted, X)


def hidden_errors(X: Array, hidden: Mask) -> dict[str, float]:
    """Return how far W H is off at entries that were not there, with λ = 0.04.

    Returns
    -------
    dict
        Root mean squared errors at these entries: "plain", "refit", "auto", and of "oracle", a
        fit of the same rank to the complete data.
    """
    k = rank_for(X)
    gaps = np.where(hidden, np.nan, X)
    fits: dict[str, tuple[Any, Array]] = {
        "plain": (RobustNMF(k, lam=LAM, random_state=0), gaps),
        "refit": (RobustNMF(k, lam=LAM, refit="wnmf", random_state=0), gaps),
        "auto": (RobustNMF(k, lam="auto", random_state=0), gaps),
        "oracle": (WeightedNMF(k, random_state=0), X),
    }
    found = {}
    for name, (model, data) in fits.items():
        fitted = model.fit_transform(data) @ model.components_
        found[name] = float(np.sqrt(((X - fitted)[hidden] ** 2).mean()))
    return found
