"""One pass over a block, in any array of the array API: the strict one has nothing else."""

import array_api_strict as xp
import numpy as np
import pytest
from numpy.testing import assert_allclose

from robustnmf._core.block import add, update_block
from robustnmf._core.components import update_components
from robustnmf._core.held import Held
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1, TruncatedSquares, of_rows
from robustnmf._core.objective import row_losses
from robustnmf._kernels import kernels_for, portable

RNG = np.random.default_rng(0)
W, H = RNG.random((6, 3)), RNG.random((3, 20))
X = W @ RNG.random((3, 20))
X[0, 3], X[2, 5] = 9, np.nan
MODELS = {
    "none": lambda kind: NoNoise(),
    "squared_l1": lambda kind: SquaredL1(0.3),
    "squared_l0": lambda kind: SquaredL0(0.3),
    "truncated": lambda kind: TruncatedSquares(kind(np.full(X.shape, 0.5))),
    "held": lambda kind: Held(SquaredL1(0.3), kind(W), kind(H)),
}


def one_pass(kind, model):
    """Two blocks, their sums, new components, and the objective there; all as NumPy arrays."""
    x, w, h = kind(X), kind(W), kind(H)
    model = model(kind)
    blocks = [slice(0, 2), slice(2, 6)]
    found = [
        update_block(
            x[rows, :],
            w[rows, :],
            h,
            h @ h.T,
            of_rows(model, rows),
            weights=None,
            threshold=kind(np.zeros(rows.stop - rows.start)),
            sweeps=2,
        )
        for rows in blocks
    ]
    total = add(found[0][2], found[1][2])
    new_h = update_components(h, total, sweeps=2)
    P = w @ new_h
    E = model.noise(x, P)
    misfit, penalty = row_losses(x, P, E, model)
    answers = (*(W for W, _, _ in found), new_h, E, misfit, penalty)
    assert all(type(A) is type(x) for A in answers)
    return total.loss, [np.asarray(A) for A in answers]


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_pass_in_strict_arrays_is_that_in_numpy(model):
    assert kernels_for(xp.asarray(X)) is portable
    loss, answers = one_pass(xp.asarray, model)
    expected_loss, expected = one_pass(np.asarray, model)
    assert_allclose(loss, expected_loss, rtol=1e-10)
    for found, A in zip(answers, expected, strict=True):
        assert_allclose(found, A, rtol=1e-8, atol=1e-10)
