"""What auto learns of more rows than it looks at first, and what it needs for that."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF
from robustnmf._auto.detection import FirstFit, explain_rows
from robustnmf._auto.facts import sizes_of
from robustnmf._auto.fit import FIT
from robustnmf._common.bits import packed
from robustnmf._core.noise import LeftOut, TruncatedSquares
from robustnmf._estimators.memory import forget


def corrupted(n, m, k=4, seed=0, dtype=float):
    rng = np.random.default_rng(seed)
    clean = rng.exponential(size=(n, k)) @ rng.exponential(size=(k, m))
    clean *= 1 + 0.02 * rng.standard_normal((n, m))
    wrong = rng.random((n, m)) < 0.05
    X = np.where(wrong, rng.random((n, m)) * clean.max(), np.maximum(clean, 0))
    return X.astype(dtype), wrong, clean


def model(k=4, **parameters):
    return RobustNMF(k, lam="auto", random_state=0, **parameters)


@pytest.fixture(scope="module")
def large():
    X, wrong, clean = corrupted(2000, 600)
    assert X.size > FIT.sample_entries
    return X, wrong, clean, model().fit(X)


def test_errors_in_rows_that_were_not_looked_at_first_are_found_and_repaired(large):
    X, wrong, clean, fitted = large
    found = fitted.detect(X)
    assert 2 * (found & wrong).sum() / (found.sum() + wrong.sum()) > 0.97
    assert np.sum((fitted.denoise(X) - clean) ** 2) < 0.01 * np.sum((X - clean) ** 2)
    assert fitted.diagnosis_.trusted
    assert fitted.corruption_ == pytest.approx(0.05, rel=0.1)


def test_blocks_give_what_an_array_gives(large):
    X, _, _, fitted = large
    blocks = [X[:700], X[700:701], X[701:]]
    of_blocks = model().fit(blocks)
    assert_allclose(of_blocks.components_, fitted.components_, rtol=1e-8)
    for name in ("lam_", "noise_scale_", "corruption_", "objective_"):
        assert getattr(of_blocks, name) == pytest.approx(getattr(fitted, name), rel=1e-8)
    assert of_blocks.diagnosis_ == fitted.diagnosis_
    # It may be larger than memory.
    assert not hasattr(of_blocks, "noise_")
    assert_array_equal(of_blocks.detect(blocks), fitted.detect(X))


def test_the_noise_of_a_fit_is_what_is_found_afterwards(large):
    X, _, _, fitted = large
    forget(fitted)
    E = fitted.estimate_noise(X)
    assert_array_equal(E.toarray(), fitted.noise_.toarray())
    W = fitted.transform(X)
    misfit = np.where(E.toarray() == 0, X - W @ fitted.components_, 0)
    assert fitted.reconstruction_err_ == pytest.approx(np.linalg.norm(misfit), rel=1e-6)


def test_samples_that_are_nothing_like_the_rest_are_named_wherever_they_are(large):
    X = large[0].copy()
    strange = [700, 1500, 1999]
    X[strange] = np.random.default_rng(1).random((3, X.shape[1])) * X.mean() * 2
    fitted = model().fit(X)
    assert_array_equal(fitted.outlier_samples_, strange)


def test_singles_and_doubles_agree(large):
    X, _, _, fitted = large
    single = model().fit(X.astype(np.float32))
    assert np.mean(single.detect(X.astype(np.float32)) != fitted.detect(X)) < 1e-3


def test_a_fit_needs_little_beside_the_data():
    X, _, _ = corrupted(6000, 500, dtype=np.float32)
    model().fit(X[:1000])  # whatever is made once
    tracemalloc.start()
    model().fit(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Beside E, which alone is 10 % of this X, there are blocks and W.
    assert peak < X.nbytes


def test_what_is_left_out_pulls_at_nothing():
    rng = np.random.default_rng(0)
    X, P = rng.random((2, 5, 13))
    corrupt = rng.random(X.shape) < 0.3
    left_out = LeftOut(packed(corrupt))
    truncated = TruncatedSquares(np.where(corrupt, 0, np.inf))
    for ours, truth in zip(
        left_out.clean(X, P.copy(), None, np.zeros(5)),
        truncated.clean(X, P.copy(), None, np.zeros(5)),
        strict=True,
    ):
        assert_array_equal(ours, truth)
    assert_array_equal(left_out.clean(X, P.copy(), None, np.zeros(5)).rows[corrupt], P[corrupt])


def test_a_first_fit_to_some_features_leads_where_one_to_all_does(large, monkeypatch):
    X, _, _, fitted = large
    H, detector = fitted.components_, fitted._learned.detector
    some = FirstFit.of(H)
    assert some.columns is not None
    assert len(some.columns) < 0.6 * X.shape[1]
    all_ = FirstFit(H, None, H)
    one, other = (explain_rows(X, first, detector) for first in (some, all_))
    assert np.mean(one.corrupt != other.corrupt) < 1e-4
    # Of a row with hardly any numbers, all of them are looked at.
    sparse = np.where(np.random.default_rng(0).random(X.shape) < 0.95, np.nan, X)[:50]
    assert_allclose(some.weights(sparse), all_.weights(sparse), rtol=1e-6)


def test_sizes_of_noise_add_up():
    rng = np.random.default_rng(0)
    e = rng.standard_cauchy(1000)
    counts, sums = sizes_of(e, 0.5)
    assert counts.sum() == 1000
    assert sums.sum() == pytest.approx(np.abs(e).sum())
    # Above a line: what the means of bins say, and what is so.
    line = 1.5
    means = np.divide(sums, counts, out=np.zeros(len(sums)), where=counts > 0)
    excess = counts @ np.maximum(means - line, 0)
    assert excess == pytest.approx(np.maximum(np.abs(e) - line, 0).sum(), rel=1e-3)
