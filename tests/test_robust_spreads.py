"""Middles and spreads that missing and wild numbers do not move."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import median_abs_deviation

from robustnmf._auto.detection.reach import within_components, within_rows_and_columns
from robustnmf._common.robust import quantile, robust_deviation
from robustnmf._core.loudness import loudness


@given(seed=st.integers(0, 999), share=st.floats(0, 1), axis=st.sampled_from([0, 1]))
def test_quantiles_leave_out_what_is_missing(seed, share, axis):
    rng = np.random.default_rng(seed)
    A = rng.random((7, 9))
    A[rng.random(A.shape) < 0.3] = np.nan
    A[3, :], A[:, 4] = 0.5, 0.25
    assert_allclose(quantile(A, share, axis), np.nanquantile(A, share, axis=axis), atol=1e-12)


@given(seed=st.integers(0, 999), size=st.integers(1, 30))
def test_the_spread_is_the_median_absolute_deviation_of_scipy(seed, size):
    A = np.random.default_rng(seed).standard_cauchy((size, 4))
    expected = median_abs_deviation(A, axis=0, scale="normal")
    deviations = A - np.median(A, axis=0)
    assert_allclose(robust_deviation(deviations, axis=0), expected, rtol=1e-4)
    assert_allclose(robust_deviation(deviations[:, 0]), expected[0], rtol=1e-4)
    assert robust_deviation(np.empty(0)) == 0


def test_rows_divided_by_their_loudness_are_alike_and_silent_ones_do_not_count():
    sizes = np.array([[1.0], [2.0], [0.0], [0.0], [0.0], [0.0], [300.0]])
    loud = loudness(sizes, 1.5)
    assert (sizes / loud).max() <= 1.5 * 2
    assert_allclose(loud[:6], 1)
    assert_allclose(loudness(np.zeros((3, 1)), 1.5), 1)


@given(seed=st.integers(0, 999), gaps=st.floats(0, 0.3))
def test_what_is_far_above_its_row_and_column_is_cut_off_and_other_values_hardly(seed, gaps):
    rng = np.random.default_rng(seed)
    rows, columns = rng.uniform(1, 2, (20, 1)), rng.uniform(1, 2, 15)
    clean = rows * columns
    X = np.where(rng.random(clean.shape) < gaps, np.nan, clean)
    X[3, 4] = 20 * clean[3, 4]
    for cut in (within_rows_and_columns(X), within_components(X, columns[None], 0.6)):
        assert cut[3, 4] < 4 * clean[3, 4]
        others = ~np.isnan(X)
        others[3, 4] = False
        assert (cut <= X)[others].all()
        assert (cut >= 0.7 * X)[others].all()
