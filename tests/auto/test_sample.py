import numpy as np
import pytest

from robustnmf import RobustNMF, TrustWarning
from robustnmf._auto.detection.values import Classes
from robustnmf._auto.sample import Sample
from robustnmf._fitting.data import examine

rng = np.random.default_rng(0)
SMALL = rng.exponential(size=(120, 3)) @ rng.exponential(size=(3, 60))
PARTS = rng.exponential(size=(1_000, 3)) @ rng.exponential(size=(3, 100))


def sample(X):
    return Sample.of(X, examine(X, None, "a test", columns=True), X.size, len(X))


@pytest.mark.parametrize("scale", [1.0, 1e-120, 1e-40, 1e30, 1e120])
def test_single_precision_holds_data_in_any_unit(scale):
    X = scale * PARTS
    some, rows, units, data = sample(X)
    assert (some.dtype, data.dtype) == (np.float32, np.float64)
    np.testing.assert_array_equal(rows, np.arange(len(X)))
    np.testing.assert_allclose(some.astype(float) / units.factor, X, rtol=1e-6)
    whole = np.concatenate(data.map(lambda rows, X, weights: X))
    np.testing.assert_array_equal(whole, X * units.factor)


def test_small_data_stay_in_double():
    # Little would be gained, and a first fit would wait for kernels of both precisions.
    assert sample(SMALL)[0].dtype == np.float64


def test_values_that_it_cannot_tell_apart_stay_in_double():
    X = 1e9 + PARTS
    some, _, units, _ = sample(X)
    assert some.dtype == units.dtype == np.float64
    np.testing.assert_array_equal(some / units.factor, X)


def test_a_value_of_its_own_is_known_again_in_double_precision():
    values = np.append(rng.random(2_000), np.full(500, 0.1))
    classes = Classes.of(values.astype(np.float32))
    found = classes.index_of(np.array([0.1, np.float32(0.1), 0.1 + 1e-6]))
    assert classes.single[found].tolist() == [True, True, False]


@pytest.mark.parametrize("scale", [0.1, 1e-60, 1e60])
def test_a_ceiling_is_not_replaced_whatever_the_unit(scale):
    # No power of two, so that single precision rounds the largest value.
    X = scale * np.minimum(PARTS, np.quantile(PARTS, 0.93))
    with pytest.warns(TrustWarning):
        model = RobustNMF(3, lam="auto", random_state=0).fit(X)
    np.testing.assert_array_equal(model.denoise(X)[X.max() == X], X.max())
