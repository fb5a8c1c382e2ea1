"""What detection finds quickly, against the slow way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import reference
from robustnmf._auto.detection import scales
from robustnmf._auto.detection.ceiling import ceiling
from robustnmf._auto.detection.evenness import evenness
from robustnmf._auto.detection.outliers import _standard_ranks, ranks_of
from robustnmf._auto.detection.scales import EntryScales
from robustnmf._auto.detection.settings import CEILING, EVENNESS, SCALES
from robustnmf._auto.detection.values import Grid
from robustnmf._kernels import cpu, portable

seeds = st.integers(0, 9999)


@given(
    seed=seeds,
    n=st.integers(0, 60),
    kind=st.sampled_from(["even", "skewed", "wild", "near"]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_a_grid_finds_the_class_that_a_search_does(seed, n, kind, dtype):
    rng = np.random.default_rng(seed)
    edges = {
        "even": lambda: np.arange(float(n)),
        "skewed": lambda: rng.gamma(0.3, size=n) * 1e5,
        "wild": lambda: 10 ** rng.uniform(-300, 300, n),
        "near": lambda: 1 + 1e-15 * rng.integers(0, 50, n),
    }[kind]()
    edges = np.unique(edges)
    values = rng.uniform(-0.1, 1.1, (7, 5)) * (edges[-1] if len(edges) else 1.0)
    values[0] = rng.choice([0.0, -np.inf, np.inf, 1e300], 5)
    with np.errstate(over="ignore"):
        values = np.concatenate([values.ravel(), edges, np.nextafter(edges, 0)]).astype(dtype)
    atoms = np.unique(rng.choice(values, 3)).astype(float)
    for some in (np.empty(0), atoms[np.isfinite(atoms)]):
        found = cpu.class_index(values, edges, Grid.of(edges), some, 1e-6)
        assert_array_equal(found, portable.class_index(values, edges, None, some, 1e-6))
    assert cpu.class_index(
        np.full((1, 2), np.nan), edges, Grid.of(edges), np.empty(0), 0.1
    ).shape == (
        1,
        2,
    )


@given(seed=seeds, values=st.integers(1, 30), missing=st.booleans())
def test_ranks_of_small_integers(seed, values, missing):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (6, 40)).astype(float)
    distinct, order = np.unique(X, return_inverse=True)
    order = order.reshape(X.shape)
    if missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    assert_array_equal(_standard_ranks(X, order), _standard_ranks(X, None))
    assert_array_equal(np.isnan(ranks_of(order, ~np.isnan(X))), np.isnan(X))
    assert len(distinct) <= values


@given(seed=seeds, classes=st.integers(1, 30), much=st.floats(0.1, 100))
def test_evenness_of_all_classes_at_once(seed, classes, much):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rng.gamma(1, much, size=(classes, 1)) * np.ones(12)).astype(float)
    expected = rng.gamma(1, much, size=(classes, 12)) * (rng.random((classes, 12)) < 0.7)
    allowance = rng.gamma(1, 5, 12)
    assert_allclose(
        evenness(counts, expected, allowance),
        reference.evenness(counts, expected, allowance, EVENNESS),
    )


@given(seed=seeds, axis=st.sampled_from([0, 1, 2]), far=st.floats(0, 0.8), known=st.floats(0.3, 1))
def test_scales_grow_where_too_much_is_beyond_reach(seed, axis, far, known):
    rng = np.random.default_rng(seed)
    known = rng.random((12, 9)) < known
    size = np.abs(rng.standard_normal((12, 9))) * np.where(rng.random((12, 9)) < far, 20, 1)
    size = np.where(known, size, 0)
    level = rng.integers(0, SCALES.levels, (12, 9)).astype(np.int8)
    factors = (rng.gamma(9.0, 1 / 9, count) for count in (12, 9, SCALES.levels))
    scale = EntryScales(*factors, level, 0.01)
    assert_allclose(
        scales._growth(size, scale, known, axis),
        reference.growth(size, scale, known, axis, SCALES.clean_share, SCALES.clean_reach),
    )


@pytest.mark.parametrize("late", [False, True])
def test_few_values_have_no_ceiling_wherever_the_others_are(late):
    # The first thousand tell that there are enough values, or all of them do.
    many = np.arange(100.0).repeat(15)
    few = np.full(2000, 7.0)
    values = np.concatenate([few, many] if late else [many, few])
    top = np.full(round(0.05 * len(values)), 120.0)
    assert ceiling(np.concatenate([values, top])) == 120
    codes = np.arange(CEILING.least_values - 2.0).repeat(100)
    assert ceiling(np.append(codes, np.full(1000, 50.0))) is None
