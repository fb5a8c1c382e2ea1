"""What lam="auto" says of itself, and that it does no harm where it cannot tell."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import signal
from sklearn.datasets import load_digits

from conftest import low_rank
from robustnmf import RobustNMF
from robustnmf._auto.diagnose import carried, runs_wild
from robustnmf._common.diagnosis import TrustWarning
from robustnmf.datasets import corrupt, load_faces
from robustnmf.metrics import detection_scores


def model(k=10, **options):
    return RobustNMF(k, lam="auto", random_state=0, **options)


def faces_of_side(side):
    return load_faces("builtin", side).images[:100].reshape(100, -1).astype(float)


def digits():
    return load_digits().data[:300]


def spectrogram():
    """Tones that die away, with overtones and hiss."""
    rng = np.random.default_rng(5)
    time = np.arange(8000 * 4) / 8000
    sound = 0.02 * rng.standard_normal(len(time))
    for tone in (262, 330, 392, 523):
        for begin in rng.uniform(0, 3.5, 4):
            decay = np.where(time > begin, np.exp(-(time - begin) / 0.4), 0)
            for overtone in range(1, 6):
                sound += decay * np.sin(2 * np.pi * tone * overtone * time) / overtone
    return np.abs(signal.stft(sound, 8000, nperseg=512)[2]).T


def term_counts():
    rng = np.random.default_rng(6)
    topics = rng.dirichlet(np.full(300, 0.05), 8)
    texts = rng.dirichlet(np.full(8, 0.2), 200) * rng.lognormal(4.5, 0.5, 200)[:, None]
    return rng.poisson(texts @ topics).astype(float)


def unstructured(kind):
    rng = np.random.default_rng(1)
    return {
        "uniform": lambda: rng.random((150, 60)),
        "lognormal": lambda: rng.lognormal(0, 1, (150, 60)),
        "exponential": lambda: rng.exponential(size=(150, 60)),
        "0/1": lambda: (rng.random((150, 60)) < 0.2).astype(float),
        "shuffled faces": lambda: rng.permuted(faces_of_side(12), axis=0),
    }[kind]()


CLEAN = {
    "faces": (lambda: faces_of_side(32), 0.005),
    "digits": (digits, 0.005),
    "spectrogram": (spectrogram, 0.008),
    "term counts": (term_counts, 0.006),
}


@pytest.mark.parametrize("name", CLEAN)
@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
def test_clean_data_are_left_as_they_are(name):
    make, most = CLEAN[name]
    X = make()
    fitted = model().fit(X)
    assert fitted.detect(X).mean() <= most
    changed = np.sum((fitted.denoise(X) - X) ** 2) / np.sum((X - X.mean(axis=0)) ** 2)
    assert changed <= 0.01
    if name in ("faces", "digits"):
        assert fitted.diagnosis_.trusted


@pytest.mark.parametrize("kind", ["uniform", "lognormal", "exponential", "0/1", "shuffled faces"])
def test_where_nothing_can_be_learned_nothing_is_changed(kind):
    X = unstructured(kind)
    with pytest.warns(TrustWarning, match="denoise replaces nothing") as caught:
        fitted = model().fit(X)
    assert len(caught) == 1
    assert fitted.diagnosis_.verdict == "no structure"
    assert any("shuffled" in reason for reason in fitted.diagnosis_.reasons)
    assert_array_equal(fitted.denoise(X), X)
    assert fitted.noise_probability(X).max() <= 0.5


@pytest.mark.parametrize("side", [16, 32])
def test_much_salt_is_found_whatever_the_size_of_the_pictures(side):
    clean = faces_of_side(side).astype(np.uint8)
    for seed in (0, 1):
        X = corrupt(clean, "salt", 0.3, random_state=seed)[0].astype(float)
        fitted = RobustNMF(10, lam="auto", random_state=seed).fit(X)
        assert detection_scores(clean != X, fitted.detect(X)).f1 > 0.98
        assert fitted.diagnosis_.trusted


@pytest.mark.parametrize(("kind", "floor"), [("salt_pepper", 0.96), ("spikes", 0.93)])
def test_much_corruption_of_other_kinds_is_found_on_faces(kind, floor):
    clean = faces_of_side(32).astype(np.uint8)
    X = corrupt(clean, kind, 0.3, random_state=1)[0].astype(float)
    fitted = model().fit(X)
    assert detection_scores(clean != X, fitted.detect(X)).f1 > floor


@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
def test_salt_among_term_counts_is_found():
    clean = term_counts()
    X = corrupt(clean, "salt", 0.02, high=float(clean.max()), random_state=0)[0]
    assert detection_scores(clean != X, model(8).fit(X).detect(X)).f1 > 0.85


@pytest.mark.parametrize("share", [0.5, 0.7])
def test_rows_without_anything_do_not_hide_the_others(share):
    X = low_rank(120, 50, 4)
    X[: int(share * len(X))] = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TrustWarning)
        fitted = model(4)
        W = fitted.fit_transform(X)
    assert np.isfinite([fitted.corruption_, fitted.noise_scale_]).all()
    assert np.linalg.norm(W @ fitted.components_ - X) < 0.05 * np.linalg.norm(X)


def test_reliable_fits_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted = model(3).fit(low_rank(150, 60, 3) + 0.5)
    assert fitted.diagnosis_.trusted
    assert str(fitted.diagnosis_).startswith("reliable")


def test_too_few_samples_are_a_reason():
    with pytest.warns(TrustWarning, match="12 samples are too few for 10 components"):
        model(10).fit(low_rank(12, 80, 3))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.3])
def test_saturation_is_named_and_flagged_but_not_replaced(share):
    X = faces_of_side(32)
    X = np.minimum(X, np.quantile(X, 1 - share))
    with pytest.warns(TrustWarning, match=f"{share:.0%} of the entries have the largest value"):
        fitted = model().fit(X)
    assert fitted.diagnosis_.verdict == "doubtful"
    top = X.max() == X
    found = fitted.detect(X)
    assert found[top].mean() > 0.99
    assert found[~top].mean() < 0.01
    assert_array_equal(fitted.denoise(X)[top], X[top])


def test_spectra_say_when_more_was_there():
    X = low_rank(150, 60, 3) + 0.2
    saturated = np.minimum(X, np.quantile(X, 0.9))
    fitted = model(3).fit(saturated)
    assert fitted.diagnosis_.trusted
    assert "saturated" in str(fitted.diagnosis_)
    assert_array_equal(fitted.denoise(saturated), saturated)


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_covers_of_one_value_are_found_without_any_layout(share):
    clean = faces_of_side(24).astype(np.uint8)
    X = corrupt(clean, "occlusion", share, image_shape=(24, 24), random_state=0)[0].astype(float)
    fitted = model().fit(X)
    assert detection_scores(clean != X, fitted.detect(X)).f1 > 0.95
    before, after = (np.sum((A - clean) ** 2.0) for A in (X, fitted.denoise(X)))
    assert after < 0.3 * before


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_samples_of_nothing_but_noise_are_named_and_left_out(share):
    clean = faces_of_side(24)
    X = clean.copy()
    bad = np.arange(round(share * 100))
    X[bad] = np.random.default_rng(0).uniform(0, 255, (len(bad), X.shape[1]))
    fitted = model().fit(X)
    assert_array_equal(fitted.outlier_samples_, bad)
    assert "outlier_samples_" in str(fitted.diagnosis_)
    kept = clean[len(bad) :]
    alone = model().fit(kept)
    error, least = (
        np.sum((A.transform(kept) @ A.components_ - kept) ** 2) for A in (fitted, alone)
    )
    assert error < 1.1 * least


def test_features_of_nothing_but_noise_are_named_and_not_replaced():
    X = faces_of_side(16)
    noise = np.arange(5, 256, 32)
    X[:, noise] = np.random.default_rng(0).uniform(0, 255, (100, len(noise)))
    fitted = model().fit(X)
    assert_array_equal(fitted.outlier_features_, noise)
    assert_array_equal(fitted.denoise(X)[:, noise], X[:, noise])


def test_dead_features_are_named_where_others_are_alive():
    X = faces_of_side(16) + 1
    X[:, 7] = 0
    assert_array_equal(model().fit(X).outlier_features_, [7])
    # A border that is always black is nothing to speak of.
    assert len(model().fit(digits()).outlier_features_) == 0


def test_stuck_features_are_named_flagged_and_not_replaced():
    clean = faces_of_side(16)
    X = clean.copy()
    stuck = np.arange(0, 256, 16)
    X[:, stuck] = 255
    fitted = model().fit(X)
    assert "outlier_features_" in str(fitted.diagnosis_)
    assert set(stuck) <= set(fitted.outlier_features_)
    found = fitted.detect(X)
    assert found[:, stuck].all()
    assert np.delete(found, stuck, axis=1).mean() < 0.01
    assert_array_equal(fitted.denoise(X)[:, stuck], X[:, stuck])
    assert (fitted.noise_probability(X)[:, stuck] == 1).all()


def test_missing_entries_are_filled_within_bounds_even_in_doubt():
    rng = np.random.default_rng(0)
    X = rng.lognormal(0, 1, (100, 40))
    known = X.copy()
    X[rng.random(X.shape) < 0.3] = np.nan
    with pytest.warns(TrustWarning):
        fitted = model().fit(X)
    filled = fitted.denoise(X)
    assert np.isfinite(filled).all()
    assert (filled <= 2 * np.nanmax(X, axis=0)).all()
    assert (filled >= np.nanmin(X, axis=0) / 2).all()
    assert_array_equal(filled[~np.isnan(X)], known[~np.isnan(X)])


def test_denoise_judges_each_sample_by_itself():
    clean = faces_of_side(16).astype(np.uint8)
    X = corrupt(clean, "salt", 0.1, random_state=0)[0].astype(float)
    fitted = model().fit(X[:80])
    assert_allclose(fitted.denoise(X[80:])[3:5], fitted.denoise(X[83:85]), rtol=1e-9)


def test_what_is_replaced_comes_nearer_to_the_truth():
    clean = faces_of_side(32).astype(np.uint8)
    for kind in ("salt", "random", "spikes"):
        X = corrupt(clean, kind, 0.1, random_state=2)[0].astype(float)
        fitted = model().fit(X)
        restored = fitted.denoise(X)
        assert np.sum((restored - clean) ** 2) < 0.65 * np.sum((X - clean) ** 2)
        replaced = restored != X
        assert not (replaced & ~fitted.detect(X)).any()


def test_a_number_for_lam_has_no_diagnosis():
    X = low_rank(60, 40, 3)
    fitted = model(3).fit(X)
    assert hasattr(fitted, "diagnosis_")
    fitted.set_params(lam=0.04).fit(X)
    assert not hasattr(fitted, "diagnosis_")
    assert not hasattr(fitted, "outlier_features_")


@pytest.mark.parametrize("seed", range(3))
def test_what_keeps_to_a_few_features_is_flagged_at_most(seed):
    rng = np.random.default_rng(seed)
    X = low_rank(150, 60, 3, seed) + 0.02 * rng.random((150, 60))
    # Two features have wild days of their own: 1.7 % of all entries.
    wild = np.zeros(X.shape, dtype=bool)
    wild[:, [7, 31]] = rng.random((150, 2)) < 0.5
    X = np.where(wild, X + X.max() * rng.uniform(0.5, 1, X.shape), X)
    fitted = model(3).fit(X)
    assert fitted.detect(X)[wild].any()
    assert_array_equal(fitted.denoise(X), X)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_anywhere_is_replaced(seed):
    rng = np.random.default_rng(seed)
    truth = low_rank(150, 60, 3, seed) + 0.02 * rng.random((150, 60))
    wild = rng.random(truth.shape) < 0.017
    X = np.where(wild, truth + truth.max() * rng.uniform(0.5, 1, truth.shape), truth)
    restored = model(3).fit(X).denoise(X)
    assert np.sum((restored - truth) ** 2) < 0.01 * np.sum((X - truth) ** 2)


def test_noise_that_varies_more_than_the_data_is_a_fault_of_the_predictions():
    summary = SimpleNamespace(square_sum=1200.0, n_known=100, mean=3.0)  # a variation of 300
    for size, wild in ((5.0, False), (7.0, True)):
        facts = SimpleNamespace(n_flagged=10, squares=10 * size**2)
        assert runs_wild(facts, summary) == wild
    assert carried(facts, summary) == pytest.approx(490 / 300)
