"""MiniBatchRobustNMF: near the full fit in a few passes, and from rows that are seen once."""

import os
import subprocess
import sys

import h5py
import numpy as np
import pandas as pd
import pytest
import zarr
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.decomposition import MiniBatchNMF
from sklearn.exceptions import ConvergenceWarning

from batches import K, M, model, objective, parts_found, quiet, rows, three_epochs
from robustnmf import RobustNMF, TrustWarning
from robustnmf._engines import sources
from robustnmf.metrics import detection_scores
from same import assert_same

PENALTIES = {
    "L1": {},
    "L1, low price": {"lam": 0.004},
    "L1, tiny price": {"lam": 1e-4},
    "L0": {"penalty": "squared_l0", "lam": 0.05},
}


@quiet
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("penalty", PENALTIES)
def test_three_epochs_come_near_the_full_fit(penalty, dtype):
    X = rows(3000, dtype=dtype)[0]
    options = PENALTIES[penalty]
    full = RobustNMF(K, random_state=0, **options).fit(X)
    near = three_epochs(**options).fit(X)
    assert near.components_.dtype == dtype
    assert near.n_iter_ == 3
    # The aim is 1.02. It may also be better, where there are many local minima.
    assert objective(near, X) < 1.005 * full.objective_
    assert near.objective_ == pytest.approx(objective(near, X), rel=0.01)


@quiet
def test_quality_beside_the_plain_one():
    parts = np.random.default_rng(1).gamma(0.5, size=(K, M))
    X, wrong, clean = rows(parts=parts)
    robust, full = three_epochs().fit(X), RobustNMF(K, random_state=0).fit(X)
    plain = MiniBatchNMF(K, batch_size=200, max_iter=3, random_state=0).fit(X)
    assert parts_found(robust.components_, parts) > 0.99
    assert parts_found(plain.components_, parts) < 0.98
    scores = [detection_scores(wrong, fitted.detect(X)).f1 for fitted in (robust, full)]
    assert scores[0] > scores[1] - 0.005
    errors = [
        np.linalg.norm(fitted.inverse_transform(fitted.transform(X)) - clean)
        for fitted in (robust, plain)
    ]
    assert errors[0] < 0.6 * errors[1]


@quiet
@pytest.mark.parametrize("gaps", [0.1, 0.3])
def test_missing_entries_do_not_count(gaps):
    X, _, clean = rows(2000, gaps=gaps)
    missing = np.isnan(X)
    full, near = RobustNMF(K, random_state=0).fit(X), three_epochs().fit(X)
    assert objective(near, X) < 1.005 * full.objective_
    errors = [np.linalg.norm((f.denoise(X) - clean)[missing]) for f in (near, full)]
    assert errors[0] < 1.05 * errors[1]


@quiet
def test_what_holds_missing_entries_is_learned_from_rows_that_have_none():
    X, new, missing = rows(2000)[0], rows(300)[0], rows(300, gaps=0.2)[0]
    gaps = np.isnan(missing)
    errors = [
        np.linalg.norm((fitted.fit(X).denoise(missing) - new)[gaps])
        for fitted in (three_epochs(), RobustNMF(K, random_state=0))
    ]
    assert errors[0] < 1.02 * errors[1]


def blocks_of(X):
    return [X[:1500], X[1500:1501], sparse.csr_array(X[1501:])]


KINDS = {
    "blocks": lambda X, folder: blocks_of(X),
    "csr": lambda X, folder: sparse.csr_array(X),
    "csc": lambda X, folder: sparse.csc_matrix(X),
    "F order": lambda X, folder: np.asfortranarray(X),
    "frame": lambda X, folder: pd.DataFrame(X),
    "hdf5": lambda X, folder: h5py.File(folder / "x.h5", "w").create_dataset("x", data=X),
    "dask": lambda X, folder: pytest.importorskip("dask.array").from_array(X, chunks=(700, M)),
    "memmap": "memmap",
    "zarr": "zarr",
}


def stored(kind, X, folder, monkeypatch):
    if kind == "memmap":
        monkeypatch.setattr(sources, "MAPPED_BYTES", 1)
        np.save(folder / "x.npy", X)
        return np.load(folder / "x.npy", mmap_mode="r")
    if kind == "zarr":
        found = zarr.create_array(folder / "x.zarr", shape=X.shape, dtype=X.dtype, chunks=(64, M))
        found[:] = X
        return found
    return KINDS[kind](X, folder)


@quiet
@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_of_data_gives_the_same_answer(kind, tmp_path, monkeypatch):
    X = rows(2000)[0]
    there = stored(kind, X, tmp_path, monkeypatch)
    expected, fitted = three_epochs(shuffle=False).fit(X), three_epochs(shuffle=False).fit(there)
    assert_allclose(fitted.components_, expected.components_, rtol=1e-9, atol=1e-12)
    assert fitted.objective_ == pytest.approx(expected.objective_, rel=1e-10)
    partial, other = model().partial_fit(X), model().partial_fit(there)
    assert_allclose(other.components_, partial.components_, rtol=1e-9, atol=1e-12)
    found = fitted.detect(there)
    if kind == "dask":  # answered when somebody asks for the values
        found = found.compute()
    assert_array_equal(found.toarray() if sparse.issparse(found) else found, expected.detect(X))


def test_integers_are_as_good_as_their_floats():
    X = np.round(20 * rows(1500)[0])
    one, other = (model().fit(A) for A in (X, X.astype(np.uint16)))
    assert_array_equal(one.components_, other.components_)


@pytest.mark.parametrize("gaps", [0, 0.1])
def test_what_is_noise_can_be_learned_from_the_first_rows(gaps):
    X, wrong, clean = rows(gaps=gaps)
    wrong &= ~np.isnan(X)
    full, near = RobustNMF(K, lam="auto", random_state=0).fit(X), model(lam="auto").fit(X)
    once = model(lam="auto")
    for first in range(0, len(X), 500):
        once.partial_fit(X[first : first + 500])
    best = detection_scores(wrong, full.detect(X)).f1
    assert best > 0.95
    for fitted in (near, once):
        assert detection_scores(wrong, fitted.detect(X)).f1 > best - 0.01
        error, least = (np.linalg.norm(f.denoise(X) - clean) for f in (fitted, full))
        assert error < 1.1 * least
        found = fitted.noise_probability(X)
        assert found[wrong].mean() > 0.9
        assert found[~wrong].mean() < 0.02
        assert fitted.diagnosis_.verdict == "reliable"
        assert fitted.corruption_ == pytest.approx(0.05, abs=0.01)
        assert fitted.noise_scale_ == pytest.approx(full.noise_scale_, rel=0.2)
    # What an earlier fit was told is gone when a number says it.
    near.set_params(lam=0.04).fit(X)
    assert not hasattr(near, "diagnosis_")
    assert near.lam_ == 0.04


def test_where_the_first_rows_do_not_tell_it_says_so():
    noise = np.random.default_rng(0).random((300, 30))
    for call in ("fit", "partial_fit"):
        with pytest.warns(TrustWarning, match="MiniBatchRobustNMF"):
            getattr(model(lam="auto"), call)(noise)


@quiet
def test_rows_are_shuffled_where_they_can_be():
    X = rows(2000)[0]
    shuffled, ordered = three_epochs().fit(X), three_epochs(shuffle=False).fit(X)
    assert not np.array_equal(shuffled.components_, ordered.components_)
    # What is read in parts is read in order.
    streams = [three_epochs(shuffle=shuffle).fit(blocks_of(X)) for shuffle in (True, False)]
    assert_array_equal(streams[0].components_, streams[1].components_)
    # Rows that come in order: the last ones are not all that is known.
    sort = np.argsort(X[:, 0], kind="stable")
    full = RobustNMF(K, random_state=0).fit(X)
    for options in ({}, {"shuffle": False}):
        assert objective(three_epochs(**options).fit(X[sort]), X) < 1.02 * full.objective_


def test_the_same_seed_gives_the_same_answer():
    X = rows(2000)[0]
    one, two = (model(random_state=7).fit(X) for _ in range(2))
    assert_array_equal(one.components_, two.components_)
    assert not np.array_equal(one.components_, model(random_state=8).fit(X).components_)
    one, two = (model(random_state=np.random.RandomState(3)).fit(X) for _ in range(2))
    assert_array_equal(one.components_, two.components_)


@pytest.mark.slow
def test_the_number_of_threads_does_not_change_a_bit():
    script = """
import sys, numpy as np
from robustnmf import MiniBatchRobustNMF
X = np.random.default_rng(0).random((3000, 300))
model = MiniBatchRobustNMF(3, random_state=0).fit(X).partial_fit(X)
sys.stdout.write(model.components_.tobytes().hex())
"""
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    ]
    assert len(outputs[0]) > 1000
    assert outputs[0] == outputs[1]


def test_what_fit_says_of_itself():
    X = rows(2000)[0]
    fitted = model().fit(X)
    assert fitted.converged_
    assert fitted.history_["iteration"] == list(range(fitted.n_iter_))
    assert fitted.history_["objective"][-1] == fitted.objective_
    assert fitted.history_["objective"][0] >= fitted.objective_
    # The first rows, 256 a component, and then all of them in every epoch, in batches.
    assert fitted.n_samples_seen_ == 256 * K + fitted.n_iter_ * 2000
    assert fitted.n_steps_ == 1 + fitted.n_iter_ * 10
    assert (fitted.lam_, fitted.n_components_) == (0.04, K)
    with pytest.warns(ConvergenceWarning, match="MiniBatchRobustNMF stopped at max_iter=1"):
        model(max_iter=1).fit(X)


def test_all_questions_have_the_answers_of_a_full_fit_with_these_components():
    X = rows(500)[0]
    fitted = model().fit(X)
    full = RobustNMF(K, random_state=0).fit(X)
    full.components_ = fitted.components_
    assert_array_equal(fitted.transform(X), full.transform(X))
    assert_array_equal(fitted.detect(X), full.detect(X))
    assert_array_equal(fitted.denoise(X), full.denoise(X))
    assert_same(fitted.estimate_noise(X), full.estimate_noise(X))
    out = np.empty_like(X)
    assert fitted.denoise(X, out=out) is out
    assert_array_equal(out, fitted.denoise(X))
    assert_array_equal(fitted.fit_transform(X), fitted.transform(X))
    with pytest.raises(AttributeError, match="noise_probability needs a model fitted with lam="):
        fitted.noise_probability(X)


WRONG = {
    "lam": (0, ValueError, "lam must be finite and above 0; got 0"),
    "n_components": ("auto", TypeError, "n_components must be a whole number of at least 1"),
    "forget_factor": (1.5, ValueError, "forget_factor must be at most 1, .*; got 1.5"),
    "batch_size": (0, ValueError, "batch_size must be at least 1; got 0"),
    "shuffle": ("yes", ValueError, "shuffle must be one of True, False; got 'yes'"),
    "penalty": ("l1", ValueError, "penalty must be one of 'squared_l1', 'squared_l0'; got 'l1'"),
    "tol": (-1, ValueError, "tol must be finite and at least 0; got -1"),
    "max_iter": (0, ValueError, "max_iter must be at least 1; got 0"),
    "random_state": (-1, ValueError, "random_state must be None"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters_are_named(name):
    value, kind, message = WRONG[name]
    for call in ("fit", "partial_fit"):
        with pytest.raises(kind, match=message):
            getattr(model(**{name: value}), call)(rows(50)[0])
    with pytest.raises(ValueError, match=r"forget_factor must be finite and at least 0; got -0\.1"):
        model(forget_factor=-0.1).fit(rows(50)[0])


def test_what_can_be_read_only_once_is_for_partial_fit():
    with pytest.raises(TypeError, match="which can be read only once"):
        model().fit(iter(blocks_of(rows(2000)[0])))


def test_a_line_tells_of_each_epoch(capsys):
    model(verbose=1).fit(rows(1000)[0])
    said = capsys.readouterr().err
    assert "[MiniBatchRobustNMF] epoch: iteration 1/50, objective" in said
    assert "converged after" in said
