"""One batch of rows, as the components learn from it, beside the same written out."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from conftest import spoil
from robustnmf._core.growth import Stage
from robustnmf._core.noise import NoNoise, SquaredL0, SquaredL1
from robustnmf._core.rows import solve_rows
from robustnmf._engines import engine_for
from robustnmf._engines.memory import MemoryEngine
from robustnmf._solvers import Hold, Sums, batch_sums, improved_components, online

RNG = np.random.default_rng(0)
PARTS = RNG.gamma(0.5, size=(3, 30))
X = spoil(RNG.gamma(1.0, size=(70, 3)) @ PARTS)[0]
# Components that still have something to learn.
H = PARTS * (0.8 + 0.4 * RNG.random(PARTS.shape)) + 0.05
HOLD = Hold((Stage(X.mean(axis=0, keepdims=True)),), 0.3)
NOISE = {
    "L1": SquaredL1(0.1),
    "L1, low price": SquaredL1(0.02),
    "L1, tiny price": SquaredL1(1e-4),
    "L0": SquaredL0(2.0),
    "none": NoNoise(),
}


def written_out(noise, H=H):
    """All sums from the exact W and E."""
    W = solve_rows(X, H, noise)
    E = noise.noise(X, W @ H)
    R = X - W @ H - E
    patterns = W / (W @ H).sum(axis=1, keepdims=True)
    loss = (R * R).sum() + noise.penalty(E).sum()
    return Sums(W.T @ W, W.T @ (X - E), patterns.sum(axis=0), 70, 70, X.size, np.sum(W > 0), loss)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NOISE)
def test_sums_are_those_of_the_best_w_and_e(name, dtype, monkeypatch):
    noise = NOISE[name]
    expected = written_out(noise)
    usual = np.ones(3, dtype)
    data = MemoryEngine(X, dtype=dtype, block_rows=16)
    near = batch_sums(data, noise, H.astype(dtype), usual, HOLD)
    assert near.gram.dtype == near.cross.dtype == np.float64
    assert near.loss == pytest.approx(expected.loss, rel=2e-3)
    assert_allclose(near.cross, expected.cross, rtol=0.05, atol=0.02 * expected.cross.max())
    assert near[3:6] == expected[3:6]
    monkeypatch.setattr(online, "ONLINE", online.ONLINE._replace(settled=1e-9))
    exact = batch_sums(data, noise, H.astype(dtype), usual, HOLD)
    tolerance = 1e-4 if dtype == np.float64 else 2e-3
    for name in ("gram", "cross", "shares"):
        A, B = getattr(exact, name), getattr(expected, name)
        assert_allclose(A, B, rtol=tolerance, atol=tolerance * B.max())
    assert exact.used == expected.used


@pytest.mark.parametrize("name", ["L1", "L0"])
def test_missing_entries_are_held(name):
    gaps = np.random.default_rng(0).random(X.shape) < 0.2
    noise, data = NOISE[name], np.where(gaps, np.nan, X)
    found = batch_sums(engine_for(data), noise, H, np.ones(3), HOLD)
    assert found.known == X.size - gaps.sum()
    assert 0 < found.misfit < found.spread
    # The loss counts known entries only, ...
    assert found.loss < batch_sums(engine_for(X), noise, H, np.ones(3), HOLD).loss
    # ... and the strength of the hold follows from how well they are known.
    assert 0 < found.hint(H) <= 0.3
    assert found._replace(misfit=0.0).hint(H) == 0


def test_components_improve_on_the_sums():
    noise = NOISE["L1"]
    first, W = written_out(noise), solve_rows(X, H, noise)
    better = improved_components(H, first)
    assert (better >= 0).all()
    E = noise.noise(X, W @ H)
    assert np.linalg.norm(X - E - W @ better) < np.linalg.norm(X - E - W @ H)
    assert written_out(noise, better).loss < first.loss


def test_sums_add_up_and_fade():
    noise = NOISE["L1"]
    halves = [batch_sums(engine_for(A), noise, H, np.ones(3), HOLD) for A in (X[:40], X[40:])]
    whole = halves[0].plus(halves[1])
    together = batch_sums(MemoryEngine(X, block_rows=10), noise, H, np.ones(3), HOLD)
    assert_allclose(whole.cross, together.cross, rtol=0.02)
    for half, part in zip(whole.faded(0.5), whole, strict=True):
        assert_allclose(half, 0.5 * part)
    four_times = MemoryEngine(4 * X, block_rows=10)
    scaled = batch_sums(four_times, noise, 2 * H, 2 * np.ones(3), HOLD)
    # Rounds begin at W = 2 there, as they do here at W = 1.
    for A, B in zip(scaled, together.in_unit(1, 1), strict=True):
        assert_allclose(A, B, rtol=1e-9)


def test_the_typical_sample_is_that_of_patterns():
    sums = written_out(NOISE["L1"])
    W = solve_rows(X, H, NOISE["L1"])
    P = W @ H
    expected = (P / P.sum(axis=1, keepdims=True)).mean(axis=0)
    assert_allclose(sums.typical_sample(H), expected)
    assert_allclose(sums.usual_weights(), np.sqrt((W * W).mean(axis=0)))


def test_nothing_tells_nothing():
    nothing = Sums.of_nothing(3, 30)
    assert_allclose(improved_components(H, nothing), H)
    assert not nothing.usual_weights().any()
    assert nothing.hint(H) == 0.3
