"""Models where their data are not: refused, moved, saved."""

import pickle

import array_api_strict
import numpy as np
import pandas as pd
import pytest
import torch
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.utils._array_api import move_estimator_to

from namespaces import KINDS, assert_same
from robustnmf import MiniBatchRobustNMF, RobustNMF, WeightedNMF
from robustnmf._common.places import on_host

STRICT, TORCH = KINDS["strict"], KINDS["torch"]
X = np.random.default_rng(0).random((40, 12))
METHODS = ("transform", "estimate_noise", "detect", "denoise", "decompose", "score")


def other_device(A):
    return array_api_strict.asarray(A, device=array_api_strict.Device("device2"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("put", "fix"),
    [
        (np.asarray, "'numpy'"),
        (sparse.csr_array, "'numpy'"),
        (pd.DataFrame, "'numpy'"),
        (TORCH.put, "X"),
        (other_device, "X"),
    ],
)
def test_data_elsewhere_are_refused(method, put, fix):
    model = RobustNMF(2, random_state=0).fit(STRICT.put(X))
    with pytest.raises(ValueError, match="must use the same namespace") as told:
        getattr(model, method)(put(X))
    message = str(told.value)
    assert f"RobustNMF.{method}()" in message
    assert "array_api_strict arrays on array_api_strict.Device('device1')" in message
    assert f"model = model.to({fix})" in message


def test_so_are_data_on_a_device_where_the_model_is_not():
    model = RobustNMF(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"numpy arrays on cpu, the data are torch arrays on cpu"):
        model.transform(TORCH.put(X))
    W = model.transform(X)
    with pytest.raises(ValueError, match="inverse_transform"):
        model.inverse_transform(TORCH.put(W))
    batches = MiniBatchRobustNMF(2, random_state=0).partial_fit(TORCH.put(X))
    with pytest.raises(ValueError, match=r"MiniBatchRobustNMF.partial_fit\(\)"):
        batches.partial_fit(X)


@pytest.mark.parametrize("put", [np.asarray, other_device, TORCH.put, lambda A: A.tolist()])
def test_weights_must_be_where_the_data_are(put):
    with pytest.raises(ValueError, match="weights must be arrays of the same package and on"):
        WeightedNMF(2).fit(STRICT.put(X), weights=put(X))
    if put is not np.asarray:
        return
    with pytest.raises(ValueError, match=r"X is in memory, weights are torch arrays on cpu"):
        WeightedNMF(2).fit(X, weights=TORCH.put(X))


@pytest.mark.parametrize(
    "model",
    [
        RobustNMF(2, random_state=0, refit="wnmf"),
        RobustNMF(2, lam="auto", random_state=0),
        WeightedNMF(2, random_state=0),
        MiniBatchRobustNMF(2, random_state=0, max_iter=3),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_model_moves_and_stays_the_same(model, tmp_path):
    missing = X.copy()
    missing[3, 4] = np.nan
    model.fit(STRICT.put(missing))
    W = on_host(model.transform(STRICT.put(missing)))
    for to, put in (
        ("numpy", np.asarray),
        (TORCH.put(X), TORCH.put),
        (array_api_strict.Device("device2"), other_device),
    ):
        moved = model.to(to)
        assert_same(moved.transform(put(missing)), W)
        assert type(moved.to(STRICT.put(X)).components_) is type(model.components_)
    # The first one is where it was.
    assert STRICT.holds(model.components_)
    by_sklearn = move_estimator_to(model, array_api_strict, array_api_strict.Device("device2"))
    assert by_sklearn.components_.device == array_api_strict.Device("device2")
    assert_same(by_sklearn.transform(other_device(missing)), W)
    again = pickle.loads(pickle.dumps(model.to(TORCH.put(X))))
    assert_same(again.transform(TORCH.put(missing)), W)
    model.save(tmp_path / "m.robustnmf")
    loaded = type(model).load(tmp_path / "m.robustnmf")
    assert isinstance(loaded.components_, np.ndarray)
    assert_same(loaded.transform(missing), W)


def test_a_model_learns_on_where_it_was_moved_to():
    expected = MiniBatchRobustNMF(2, random_state=0).partial_fit(X).partial_fit(X[:20])
    begun = MiniBatchRobustNMF(2, random_state=0).partial_fit(X).to(STRICT.put(X))
    begun.partial_fit(STRICT.put(X[:20]))
    assert_same(begun.components_, expected.components_)


def test_moving_to_a_device_that_is_not_there():
    model = RobustNMF(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"no device here of numpy.*give an array that is where"):
        model.to("cuda")
    with pytest.raises(ValueError, match=r"no device here of torch"):
        model.to(TORCH.put(X)).to("nonsense")
    assert model.to("cpu").components_ is not None


@pytest.mark.parametrize(
    ("spoilt", "error", "message"),
    [
        (lambda: torch.asarray(X[0]), ValueError, "Expected 2D array"),
        (lambda: torch.zeros((0, 4)), ValueError, "at least one row"),
        (lambda: torch.asarray(X * 1j), ValueError, "Complex data not supported"),
        (lambda: torch.asarray(X).to_sparse(), TypeError, "sparse tensor of PyTorch"),
        (lambda: torch.asarray(X - 1), ValueError, r"Negative values.*X\[0, 0\]"),
        (lambda: torch.asarray(X / 0), ValueError, r"contains infinity: X\[0, 0\]"),
        (lambda: torch.asarray(X * np.nan), ValueError, "Input X has 40 rows in which every"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_cannot_be_fitted_is_told(spoilt, error, message):
    with pytest.raises(error, match=message):
        RobustNMF(2).fit(spoilt())


def test_features_are_counted():
    model = RobustNMF(2, random_state=0).fit(TORCH.put(X))
    assert model.n_features_in_ == 12
    with pytest.raises(ValueError, match="X has 11 features, but RobustNMF is expecting 12"):
        model.transform(TORCH.put(X[:, 1:]))


def test_tensors_that_ask_for_gradients():
    given = torch.asarray(X).requires_grad_()
    found = RobustNMF(2, random_state=0).fit(given)
    assert not found.components_.requires_grad
    assert_array_equal(given.detach().numpy(), X)
