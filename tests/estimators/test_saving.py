"""A model that was saved and loaded is the same model."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from conftest import low_rank, spoil
from robustnmf import MiniBatchRobustNMF, RobustNMF, TrustWarning, WeightedNMF
from robustnmf._estimators.saved import ESTIMATORS
from same import assert_same

pytestmark = pytest.mark.filterwarnings(f"ignore::{TrustWarning.__module__}.TrustWarning")


def dirty(dtype=np.float64, gaps=False, seed=0):
    X, mask = spoil(low_rank(60, 30, 3, seed), share=0.08)
    # A value that is written again and again, and others anywhere.
    X = np.where(mask & (np.arange(30) % 2 == 0), 1.5 * X.max(), X).astype(dtype)
    if gaps:
        X[np.random.default_rng(seed).random(X.shape) < 0.1] = np.nan
    return X


def through_a_file(model, path, **options):
    model.save(path, **options)
    return type(model).load(path)


OPTIONS = {
    "plain": {},
    "refit": {"refit": "wnmf"},
    "L0": {"penalty": "squared_l0", "lam": 1.0},
    "L0, refit": {"penalty": "squared_l0", "lam": 1.0, "refit": "wnmf"},
    "mu": {"solver": "mu", "max_iter": 30, "tol": 0},
    "number of parts": {"n_components": "auto"},
    "auto": {"lam": "auto"},
    "both auto": {"lam": "auto", "n_components": "auto"},
}


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_robust_models_come_back_to_the_last_bit(name, dtype, gaps, tmp_path):
    X, new = dirty(dtype, gaps), dirty(dtype, gaps, seed=5)
    model = RobustNMF(**{"n_components": 3, "random_state": 0} | OPTIONS[name]).fit(X)
    again = through_a_file(model, tmp_path / "m.robustnmf", include_noise=True)
    assert_same(vars(model), vars(again))
    for rows in (X, new, new[7:8]):
        assert_same(model.decompose(rows), again.decompose(rows))
        assert_same(model.transform(rows), again.transform(rows))
        assert_same(model.detect(rows), again.detect(rows))
        assert_same(model.estimate_noise(rows), again.estimate_noise(rows))
        assert_same(model.denoise(rows), again.denoise(rows))
        assert_same(model.denoise(rows, keep_clean=False), again.denoise(rows, keep_clean=False))
        assert model.score(rows) == again.score(rows)
        if model.lam == "auto":
            assert_same(model.noise_probability(rows), again.noise_probability(rows))
    assert_same(
        model.inverse_transform(model.transform(X)), again.inverse_transform(again.transform(X))
    )


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("solver", ["hals", "mu"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weighted_models_come_back_to_the_last_bit(solver, dtype, gaps, tmp_path):
    X, weights = dirty(dtype, gaps), np.random.default_rng(1).random((60, 30))
    model = WeightedNMF(3, solver=solver, random_state=0, max_iter=50).fit(X, weights=weights)
    again = through_a_file(model, tmp_path / "m.robustnmf")
    assert_same(vars(model), vars(again))
    for q in (None, weights):
        assert_same(model.transform(X, weights=q), again.transform(X, weights=q))
        assert model.score(X, weights=q) == again.score(X, weights=q)


def test_whole_numbers_and_piles_come_back(tmp_path):
    X = np.clip(np.round(dirty() * 20), 0, 255).astype(np.uint8)
    X[:, 4] = 7  # stuck
    model = RobustNMF(3, lam="auto", random_state=0).fit(X)
    assert len(model.outlier_features_)
    again = through_a_file(model, tmp_path / "m", include_noise=True)
    assert_same(vars(model), vars(again))
    assert_same(model.decompose(X), again.decompose(X))
    assert_same(model.noise_probability(X), again.noise_probability(X))


def test_the_noise_of_the_training_data_stays_at_home_unless_asked_for(tmp_path):
    model = RobustNMF(3, random_state=0).fit(dirty())
    small, large = tmp_path / "small", tmp_path / "large"
    again = through_a_file(model, small)
    assert not hasattr(again, "noise_")
    assert vars(model).keys() - vars(again).keys() == {"noise_"}
    assert_same(model.noise_, through_a_file(model, large, include_noise=True).noise_)
    assert small.stat().st_size < large.stat().st_size
    with pytest.raises(ValueError, match="include_noise must be one of True, False; got 'yes'"):
        model.save(small, include_noise="yes")


def test_names_of_features_come_back(tmp_path):
    names = ["a", "", "größe", "a b\n\0c", "\ud800", *(f"c{i}" for i in range(25))]
    X = pd.DataFrame(dirty(), columns=pd.Index(names, dtype=object))
    model = RobustNMF(3, random_state=0).fit(X)
    again = through_a_file(model, tmp_path / "m")
    assert_same(model.feature_names_in_, again.feature_names_in_)
    assert_array_equal(again.get_feature_names_out(), model.get_feature_names_out())
    assert_same(model.detect(X).to_numpy(), again.detect(X).to_numpy())
    with pytest.raises(ValueError, match="feature names"):
        again.transform(X.set_axis([f"c{i}" for i in range(30)], axis=1))


def test_all_parameters_come_back(tmp_path):
    X = dirty()
    rng = np.random.default_rng(0)
    W, H = rng.random((60, 3)) + 0.1, rng.random((3, 30)) + 0.1
    options = {
        "n_components": np.int64(3),
        "lam": np.float64(0.1),
        "tol": 0,
        "n_init": 2,
        "max_iter": 5,
        "random_state": np.int32(7),
        "verbose": 1,
        "init": [W.astype(np.float32), H.tolist()],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = RobustNMF(**options).fit(X)
    again = through_a_file(model, tmp_path / "m").get_params()
    start = again.pop("init")
    assert isinstance(start, tuple)
    assert_array_equal(start[0], W.astype(np.float32))
    assert_array_equal(start[1], H)
    assert again == {key: value for key, value in model.get_params().items() if key != "init"}
    assert type(again["tol"]) is int
    assert type(again["lam"]) is float


def test_what_is_loaded_can_be_fitted_anew(tmp_path):
    X = dirty()
    model = RobustNMF(3, random_state=4).fit(X)
    again = through_a_file(model, tmp_path / "m").fit(X)
    assert_same(model.components_, again.components_)


def test_a_random_state_that_is_no_seed_is_left_behind(tmp_path):
    X = dirty()
    model = RobustNMF(3, random_state=np.random.RandomState(0)).fit(X)
    with pytest.warns(UserWarning, match="random_state is a RandomState, which is not saved"):
        again = through_a_file(model, tmp_path / "m")
    assert again.random_state is None
    assert_same(model.transform(X), again.transform(X))
    assert (
        through_a_file(model.set_params(random_state=np.random), tmp_path / "m").random_state
        is None
    )


def test_components_that_were_changed_by_hand_are_saved(tmp_path):
    model = RobustNMF(3, random_state=0).fit(dirty())
    model.components_ = 2 * model.components_[:2]
    again = through_a_file(model, tmp_path / "m")
    assert_same(model.components_, again.components_)
    assert_same(model.transform(dirty()), again.transform(dirty()))
    model.components_[0, 0] = np.nan
    message = (
        r"cannot save .*: learned.components must be finite and nonnegative; got nan at \[0, 0\]"
    )
    with pytest.raises(ValueError, match=message):
        model.save(tmp_path / "other")
    assert [file.name for file in tmp_path.iterdir()] == ["m"]


def test_the_format_names_all_parameters_and_attributes():
    for cls in (RobustNMF, WeightedNMF, MiniBatchRobustNMF):
        fields = ESTIMATORS[cls.__name__]().fields
        assert fields["parameters"].fields.keys() == cls().get_params().keys()
        model = cls(2, random_state=0).fit(dirty())
        derived = {"components_", "n_components_", "n_features_in_"}
        fitted = {name for name in vars(model) if name.endswith("_")}
        assert fitted - derived <= fields["fitted"].fields.keys()


class Child(RobustNMF):
    pass


def test_what_cannot_be_saved_says_so(tmp_path):
    path = tmp_path / "m"
    with pytest.raises(NotFittedError):
        RobustNMF().save(path)
    model = RobustNMF(3, random_state=0).fit(dirty())
    with pytest.raises(TypeError, match="Child can be neither saved nor loaded"):
        Child(3, random_state=0).fit(dirty()).save(path)
    with pytest.raises(TypeError, match="Child can be neither saved nor loaded"):
        Child.load(path)
    with pytest.raises(ValueError, match="lam must be finite and above 0; got -1"):
        model.set_params(lam=-1).save(path)
    model.set_params(lam=0.04)
    with pytest.raises(TypeError, match="path must be the name of a file; got 3"):
        model.save(3)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        model.save(tmp_path / "nowhere" / "m")
    with pytest.raises(IsADirectoryError, match="that is a folder"):
        model.save(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "m"
    first = RobustNMF(2, random_state=0).fit(dirty())
    second = RobustNMF(3, random_state=0).fit(dirty())
    first.save(path)
    second.save(path)
    assert RobustNMF.load(path).n_components_ == 3

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("robustnmf._saving.container._bytes_of", full)
    with pytest.raises(OSError, match="No space left"):
        first.save(path)
    monkeypatch.undo()
    assert [file.name for file in tmp_path.iterdir()] == ["m"]
    assert RobustNMF.load(path).n_components_ == 3


def test_another_class_is_not_loaded(tmp_path):
    path = tmp_path / "m"
    WeightedNMF(2, random_state=0).fit(dirty()).save(path)
    with pytest.raises(ValueError, match="m: it holds a WeightedNMF, not a RobustNMF: use Weigh"):
        RobustNMF.load(path)
    RobustNMF(2, random_state=0).fit(dirty()).save(str(path))
    with pytest.raises(ValueError, match=r"use RobustNMF\.load"):
        WeightedNMF.load(str(path))


def test_what_is_no_file_of_ours_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError):
        RobustNMF.load(tmp_path / "none")
    with pytest.raises(ValueError, match="not a file on a disk"):
        RobustNMF.load(tmp_path)
    with pytest.raises(TypeError, match="path must be the name of a file"):
        RobustNMF.load(b"m")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="not a file on a disk"):
        RobustNMF.load(tmp_path / "pipe")
    for content in (b"", b"a,b\n1,2\n", b"\x80\x04\x95" * 50, b"PK\x03\x04" * 50, b"\0" * 50):
        (tmp_path / "foreign").write_bytes(content)
        with pytest.raises(ValueError, match="foreign: it is no file that robustnmf saved"):
            RobustNMF.load(tmp_path / "foreign")


def test_safetensors_opens_models_and_its_own_files_are_no_models(tmp_path):
    numpy = pytest.importorskip("safetensors.numpy")
    model = RobustNMF(3, lam="auto", random_state=0).fit(dirty())
    model.save(tmp_path / "m")
    assert_array_equal(numpy.load_file(tmp_path / "m")["learned.components"], model.components_)
    numpy.save_file({"a": np.ones(3)}, tmp_path / "other", metadata={"format": "pt"})
    with pytest.raises(ValueError, match="robustnmf did not save it"):
        RobustNMF.load(tmp_path / "other")
    numpy.save_file({"a": np.ones(3)}, tmp_path / "other")
    with pytest.raises(ValueError, match="says nothing of where it comes from"):
        RobustNMF.load(tmp_path / "other")


def test_another_process_gets_the_same_answers(tmp_path):
    X = dirty()
    model = RobustNMF(3, lam="auto", random_state=0).fit(X)
    model.save(tmp_path / "m")
    np.save(tmp_path / "X.npy", X)
    script = (
        "import numpy as np; from robustnmf import MiniBatchRobustNMF, RobustNMF; "
        "np.save('D.npy', RobustNMF.load('m').denoise(np.load('X.npy')))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)
    assert_array_equal(np.load(tmp_path / "D.npy"), model.denoise(X))


def test_a_loaded_model_is_a_fitted_one(tmp_path):
    model = RobustNMF(3, random_state=0).fit(dirty())
    again = through_a_file(model, tmp_path / "m")
    check_is_fitted(again)
    assert again.set_output(transform="pandas").transform(dirty()).shape == (60, 3)
    assert not any(A.base is not None and not A.flags.writeable for A in [again.components_])
