"""All that a model says of data, from one solve."""

import gc
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from conftest import low_rank, spoil
from robustnmf import RobustNMF
from robustnmf._estimators import memory


@pytest.fixture(scope="module", params=[0.1, "auto"])
def fitted(request):
    X, _ = spoil(low_rank(), size=5.0)
    return RobustNMF(3, lam=request.param, random_state=0).fit(X)


@pytest.fixture
def data():
    X, _ = spoil(low_rank(), size=5.0, seed=2)
    X[5, 6] = np.nan
    return X


@pytest.fixture
def solves(monkeypatch):
    """Counts how often any model solves, from nothing on."""
    calls = []
    memory._LAST.clear()
    explain = RobustNMF._explain
    monkeypatch.setattr(
        RobustNMF, "_explain", lambda self, *args: calls.append(1) or explain(self, *args)
    )
    return calls


def dense(A):
    return A.toarray() if sparse.issparse(A) else np.asarray(A)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_it_says_what_the_single_methods_say(fitted, data, kind):
    X = kind(data)
    found = fitted.decompose(X)
    memory.forget(fitted)
    single = (fitted.transform, fitted.estimate_noise, fitted.detect, fitted.denoise)
    for answer, method in zip(found, single, strict=True):
        expected = method(X)
        assert type(answer) is type(expected)
        assert_array_equal(dense(answer), dense(expected))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, pd.DataFrame])
def test_many_questions_about_the_same_data_cost_one_solve(fitted, data, solves, kind):
    X = kind(data)
    fitted.decompose(X)
    fitted.transform(X)
    fitted.estimate_noise(X)
    fitted.detect(X)
    fitted.denoise(X)
    fitted.score(X.copy())
    assert len(solves) == 1


def test_data_that_changed_are_solved_anew(fitted, data, solves):
    before = fitted.denoise(data)
    data[7] *= 3
    assert not np.array_equal(fitted.denoise(data)[7], before[7])
    assert len(solves) == 2


def test_a_model_that_learned_anew_forgets(data, solves):
    X = np.nan_to_num(data)
    model = RobustNMF(3, lam=0.1, random_state=0).fit(X)
    few = model.detect(X).sum()
    model.set_params(lam=0.01).fit(X)
    # Even if the components were the same, the price of noise is another.
    assert model not in memory._LAST
    assert model.detect(X).sum() > few


def test_what_is_returned_can_be_changed(fitted, data):
    W, E, mask, restored = fitted.decompose(data)
    for array in (W, E.data, mask, restored):
        array[:] = 0
    assert fitted.transform(data).any()
    assert fitted.estimate_noise(data).nnz
    assert fitted.detect(data).any()
    assert fitted.denoise(data).all()


def test_the_answer_goes_with_the_model(data):
    model = RobustNMF(3, lam=0.1, random_state=0).fit(np.nan_to_num(data))
    size = len(pickle.dumps(model))
    gc.collect()
    others = len(memory._LAST)
    model.detect(data)
    assert len(pickle.dumps(model)) == size
    assert len(memory._LAST) == others + 1
    del model
    gc.collect()
    assert len(memory._LAST) == others
