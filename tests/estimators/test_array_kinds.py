"""The estimators on arrays of other packages: what they say is what they say of NumPy's."""

import array_api_strict
import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose, assert_array_equal

from conftest import low_rank, spoil
from namespaces import KINDS, assert_same, every_kind, most_kinds
from robustnmf import MiniBatchRobustNMF, RobustNMF, WeightedNMF, robust_nmf
from robustnmf._common.places import on_host
from robustnmf._engines import device as engine
from robustnmf._solvers import hals
from robustnmf._solvers.settings import UNREAD
from variants import VARIANTS
from variants import model as fully_fitted

# No fit here need be good, only the same; strict arrays take their time.
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning"),
]
N, M = 40, 24
METHODS = ("transform", "estimate_noise", "detect", "denoise", "decompose", "score")


def dirty(*missing):
    X, _ = spoil(low_rank(N, M), size=5.0)
    for entry in missing:
        X[entry] = np.nan
    return X


def gaps():
    return dirty((3, slice(0, 6)), (10, 3))


def model(**options):
    return fully_fitted(**{"tol": 1e-3, "max_iter": 100} | options)


def compare(estimator, X, kind, methods=METHODS, rtol=1e-8, **fitting):
    """Fit to both kinds of arrays; every answer is the same, and where the data are."""
    expected = estimator().fit(X, **fitting)
    given = kind.put(X)
    before = on_host(given).copy()
    there = {name: kind.put(A) for name, A in fitting.items()}
    found = estimator().fit(given, **there)
    W = estimator().fit_transform(given, **there)
    assert kind.holds(W)
    for name, value in vars(expected).items():
        if isinstance(value, np.ndarray):
            assert kind.holds(getattr(found, name)), name
            assert_same(getattr(found, name), value, rtol)
    assert getattr(found, "n_iter_", 0) == getattr(expected, "n_iter_", 0)
    assert_allclose(found.objective_, expected.objective_, rtol=1e-6)
    for method in methods:
        answer, wanted = (getattr(m, method)(A) for m, A in ((found, given), (expected, X)))
        if method == "score":
            assert isinstance(answer, float)
            assert_allclose(answer, wanted, rtol=1e-6)
            continue
        pairs = zip(answer, wanted, strict=True) if method == "decompose" else [(answer, wanted)]
        for one, other in pairs:
            assert kind.holds(one), method
            assert_same(one, other, rtol)
    assert_same(found.inverse_transform(W), on_host(W) @ expected.components_, rtol)
    assert_array_equal(on_host(given), before)
    return found, expected


@most_kinds
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_answers_are_those_about_arrays_of_numpy(options, kind):
    if options.get("solver") == "mu":
        options = options | {"max_iter": 60}
    found, expected = compare(lambda: model(**options), gaps(), kind)
    assert len(found.history_["objective"]) == len(expected.history_["objective"])
    falls = np.diff(found.history_["objective"])
    assert (falls <= 0).all()


@most_kinds
def test_nothing_need_be_missing(kind):
    compare(model, dirty(), kind)


@every_kind
def test_every_package_can_be_fitted(kind):
    compare(lambda: model(max_iter=30, n_components=2), gaps()[:30, :12], kind)


@most_kinds
@pytest.mark.parametrize("solver", ["hals", "mu"])
def test_weights(solver, kind):
    weights = np.random.default_rng(0).random((N, M))
    weights[5, 5] = 0
    options = {"solver": solver, "max_iter": 60, "tol": 1e-3}
    compare(
        lambda: WeightedNMF(3, random_state=0, **options),
        gaps(),
        kind,
        ("transform", "score"),
        weights=weights,
    )
    X = gaps()
    fitted = WeightedNMF(3, random_state=0).fit(X)
    moved = fitted.to(kind.put(X))
    W = moved.transform(kind.put(X), kind.put(weights))
    assert_same(W, fitted.transform(X, weights))


@most_kinds
@pytest.mark.parametrize("shuffle", [True, False])
def test_batches(shuffle, kind):
    options = {"lam": 0.3, "batch_size": 20, "max_iter": 2, "random_state": 0, "shuffle": shuffle}
    X = gaps()
    found, expected = compare(lambda: MiniBatchRobustNMF(3, **options), X, kind)
    for fitted, put in ((found, kind.put), (expected, np.asarray)):
        fitted.partial_fit(put(X[:30]))
    assert kind.holds(found.components_)
    assert_same(found.components_, expected.components_)
    begun = [MiniBatchRobustNMF(3, **options) for _ in range(2)]
    for rows in (slice(0, 25), slice(25, N)):
        for fitted, put in zip(begun, (kind.put, np.asarray), strict=True):
            fitted.partial_fit(put(X[rows]))
    assert_same(begun[0].components_, begun[1].components_)


@most_kinds
@pytest.mark.parametrize("data", [dirty, gaps])
def test_auto(data, kind):
    found, expected = compare(
        lambda: RobustNMF(3, lam="auto", random_state=0),
        data(),
        kind,
        (*METHODS, "noise_probability"),
    )
    assert found.diagnosis_ == expected.diagnosis_
    assert_allclose(found.lam_, expected.lam_)
    assert_allclose(found.corruption_, expected.corruption_)


@most_kinds
def test_auto_with_more_rows_than_it_learns_from(kind, monkeypatch):
    from robustnmf._auto import fit

    few = fit.FIT._replace(sample_entries=2000, sample_rows=50)
    monkeypatch.setattr(fit, "FIT", few)
    X, _ = spoil(low_rank(n=90, m=M), size=5.0)
    compare(lambda: RobustNMF(3, lam="auto", random_state=0), X, kind)


@most_kinds
def test_auto_finds_how_many_components_there_are(kind):
    for options in ({"lam": "auto"}, {"lam": 0.3}):
        found, expected = compare(
            lambda o=options: RobustNMF("auto", random_state=0, **o), dirty(), kind, ("detect",)
        )
        assert found.n_components_ == expected.n_components_
    compare(
        lambda: MiniBatchRobustNMF(3, lam="auto", batch_size=20, max_iter=3, random_state=0),
        dirty(),
        kind,
        ("detect", "noise_probability"),
    )


@most_kinds
@pytest.mark.parametrize(
    "options", [{}, {"solver": "mu", "max_iter": 30}, {"refit": "wnmf"}, {"lam": "auto"}], ids=str
)
def test_the_function(options, kind):
    *found, _ = robust_nmf(kind.put(dirty()), 3, random_state=0, **options)
    *expected, _ = robust_nmf(dirty(), 3, random_state=0, **options)
    for one, other in zip(found, expected, strict=True):
        assert kind.holds(one)
        assert_same(one, other)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "uint8", "int64", "bool"])
def test_the_precision_follows_from_that_of_the_data(dtype):
    X = torch.asarray(dirty() * 4).to(getattr(torch, dtype))
    W = model(max_iter=20, tol=0.1).fit_transform(X)
    half = dtype in ("float16", "bfloat16")
    as_numpy = X.to(torch.float32 if half else X.dtype).numpy()
    expected = model(max_iter=20, tol=0.1).fit_transform(as_numpy)
    assert_same(W, expected, rtol=1e-3 if expected.dtype == np.float32 else 1e-8)
    assert X.dtype == getattr(torch, dtype)


def test_a_device_without_double_precision():
    place = array_api_strict.Device("no_float64")
    X = array_api_strict.asarray(gaps().astype(np.float32), device=place)
    for options in ({}, {"penalty": "squared_l0", "lam": 0.5}, {"refit": "wnmf"}, {"lam": "auto"}):
        fitted = model(**options).fit(X)
        assert fitted.components_.dtype == array_api_strict.float32
        assert fitted.detect(X).device == fitted.components_.device == place
        expected = model(**options).fit(on_host(X))
        assert_allclose(fitted.objective_, expected.objective_, rtol=1e-2)


@most_kinds
@pytest.mark.parametrize("unit", [1e-30, 1e90])
def test_units(unit, kind):
    compare(model, unit * gaps(), kind, ("transform", "detect", "denoise"))


@most_kinds
@pytest.mark.parametrize(
    "options",
    [{}, {"refit": "wnmf"}, {"solver": "mu", "max_iter": 30}, {"init": "nndsvda"}],
    ids=str,
)
def test_blocks_do_not_change_the_answer(options, kind, monkeypatch):
    X = gaps()
    whole = model(**options).fit_transform(kind.put(X))
    small = engine.DeviceSettings(entries=17 * M, host_entries=17 * M)
    monkeypatch.setattr(engine, "DEVICE", small)
    assert_same(model(**options).fit_transform(kind.put(X)), on_host(whole))


def test_large_data_begin_with_samples_and_in_single_precision():
    X, _ = spoil(low_rank(n=2000, m=60), size=5.0)
    compare(lambda: model(tol=1e-6), X, KINDS["torch"], ("detect",), rtol=1e-3)


@pytest.mark.parametrize("steps", [1, 3, 8])
def test_how_seldom_the_objective_is_read_does_not_matter(steps, monkeypatch):
    X = gaps()
    expected = model().fit(X)
    monkeypatch.setattr(hals, "UNREAD", UNREAD._replace(steps=steps))
    found = model().fit(torch.asarray(X))
    assert found.n_iter_ == expected.n_iter_
    assert_allclose(found.history_["objective"], expected.history_["objective"], rtol=1e-9)
    assert_same(found.components_, expected.components_)


def test_the_objective_is_read_now_and_then(monkeypatch):
    from robustnmf._core import loop

    reads = []
    monkeypatch.setattr(loop, "on_host", lambda A: reads.append(A) or on_host(A))
    X = torch.asarray(np.random.default_rng(0).random((50, 20)))
    with pytest.warns(match="max_iter"):
        fitted = RobustNMF(3, lam=0.3, random_state=0, max_iter=103, tol=0).fit(X)
    assert fitted.n_iter_ == 103
    assert len(reads) == -(-103 // UNREAD.steps)


def test_no_more_is_read_the_more_iterations_there_are(monkeypatch):
    strict = type(array_api_strict.zeros(1))
    reads = []
    monkeypatch.setattr(strict, "__float__", lambda A: reads.append(A) or float(A._array))
    X = KINDS["strict"].put(dirty())
    counts = []
    for most in (20, 60):
        reads.clear()
        assert RobustNMF(3, lam=0.3, random_state=0, max_iter=most, tol=0).fit(X).n_iter_ == most
        counts.append(len(reads))
    assert counts[0] == counts[1]


@most_kinds
def test_every_package_begins_at_the_same_start(kind):
    from robustnmf._core.init import random_start
    from robustnmf._engines import engine_for

    X = dirty()
    starts = [
        random_start(engine_for(A), 3, X.mean(), np.random.RandomState(0)) for A in (X, kind.put(X))
    ]
    (W, H), (there, H_there) = starts
    assert_array_equal(on_host(there.array), W)
    assert_array_equal(on_host(H_there), H)


@most_kinds
def test_a_start_may_be_of_any_kind(kind):
    X, rng = dirty(), np.random.default_rng(0)
    W, H = rng.random((N, 3)), rng.random((3, M))
    expected = model(init=(W, H)).fit(X)
    for put in (kind.put, np.asarray):
        found = model(init=(put(W), put(H))).fit(kind.put(X))
        assert_same(found.components_, expected.components_)


@most_kinds
def test_answers_into_arrays_of_the_caller(kind):
    X = kind.put(gaps())
    fitted = model().fit(X)
    for room in (kind.put(np.zeros((N, M))), np.zeros((N, M))):
        assert fitted.denoise(X, out=room) is room
        assert_same(room, on_host(fitted.denoise(X)))
    W = kind.put(np.zeros((N, 3)))
    assert model().fit_transform(X, out=W) is W
    assert_same(W, on_host(fitted.transform(X)), rtol=1e-6)


@most_kinds
def test_a_fit_goes_on_where_it_was_broken_off(kind, tmp_path, monkeypatch):
    X = kind.put(gaps())
    expected = model().fit(X)
    step, left = hals.Hals.step, [20]

    def broken(self):
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return step(self)

    monkeypatch.setattr(hals.Hals, "step", broken)
    folder = tmp_path / "kept"
    with pytest.raises(KeyboardInterrupt):
        model().fit(X, checkpoint=folder, checkpoint_every=0)
    assert any(folder.iterdir())
    found = model().fit(X, checkpoint=folder)
    assert left[0] < 0
    assert found.n_iter_ == expected.n_iter_
    assert_same(found.components_, on_host(expected.components_))
