"""partial_fit of MiniBatchRobustNMF: rows that are seen once, parts that change, models on file."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from batches import K, M, model, objective, parts_found, quiet, rows
from robustnmf import MiniBatchRobustNMF, RobustNMF
from robustnmf._fitting import online
from same import assert_same


def test_one_look_at_each_row_is_enough():
    fitted = model()
    for seed in range(20):
        fitted.partial_fit(rows(200, seed)[0])
    X = rows(2000, seed=50)[0]
    full = RobustNMF(K, random_state=0).fit(rows(4000)[0])
    assert objective(fitted, X) < 1.02 * objective(full, X)
    assert (fitted.n_samples_seen_, fitted.n_steps_) == (4000, 20)


def test_how_rows_are_dealt_out_to_calls_does_not_matter():
    X = rows(3024)[0]
    start = 256 * K
    once = model().partial_fit(X)
    often = model()
    for part in np.split(X, range(start, len(X), 200)):
        often.partial_fit(part)
    assert_array_equal(often.components_, once.components_)
    assert_same(often._sums, once._sums)
    assert often.n_samples_seen_ == once.n_samples_seen_ == 3024
    assert often.n_steps_ == once.n_steps_ == 11


def test_few_rows_at_a_time_forget_no_more():
    X, new = rows(3024)[0], rows(2000, seed=9)[0]
    scores = []
    for size in (10, 200):
        fitted = model().partial_fit(X[:1024])
        for first in range(1024, 3024, size):
            fitted.partial_fit(X[first : first + size])
        scores.append(objective(fitted, new))
    assert scores[0] < 1.005 * scores[1]


def test_what_is_forgotten_is_told_by_the_factor():
    n = 1024 * K  # from here on the beginning is over
    X = rows(n + 500)[0]
    for factor in (1, 0.5, 0):
        fitted = model(forget_factor=factor).partial_fit(X[:n])
        before = fitted._sums.rows
        fitted.partial_fit(X[n:])  # in batches of 200, 200 and 100
        late = 200 * factor**1.5 + 200 * factor**0.5 + 100
        assert fitted._sums.rows == pytest.approx(before * factor**2.5 + late)
    assert before == 72  # those of the last batch alone: of the last factor
    # By the end of the beginning its first half has faded.
    assert model(forget_factor=1).partial_fit(X[:n])._sums.rows == pytest.approx(0.6 * n, rel=0.1)


@pytest.mark.parametrize("first", [1, 2, 3, 20])
def test_it_may_begin_with_fewer_rows_than_components(first):
    X = rows(4000)[0]
    fitted = model().partial_fit(X[:first])
    assert fitted.components_.shape == (K, M)
    assert np.isfinite(fitted.transform(X[:5])).all()
    for begin in range(first, 4000, 100):
        fitted.partial_fit(X[begin : begin + 100])
    full = RobustNMF(K, random_state=0).fit(X)
    assert objective(fitted, X) < 1.05 * full.objective_


def test_rows_of_nothing_do_no_harm():
    X = rows(1000)[0]
    fitted = model().partial_fit(np.zeros((30, M))).partial_fit(X).partial_fit(np.zeros((9, M)))
    assert np.isfinite(fitted.components_).all()
    assert fitted.objective_ == pytest.approx(0, abs=1e-3)
    assert objective(fitted, X) < 1.02 * RobustNMF(K, random_state=0).fit(X).objective_
    assert fitted.n_samples_seen_ == 30 + 1000 + 9
    alone = model().partial_fit(X)
    assert fitted.n_steps_ == alone.n_steps_ + 2


def test_after_fit_it_goes_on():
    X, more = rows(2000)[0], rows(400, seed=5)[0]
    fitted = model().fit(X)
    before, seen = fitted.components_.copy(), fitted.n_samples_seen_
    fitted.partial_fit(more)
    assert fitted.n_samples_seen_ == seen + 400
    assert 0 < abs(fitted.components_ - before).max() < 0.2 * before.max()
    # And fit begins anew.
    assert_array_equal(fitted.fit(X).components_, before)


def test_parameters_may_change_on_the_way():
    X = rows(1000)[0]
    fitted = model().partial_fit(X).set_params(lam=0.5, batch_size=17).partial_fit(X)
    assert fitted.lam_ == 0.5
    assert fitted._model().noise.lam == 0.5
    with pytest.raises(ValueError, match="n_components=7 and components_ of the shape"):
        fitted.set_params(n_components=7).partial_fit(X)
    with pytest.raises(ValueError, match="cannot go from a number for lam to 'auto' or back"):
        fitted.set_params(n_components=K, lam="auto").partial_fit(X)
    with pytest.raises(ValueError, match=r"got lam=0\.1\. Call fit"):
        model(lam="auto").partial_fit(X).set_params(lam=0.1).partial_fit(X)
    fitted.set_params(lam=0.1).components_ = fitted.components_[:2]
    with pytest.raises(ValueError, match=r"components of the shape \(4, 60\); got"):
        fitted.partial_fit(X)


def test_a_call_that_fails_changes_nothing(monkeypatch):
    X = rows(1000)[0]
    fitted = model().partial_fit(X)
    before = dict(vars(fitted))
    for bad in (-X, np.where(X > 1, np.inf, X), X[:, 1:]):
        with pytest.raises(ValueError, match=r"Negative values|infinity|features"):
            fitted.partial_fit(bad)
    calls, sums = [], online.batch_sums

    def interrupted(*args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return sums(*args)

    monkeypatch.setattr(online, "batch_sums", interrupted)
    fresh = model()
    for call in (fitted.partial_fit, fitted.fit, fresh.fit, fresh.partial_fit):
        calls.clear()
        with pytest.raises(KeyboardInterrupt):
            call(X if call.__self__ is fitted else rows(2000)[0])
    monkeypatch.undo()
    assert_same(before, vars(fitted))
    assert vars(fresh) == vars(model())


def test_names_of_features_are_those_of_the_first_call():
    X = pd.DataFrame(rows(300)[0], columns=[f"c{j}" for j in range(M)])
    fitted = model().partial_fit(X).partial_fit(X)
    assert fitted.detect(X).columns.equals(X.columns)
    with pytest.raises(ValueError, match="feature names"):
        fitted.partial_fit(X.rename(columns={"c0": "other"}))


def test_precision_is_that_of_the_first_call():
    X = rows(600)[0]
    fitted = model().partial_fit(X.astype(np.float32)).partial_fit(X)
    assert fitted.components_.dtype == np.float32
    assert model().partial_fit(X).partial_fit(X.astype(np.float32)).components_.dtype == float


@pytest.mark.parametrize("exponent", [-400, 300, 480])
def test_any_unit_will_do(exponent):
    X = rows(1500)[0]
    usual, far = (model().partial_fit(A) for A in (X, np.ldexp(X, exponent)))
    # Small fits, such as the one to the first rows, begin in single precision if they can.
    score = far.score(np.ldexp(X, exponent))
    assert np.ldexp(score, -2 * exponent) == pytest.approx(usual.score(X), rel=1e-3)


def test_a_unit_that_changes_beyond_all_bounds_is_refused():
    fitted = model().partial_fit(np.ldexp(rows(300)[0], -400))
    before = fitted.components_.copy()
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="the unit of those rows"):
        fitted.partial_fit(np.ldexp(rows(300)[0], 480))
    assert_array_equal(fitted.components_, before)


def changing(n_batches, size=200, seed=0):
    """Batches of rows whose parts change, from some to others: (parts, X, clean data)."""
    rng = np.random.default_rng(seed)
    old, new = rng.gamma(0.5, size=(2, K, M))
    for i in range(n_batches):
        share = i / (n_batches - 1)
        parts = (1 - share) * old + share * new
        X, _, clean = rows(size, seed=1000 + i, parts=parts)
        yield parts, X, clean


@pytest.mark.parametrize("seed", range(3))
def test_parts_that_change_are_followed_by_those_who_forget(seed):
    models = {factor: model(forget_factor=factor) for factor in (0.3, 0.7, 1)}
    for parts, X, clean in changing(40, seed=seed):  # noqa: B007
        for fitted in models.values():
            fitted.partial_fit(X)
    found = {f: parts_found(fitted.components_, parts) for f, fitted in models.items()}
    errors = {
        f: np.linalg.norm(fitted.denoise(X) - clean) / np.linalg.norm(clean)
        for f, fitted in models.items()
    }
    assert found[0.3] > 0.98
    assert found[0.7] > 0.93
    assert found[1] < 0.9
    assert errors[0.3] < errors[0.7] < 0.5 * errors[1]


class Endless:
    """Rows that are made when they are read."""

    def __init__(self, n_blocks):
        self.n_blocks = n_blocks

    def __iter__(self):
        parts = np.random.default_rng(99).gamma(0.5, size=(K, M))
        return (rows(500, seed, parts)[0] for seed in range(self.n_blocks))


@quiet
def test_memory_does_not_grow_with_the_rows_that_were_seen():
    def peak(work):
        tracemalloc.start()
        work()
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    def learn(n_blocks):
        fitted = model()
        for X in Endless(n_blocks):
            fitted.partial_fit(X)

    learn(5)  # kernels, and what is imported
    few, many = (peak(lambda n=n: learn(n)) for n in (10, 40))
    assert many < 1.1 * few
    few, many = (peak(lambda n=n: model(max_iter=1).fit(Endless(n))) for n in (60, 150))
    assert many < 1.2 * few


@quiet
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("gaps", [0, 0.1])
def test_a_model_that_was_loaded_goes_on_to_the_last_bit(gaps, dtype, tmp_path):
    X, more = (rows(1500, seed, dtype=dtype, gaps=gaps)[0] for seed in (0, 1))
    learned = model(lam="auto").partial_fit(X)
    for fitted in (model().fit(X), model(penalty="squared_l0", lam=0.05).partial_fit(X), learned):
        fitted.save(tmp_path / "m")
        again = MiniBatchRobustNMF.load(tmp_path / "m")
        assert_same(vars(fitted), vars(again))
        assert_same(fitted.decompose(more), again.decompose(more))
        assert_same(vars(fitted.partial_fit(more)), vars(again.partial_fit(more)))
    with pytest.raises(ValueError, match=r"use MiniBatchRobustNMF\.load"):
        RobustNMF.load(tmp_path / "m")


def test_an_answer_is_not_remembered_beyond_what_was_learned():
    X, more = rows(500)[0], rows(500, seed=4)[0]
    fitted = model().partial_fit(X)
    fitted.transform(more)
    fitted.partial_fit(more)
    assert_array_equal(fitted.transform(more), clone_of(fitted).transform(more))


def clone_of(fitted):
    again = clone(fitted)
    vars(again).update(vars(fitted))
    return again
