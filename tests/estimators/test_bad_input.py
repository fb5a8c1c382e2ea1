"""Odd and bad input: a right answer, or an error that names the argument, the value and the fix.

`docs/bad-input.md` holds the same table for users; the last test keeps the two together.
"""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from conftest import low_rank, spoil
from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._core.penalties import PENALTIES

DOCS = Path(__file__).parents[2] / "docs" / "bad-input.md"


def data():
    return spoil(low_rank(30, 20, 2))[0]


def with_value(value, cell=(3, 4)):
    X = data()
    X[cell] = value
    return X


def model(**options):
    return RobustNMF(
        **{"n_components": 2, "lam": 0.3, "random_state": 0, "max_iter": 2000} | options
    )


# name of the case, data, message: matched against the error of every estimator.
BAD_DATA = {
    "negative values": (with_value(-0.5), r"Negative values.*X\[3, 4\] = -0\.5.*shift or clip"),
    "infinite values": (with_value(np.inf), r"infinity: X\[3, 4\] = inf.*NaN if"),
    "negative infinity": (with_value(-np.inf), r"infinity: X\[3, 4\] = -inf"),
    "complex numbers": (data() + 1j, "Complex data not supported"),
    "strings": (np.full((30, 20), "a"), "could not convert string|numeric"),
    "empty": (np.empty((0, 20)), r"0 sample\(s\)"),
    "no columns": (np.empty((30, 0)), r"0 feature\(s\)"),
    "1-D": (data()[0], "Expected 2D array, got 1D array"),
    "3-D": (np.ones((2, 2, 2)), "Found array with dim 3"),
    "all-NaN row": (with_value(np.nan, 3), r"1 row in which every value is NaN.*row 3.*drop it"),
    "all-NaN column": (
        with_value(np.nan, (slice(None), 5)),
        r"1 column in which every value is NaN.*column 5.*drop it",
    ),
    "only NaN": (np.full((30, 20), np.nan), "30 rows in which every value is NaN"),
    "values near 1e300": (data() * 1e300, r"up to .*e\+30\d.*divide X by 1e\+30\d"),
    "values near 1e-300": (data() * 1e-300, r"up to .*e-299.*multiply X by 1e\+298"),
    "only denormals": (np.full((30, 20), 5e-324), r"up to 4\.94e-324.*multiply X by"),
    "None": (None, "None|NoneType"),
    "masked array": (np.ma.masked_less(data(), 1), r"X is a masked array.*filled\(np.nan\)"),
    "negative values, sparse": (sparse.csr_array(with_value(-0.5)), r"X\[3, 4\] = -0\.5"),
    "infinite values, sparse": (sparse.csc_array(with_value(np.inf)), "infinity"),
    "negative values, far down": (
        np.vstack([np.ones((40_000, 20)), -np.ones((1, 20))]),
        r"X\[40000, 0\] = -1",
    ),
}


@pytest.mark.parametrize("case", BAD_DATA)
@pytest.mark.parametrize("fit", ["RobustNMF", "WeightedNMF", "robust_nmf"])
def test_bad_data_are_refused(case, fit):
    X, message = BAD_DATA[case]
    fits = {
        "RobustNMF": lambda: model().fit(X),
        "WeightedNMF": lambda: WeightedNMF(2).fit(X),
        "robust_nmf": lambda: robust_nmf(X, 2),
    }
    with pytest.raises((ValueError, TypeError), match=message):
        fits[fit]()


@pytest.mark.parametrize("method", ["transform", "detect", "denoise", "estimate_noise", "score"])
def test_bad_new_data_are_refused_too(method):
    fitted = model().fit(data())
    with pytest.raises(ValueError, match="Negative values"):
        getattr(fitted, method)(with_value(-1.0))
    with pytest.raises(ValueError, match="row 3"):
        getattr(fitted, method)(with_value(np.nan, 3))
    with pytest.raises(ValueError, match="19 features"):
        getattr(fitted, method)(data()[:, :19])


def test_new_data_may_lack_a_column():
    fitted = model().fit(data())
    X = with_value(np.nan, (slice(None), 5))
    assert np.isfinite(fitted.denoise(X)).all()


START = (np.ones((30, 2)), np.ones((2, 20)))
BAD_PARAMETERS = {
    "n_components = 0": ({"n_components": 0}, "n_components must be at least 1 or 'auto'; got 0"),
    "n_components not whole": ({"n_components": 2.5}, "n_components must be a whole number"),
    "n_components a bool": ({"n_components": True}, "n_components must be a whole number"),
    "lam = 0": ({"lam": 0}, "lam must be finite and above 0; got 0. The paper uses 0.04"),
    "lam < 0": ({"lam": -1.0}, "lam must be finite and above 0; got -1.0"),
    "lam NaN": ({"lam": np.nan}, "lam must be finite and above 0; got nan"),
    "lam infinite": ({"lam": np.inf}, "lam must be finite and above 0; got inf"),
    "lam not a number": ({"lam": "big"}, "lam must be a number above 0; got 'big'"),
    "unknown penalty": (
        {"penalty": "l2"},
        f"penalty must be one of {', '.join(map(repr, PENALTIES))}; got 'l2'",
    ),
    "unknown solver": ({"solver": "cd"}, "solver must be one of 'hals', 'mu'; got 'cd'"),
    "unknown refit": ({"refit": "nmf"}, "refit must be one of None, 'wnmf'; got 'nmf'"),
    "unknown init": ({"init": "zeros"}, "init must be one of 'random', 'nndsvda'; got 'zeros'"),
    "mu with squared_l0": (
        {"solver": "mu", "penalty": "squared_l0"},
        "solver='mu' .*use solver='hals'",
    ),
    "max_iter = 0": ({"max_iter": 0}, "max_iter must be at least 1; got 0"),
    "n_init = 0": ({"n_init": 0}, "n_init must be at least 1; got 0"),
    "tol < 0": ({"tol": -1e-4}, "tol must be finite and at least 0; got -0.0001"),
    "tol NaN": ({"tol": np.nan}, "tol must be finite and at least 0; got nan"),
    "verbose < 0": ({"verbose": -1}, "verbose must be at least 0; got -1"),
    "random_state not a seed": ({"random_state": "x"}, "random_state must be None.*got 'x'"),
    "init not a pair": ({"init": np.ones((30, 2))}, r"init must be one of .* or a pair \(W, H\)"),
    "W of the wrong shape": (
        {"init": (np.ones((29, 2)), START[1])},
        r"W has shape \(29, 2\), but must have \(30, 2\)",
    ),
    "H of the wrong shape": (
        {"init": (START[0], np.ones((3, 20)))},
        r"H has shape \(3, 20\), but must have \(2, 20\)",
    ),
    "negative start": (
        {"init": (-START[0], START[1])},
        r"W must be finite and nonnegative; got -1.0 at \[0, 0\]",
    ),
    "NaN start": (
        {"init": (START[0], START[1] * np.nan)},
        r"H must be finite and nonnegative; got nan at \[0, 0\]",
    ),
    "complex start": ({"init": (START[0], START[1] * 1j)}, "H must hold real numbers.*complex"),
    "start of words": ({"init": ("a", "b")}, "W must hold real numbers"),
    "start of zeros": (
        {"init": (0 * START[0], 0 * START[1])},
        "component 0 is zero in both W and H.*positive numbers",
    ),
    "start out of range": (
        {"init": (1e200 * START[0], 1e200 * START[1])},
        "not a finite number.*about as large as X",
    ),
    "nndsvda with k > min(n, m)": (
        {"init": "nndsvda", "n_components": 21},
        r"at most min\(n_samples, n_features\) = 20.*got n_components=21.*init='random'",
    ),
}


@pytest.mark.parametrize("case", BAD_PARAMETERS)
def test_bad_parameters_are_refused(case):
    options, message = BAD_PARAMETERS[case]
    with pytest.raises((ValueError, TypeError), match=message), np.errstate(all="ignore"):
        model(**options).fit(data())


def sound(fitted, X):
    """A sane answer: finite, nonnegative, and close to the data outside the noise."""
    dense = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=float)
    W, E = fitted.transform(X), fitted.noise_.toarray()
    P = fitted.inverse_transform(W)
    for array in (W, fitted.components_, P, E, fitted.objective_, fitted.reconstruction_err_):
        assert np.isfinite(array).all()
    assert (W >= 0).all()
    assert (fitted.components_ >= 0).all()
    return np.linalg.norm(dense - P - E) / max(np.linalg.norm(dense), 1e-300)


# Odd but sound: what comes out, as the largest relative misfit ‖X − WH − E‖ / ‖X‖.
ODD_DATA = {
    "all zeros": (np.zeros((30, 20)), 0.0),
    "constant": (np.full((30, 20), 7.0), 1e-3),
    "zero rows and columns": (np.pad(data(), ((2, 3), (1, 4))), 0.3),
    "one sample": (data()[:1], 1e-3),
    "one feature": (data()[:, :1], 1e-3),
    "one entry": (np.array([[3.0]]), 1e-3),
    "k > min(n, m)": (data()[:2, :2], 1e-3),
    "booleans": (data() > 1, 0.7),
    "unsigned bytes": (data().astype(np.uint8), 0.3),
    "float16": (data().astype(np.float16), 0.3),
    "objects": (data().astype(object), 0.3),
    "float32 near its largest": (
        (data() / data().max()).astype(np.float32) * np.float32(3e38),
        0.3,
    ),
    "float32 near its smallest": (
        (data() / data().max()).astype(np.float32) * np.float32(1e-36),
        0.3,
    ),
    "float32 denormals": ((data() / data().max()).astype(np.float32) * np.float32(1e-40), 0.3),
    "values near 1e140": (data() * 1e140, 0.3),
    "values near 1e-140": (data() * 1e-140, 0.3),
    "some denormals": (with_value(5e-324), 0.3),
    "one value of 1e12": (with_value(1e12), 0.3),
    "sparse without entries": (sparse.csr_array((30, 20)), 0.0),
    "a frame with gaps": (pd.DataFrame(data()).mask(np.eye(30, 20, dtype=bool)), None),
}


@pytest.mark.parametrize("case", ODD_DATA)
@pytest.mark.parametrize(
    "options",
    [{}, {"solver": "mu", "tol": 1e-2}, {"refit": "wnmf"}, {"penalty": "squared_l0"}],
    ids=["default", "mu", "refit", "l0"],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_odd_data_have_a_sound_answer(case, options):
    X, largest = ODD_DATA[case]
    if options.get("penalty") == "squared_l0":
        scale = float(abs(X).max() if sparse.issparse(X) else np.nanmax(np.asarray(X, float)))
        options = options | {"lam": 0.01 * scale**2 or 1.0}
    fitted = model(**options).fit(X)
    if largest is None:
        assert np.isfinite(np.asarray(fitted.denoise(X))).all()
    else:
        assert sound(fitted, X) <= largest + 1e-6


@pytest.mark.parametrize("power", [-140, -30, 30, 140])
def test_extreme_units_change_nothing_but_the_unit(power):
    X = data()
    exact = 2.0 ** round(power * np.log2(10))
    one, other = model().fit(X), model().fit(X * exact)
    assert_array_equal(one.detect(X), other.detect(X * exact))
    assert_allclose(other.denoise(X * exact) / exact, one.denoise(X), rtol=1e-9)
    assert_allclose(other.objective_ / exact / exact, one.objective_, rtol=1e-9)


def test_extreme_units_and_prices_together():
    fitted = model(penalty="squared_l0", lam=1e300).fit(data() * 1e-140)
    assert np.isfinite([fitted.objective_, fitted.score(data() * 1e-140)]).all()


@pytest.mark.parametrize("penalty", ["squared_l1", "squared_l0"])
def test_a_giant_among_float32_rows_does_not_change_the_others(penalty):
    X = data().astype(np.float32)
    fitted = model(penalty=penalty, lam=0.5).fit(X)
    together = fitted.transform(np.vstack([X[:1] * np.float32(1e25), X]))[1:]
    assert_allclose(together, fitted.transform(X), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("times", [5, 10, 30])
def test_one_wrong_value_is_flagged_and_harms_no_other(times):
    clean = low_rank(200, 60, 3) * np.random.default_rng(0).lognormal(sigma=0.05, size=(200, 60))
    X = clean.copy()
    X[3, 4] = times * clean.mean()
    for options in ({"lam": 0.04}, {"penalty": "squared_l0", "lam": 1.0}):
        options = {"n_components": 3} | options
        fitted, ideal = model(**options).fit(X), model(**options).fit(clean)
        assert fitted.noise_[3, 4] > 0.2 * X[3, 4]
        others = np.arange(200) != 3
        error, least = (
            np.linalg.norm((m.denoise(A, keep_clean=False) - clean)[others])
            for m, A in ((fitted, X), (ideal, clean))
        )
        assert error <= 1.1 * least


@pytest.mark.parametrize("factor", [1e-37, 1e-20, 1e20, 1e35])
def test_extreme_units_in_float32(factor):
    X = data()
    X = (X / X.max()).astype(np.float32)
    one, other = model().fit(X), model().fit(X * np.float32(factor))
    assert (one.detect(X) == other.detect(X * np.float32(factor))).mean() > 0.995
    restored = other.denoise(X * np.float32(factor)).astype(float) / factor
    assert_allclose(restored, one.denoise(X), rtol=1e-2, atol=1e-3)


@pytest.mark.parametrize("lam", [1e-300, 1e-40, 1e40, 1e300])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("options", [{}, {"penalty": "squared_l0"}, {"solver": "mu", "tol": 1e-3}])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_extreme_prices_of_noise_have_a_sound_answer(lam, dtype, options):
    X = data().astype(dtype)
    fitted = model(lam=lam, **{"max_iter": 5000} | options).fit(X)
    sound(fitted, X)
    if lam > 1:  # noise is unaffordable: plain NMF
        assert abs(fitted.noise_).max() <= 1e-5 * X.max()
        plain = WeightedNMF(2, random_state=0, max_iter=5000).fit(X)
        assert_allclose(fitted.objective_, plain.objective_, rtol=0.01)


def test_a_mixture_of_a_huge_and_a_small_sample_is_solved_for_each():
    fitted = model().fit(data())
    X = data()[:2] * [[1e140], [1.0]]
    assert_allclose(fitted.transform(X)[1:], fitted.transform(X[1:]), rtol=1e-7)


def test_errors_come_before_any_work(monkeypatch):
    def explode(*args, **kwargs):
        raise AssertionError("work was done")

    monkeypatch.setattr("robustnmf._estimators.robust.factorize", explode)
    for options, _ in BAD_PARAMETERS.values():
        if "init" not in options:
            with pytest.raises((ValueError, TypeError)):
                model(**options).fit(data())


def test_the_table_in_the_docs_names_every_case():
    table = DOCS.read_text(encoding="utf-8")
    cases = set(re.findall(r"^\| ([^|]+?) \|", table, flags=re.MULTILINE)) - {"what", "---"}
    assert cases == set(BAD_DATA) | set(BAD_PARAMETERS) | set(ODD_DATA) | {"bad weights"}
