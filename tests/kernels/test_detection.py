"""The fused kernels of detection against the portable ones, which are the readable truth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._kernels import cpu, portable
from robustnmf._kernels.density import THIN, Tail


@pytest.fixture(params=[np.float32, np.float64], ids=str)
def problem(request):
    rng = np.random.default_rng(0)
    n, m = 30, 17
    P = rng.gamma(2.0, size=(n, m)).astype(request.param)
    known = rng.random((n, m)) < 0.9
    size = np.where(known, rng.standard_cauchy((n, m)).astype(request.param), 0)
    bounds = np.quantile(P, np.arange(1, 6) / 6)
    level = portable.level_of(P, bounds)
    scale = (rng.gamma(3.0, size=n), rng.gamma(3.0, size=m), rng.gamma(3.0, size=6), level, 2.0)
    return P, bounds, np.abs(size), known, scale, rng.integers(0, 5, (n, m)).astype(np.int32)


def test_levels_and_scales(problem):
    P, bounds, _, _, scale, _ = problem
    assert_array_equal(cpu.level_of(P, bounds), portable.level_of(P, bounds))
    assert_allclose(cpu.scale_of(*scale), portable.scale_of(*scale))
    assert_allclose(cpu.mean_square_scale(*scale[:4]), portable.mean_square_scale(*scale[:4]))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("cutoff", [1.5, np.inf])
def test_sums_over_rows_columns_and_levels(problem, axis, cutoff):
    _, _, size, known, scale, _ = problem
    for ours, truth in zip(
        cpu.spread_sums(size, scale, known, cutoff, axis),
        portable.spread_sums(size, scale, known, cutoff, axis),
        strict=True,
    ):
        assert_allclose(ours, truth, rtol=1e-5)
    for ours, truth in zip(
        cpu.count_beyond(size, scale, known, 1.0, axis),
        portable.count_beyond(size, scale, known, 1.0, axis),
        strict=True,
    ):
        assert_array_equal(ours, truth)


def test_classes_of_values(problem):
    P, _, size, known, scale, class_of = problem
    arguments = size, scale, known, class_of, 5, 0.5, 2.0
    assert_array_equal(cpu.class_counts(*arguments), portable.class_counts(*arguments))
    values = (
        np.linspace(0, 6, 9),
        P.ravel().astype(float),
        portable.scale_of(*scale).ravel(),
        0.5,
        2.0,
    )
    assert_allclose(cpu.compare_values(*values), portable.compare_values(*values))


def test_far_out_entries_by_class_and_group(problem):
    P, _, size, known, scale, class_of = problem
    group = np.random.default_rng(4).integers(0, 3, P.shape).astype(np.int8)
    arguments = size, scale, known, class_of, group, (5, 3), 1.0
    assert_array_equal(cpu.far_counts(*arguments), portable.far_counts(*arguments))
    spread = portable.scale_of(*scale).ravel()
    shares = np.linspace(0, 6, 9), P.ravel().astype(float), spread, group.ravel(), 4, 1.0
    assert_allclose(cpu.far_shares(*shares), portable.far_shares(*shares))
    assert not portable.far_shares(*shares)[:, 3].any()


@pytest.mark.parametrize("tail", [THIN, Tail.of(0.02, 2.0), Tail.of(1e-4, 6.0)], ids=str)
def test_odds_and_thresholds(problem, tail):
    _, _, size, known, scale, class_of = problem
    prior = np.linspace(-9, 1, 5)
    odds = portable.log_odds(size, scale, known, class_of, prior, tail)
    assert_allclose(cpu.log_odds(size, scale, known, class_of, prior, tail), odds, rtol=1e-5)
    limits = portable.thresholds(scale, class_of, prior, 0.3, tail)
    ours = cpu.thresholds(scale, class_of, prior, 0.3, tail)
    assert_allclose(ours, limits)
    # The threshold is where the odds reach the bar.
    clear = known & (np.abs(odds - 0.3) > 1e-6)
    assert_array_equal((size > limits)[clear], (odds > 0.3)[clear])


def test_truncated_squares(problem):
    P, _, size, known, _, _ = problem
    X = np.where(known, P + size, np.nan)
    limits = np.full_like(P, 0.7)
    rows, loss = portable.clean_truncated(X, P, limits)
    ours, our_loss = cpu.clean_truncated(X, P.copy(), limits)
    assert_allclose(ours, rows, rtol=1e-6)
    assert_allclose(our_loss, loss, rtol=1e-6)
    assert_allclose(loss, np.minimum(np.where(known, X - P, 0) ** 2, 0.7**2).sum(axis=1), rtol=1e-5)


@pytest.mark.parametrize("guessed", [True, False])
@pytest.mark.parametrize("cutoff", [1.5, np.inf])
def test_the_factor_of_a_sample(problem, guessed, cutoff):
    P, bounds, size, known, scale, class_of = problem
    X = np.where(known, P + size, np.nan).astype(P.dtype)
    corrupt = class_of == 1 if guessed else None
    settings = (3.0, cutoff, 1.2, 5.0, 0.9, 2.0, 1.6, 3)
    ours = cpu.sample_spreads(X, P, corrupt, scale, bounds, settings)
    truth = portable.sample_spreads(X, P, corrupt, scale, bounds, settings)
    assert_allclose(ours[0], truth[0], rtol=1e-4)
    for a, b in zip(ours[1:], truth[1:], strict=True):
        assert_array_equal(a, b)


def test_what_is_left_of_rows(problem):
    P, _, size, known, scale, class_of = problem
    X = np.where(known, P + size, np.nan).astype(P.dtype)
    limits = portable.scale_of(*scale).astype(np.float32)
    assert_array_equal(cpu.beyond(X, P, limits), portable.beyond(X, P, limits))
    for ours, truth in zip(
        cpu.row_losses(X, P, limits), portable.row_losses(X, P, limits), strict=True
    ):
        assert_allclose(ours, truth, rtol=1e-5)
    for ours, truth in zip(
        cpu.value_range(X, class_of == 1), portable.value_range(X, class_of == 1), strict=True
    ):
        assert_array_equal(ours, truth)
