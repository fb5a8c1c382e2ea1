"""What "auto" costs on large data, in fits with λ = 0.04 of what it leaves, and in memory."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF
from robustnmf._estimators.memory import forget
from robustnmf_studies.bench.plan import FULL, Plan, Size
from robustnmf_studies.bench.results import OF_INPUT, SHARE, Row, side_by_side
from robustnmf_studies.bench.timing import Tell
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak

# The share of wrong entries, up to how many times the mean of a value they are, and the noise of
# all others as a share of each.
_WRONG, _HIGHEST, _NOISE = 0.05, 4, 0.02
_BLOCK = 1000
_MEMORY = """
import json
from robustnmf_studies.bench.auto_large import Size, risen
from robustnmf_studies.common.processes import in_new_process, peak_bytes, reset_peak
print(json.dumps(risen({size!r})))
"""


def measure(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit and detect with ``lam="auto"``, and with λ = 0.04 what auto leaves, in turn."""
    size = plan.auto_large[case]
    exact = size == FULL.auto_large[case]
    X = corrupted(size)
    auto, found = _fitted(X, size, "auto"), None
    found = auto.detect(X)
    left = auto.denoise(X)
    plain = _fitted(left, size, LAM)
    more: dict[str, Any] = {"exact": exact}
    rows = [
        side_by_side(
            f"auto-large.{case}",
            f"a fit with lam='auto' against λ = {LAM:g} on what auto leaves, {size}",
            SHARE,
            partial(_fitted, X, size, "auto"),
            partial(_fitted, left, size, LAM),
            plan.repeat,
            lambda share: tell(share / 2),
            rival="a fit",
            note=f"{auto.diagnosis_.verdict}; {auto.n_iter_} iterations against {plain.n_iter_}, "
            f"{found.mean():.1%} flagged of {_WRONG:.0%} that were replaced",
            **more,
        ),
        side_by_side(
            f"auto-large.{case}-detect",
            f"detect of a model with lam='auto' against one with λ = {LAM:g}, {size}",
            SHARE,
            partial(_asked, auto, X),
            partial(_asked, plain, X),
            plan.repeat,
            lambda share: tell(0.5 + share / 3),
            rival="detect of the other",
            **more,
        ),
    ]
    del auto, plain, left, found, X
    peaks = [in_new_process(_MEMORY.format(size=size)) for _ in range(plan.repeat)]
    rows.append(
        Row(
            f"auto-large.{case}-memory",
            f"peak memory of a fit with lam='auto' beyond X, {size}",
            OF_INPUT,
            [peak["fit"] / peak["input"] for peak in peaks],
            ours=float(np.median([peak["fit"] for peak in peaks])) / 2**20,
            theirs=peaks[0]["input"] / 2**20,
            unit="MB",
            rival="X",
            exact=exact,
            note=f"E itself takes {peaks[0]['noise'] / 2**20:.0f} MB",
        )
    )
    return rows


def corrupted(size: Size) -> NDArray[Any]:
    """Make mixtures of parts with some noise, 5 % of whose entries have any value at all."""
    rng = np.random.default_rng(0)
    X, H = np.empty((size.n, size.m)), rng.exponential(size=(size.k, size.m))
    for first in range(0, size.n, _BLOCK):
        block = X[first : first + _BLOCK]
        np.matmul(rng.exponential(size=(len(block), size.k)), H, out=block)
        # Values that nothing cuts off: a ceiling would be flagged, too.
        block *= 1 + _NOISE * rng.standard_normal(block.shape)
        wrong = rng.random(block.shape) < _WRONG
        block[wrong] = rng.uniform(0, _HIGHEST * size.k, np.count_nonzero(wrong))
    return X


def risen(size: Size) -> dict[str, int]:
    """Return by how much memory rises while a fit goes on, in a process of its own."""
    X = corrupted(size)
    # Imports and kernels are the library's, whatever the data.
    _fitted(X[: _BLOCK // 4], size, "auto")
    reset_peak()
    before = peak_bytes()
    E = _fitted(X, size, "auto").noise_
    return {
        "input": X.nbytes,
        "fit": peak_bytes() - before,
        "noise": E.data.nbytes + E.indices.nbytes + E.indptr.nbytes,
    }


def _fitted(X: NDArray[Any], size: Size, lam: float | str) -> RobustNMF:
    # Neither convergence nor what auto thinks of these data is asked for.
    with warnings.catch_warnings(action="ignore"):
        return RobustNMF(size.k, lam=lam, random_state=0).fit(X)


def _asked(model: RobustNMF, X: NDArray[Any]) -> None:
    forget(model)  # answers are remembered
    model.detect(X)
