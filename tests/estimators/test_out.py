"""Answers that go into arrays of the caller."""

import re

import numpy as np
import pandas as pd
import pytest
import zarr
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF
from robustnmf._engines import sources

rng = np.random.default_rng(0)
CLEAN = rng.exponential(size=(150, 3)) @ rng.exponential(size=(3, 60))
X = np.where(rng.random(CLEAN.shape) < 0.05, CLEAN + 20, CLEAN)
X[4, 5] = np.nan


@pytest.fixture(scope="module", params=[0.04, "auto"], ids=str)
def model(request):
    return RobustNMF(3, lam=request.param, random_state=0).fit(X)


@pytest.mark.parametrize("give", [lambda X: X, lambda X: [X[:70], X[70:]]], ids=["array", "blocks"])
def test_they_hold_what_is_returned_without_them(model, give):
    expected = model.decompose(X)
    for method, answer in (
        ("transform", expected.W),
        ("detect", expected.mask),
        ("estimate_noise", expected.noise.toarray()),
        ("denoise", expected.restored),
    ):
        out = np.empty(answer.shape, answer.dtype)
        assert getattr(model, method)(give(X), out=out) is out
        assert_allclose(out, answer, rtol=1e-12)
    whole = np.empty(X.shape)
    model.denoise(give(X), keep_clean=False, out=whole)
    assert_allclose(whole, model.denoise(X, keep_clean=False))


def test_all_from_one_solve(model, tmp_path):
    expected = model.decompose(X)
    out = {
        "mask": np.lib.format.open_memmap(tmp_path / "mask.npy", "w+", bool, X.shape),
        "restored": zarr.create_array(tmp_path / "x.zarr", shape=X.shape, dtype=float),
    }
    found = model.decompose([X[:70], X[70:]], out=out)
    assert found.mask is out["mask"]
    assert found.W is found.noise is None
    assert_array_equal(found.mask, expected.mask)
    assert_allclose(found.restored[:], expected.restored)


def test_a_large_map_is_written_to_its_file(model, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAPPED_BYTES", 1)

    def room(name, shape, dtype=float):
        return np.lib.format.open_memmap(tmp_path / f"{name}.npy", "w+", dtype, shape)

    expected = model.decompose(X)
    out = room("clean", X.shape)
    before = out.ctypes.data
    assert model.denoise(X, out=out) is out
    # Nobody flushes the map, whose pages need not have been touched.
    assert_allclose(np.load(tmp_path / "clean.npy"), expected.restored, rtol=1e-12)
    assert_allclose(out, expected.restored, rtol=1e-12)
    assert out.ctypes.data == before
    W = RobustNMF(3, random_state=0).fit_transform(X, out=room("W", (len(X), 3)))
    again = RobustNMF(3, random_state=0).fit(X)
    assert_allclose(np.load(tmp_path / "W.npy"), again.transform(X), rtol=1e-6, atol=1e-9)
    again.inverse_transform(W, out=room("WH", X.shape))
    assert_allclose(np.load(tmp_path / "WH.npy"), W @ again.components_, rtol=1e-12)


def test_probabilities():
    model = RobustNMF(3, lam="auto", random_state=0).fit(X)
    out = np.empty(X.shape)
    assert model.noise_probability([X[:70], X[70:]], out=out) is out
    assert_allclose(out, model.noise_probability(X))


def test_a_frame_is_answered_there_too():
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])])
    named = RobustNMF(3, random_state=0).fit(frame)
    for method in ("detect", "estimate_noise", "denoise"):
        out = np.empty(X.shape)
        assert getattr(named, method)(frame, out=out) is out


def test_what_cannot_take_an_answer_is_refused_before_anything_is_written(model):
    good = np.full(X.shape, 7.0)
    frozen = np.empty(X.shape)
    frozen.flags.writeable = False
    for bad, error, message in (
        (np.empty((3, 3)), ValueError, r"must have the shape \(150, 60\); got \(3, 3\)"),
        ([], TypeError, "must be an array that rows can be written to .*; got list"),
        (frozen, ValueError, "cannot be written to"),
    ):
        with pytest.raises(error, match=r"out\['mask'\] " + message):
            model.decompose(X, out={"restored": good, "mask": bad})
        assert (good == 7).all()
    with pytest.raises(ValueError, match=r"out must be a dict with some of 'W', 'noise', 'mask'"):
        model.decompose(X, out={"clean": good})
    with pytest.raises(ValueError, match="out must have the shape"):
        model.noise_probability(X, out=np.empty(2)) if model.lam == "auto" else model.detect(
            X, out=np.empty(2)
        )


@pytest.mark.parametrize("verbose", [0, 1])
def test_a_verbose_model_tells_of_what_it_writes(model, verbose, capsys, monkeypatch):
    monkeypatch.setattr("robustnmf._common.progress.INTERVAL", 0)
    monkeypatch.setattr("robustnmf._common.progress.LOG_INTERVAL", 0)
    monkeypatch.setattr("robustnmf._fitting.inference.INFERENCE_ENTRIES", 60 * 50)
    monkeypatch.setattr("robustnmf._auto.inference.INFERENCE_ENTRIES", 60 * 50, raising=False)
    out = np.empty(X.shape)
    model.set_params(verbose=verbose)
    capsys.readouterr()
    model.denoise([X[:70], X[70:]], out=out)
    model.set_params(verbose=0)
    lines = capsys.readouterr().err.splitlines()
    if not verbose:
        assert lines == []
        return
    assert re.fullmatch(r"\[RobustNMF\] wrote 150 rows, [\d,]+ rows/s, [\d.]+ s", lines[-1])
    for line in lines[:-1]:
        assert re.fullmatch(
            r"\[RobustNMF\] wrote \d+ of 150 rows, about 1 s left, [\d,]+ rows/s, [\d.]+ s", line
        )
    assert len(lines) > 2 or model.lam == "auto"
