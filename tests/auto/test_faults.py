"""Faults that are no single entries: a ceiling, samples of noise, values written again."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr

from conftest import low_rank
from robustnmf._auto.detection import unrelated
from robustnmf._auto.detection.ceiling import ceiling
from robustnmf._auto.detection.learner import doubted, written_again
from robustnmf._auto.detection.outliers import _standard_ranks
from robustnmf._auto.detection.settings import CEILING, LEARNER
from robustnmf._auto.detection.values import Classes


@given(seed=st.integers(0, 999), share=st.floats(0.03, 0.4), factor=st.sampled_from([1e-6, 1, 1e9]))
def test_values_that_are_cut_off_have_a_ceiling(seed, share, factor):
    values = factor * np.random.default_rng(seed).gamma(2.0, size=2000)
    assert ceiling(values) is None
    top = np.quantile(values, 1 - share)
    assert ceiling(np.minimum(values, top)) == top


def test_few_values_or_too_many_at_the_top_are_no_ceiling():
    values = np.random.default_rng(0).gamma(2.0, size=2000)
    assert ceiling(np.empty(0)) is None
    assert ceiling(np.minimum(values, np.quantile(values, 0.5))) is None
    codes = np.arange(CEILING.least_values - 1).repeat(5)
    assert ceiling(np.append(codes, np.full(50, codes.max()))) is None
    # Digits: 16 is more frequent than 15, but not by so much.
    assert ceiling(np.append(np.arange(100.0).repeat(10), np.full(15, 99.0))) is None


@settings(max_examples=25)
@given(seed=st.integers(0, 999), bad=st.integers(0, 12), missing=st.booleans())
def test_samples_that_have_something_in_common_are_not_called_noise(seed, bad, missing):
    rng = np.random.default_rng(seed)
    X = low_rank(50, 150, 3, seed)
    X[:bad] = rng.uniform(0, X.max(), (bad, 150))
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    found = np.flatnonzero(unrelated(X))
    assert set(found) <= set(range(bad))
    # Noise can look like something, by chance.
    assert len(found) >= 0.4 * bad - 1


@pytest.mark.parametrize("seed", range(5))
def test_short_samples_that_have_much_in_common_tell_noise_among_them(seed):
    rng = np.random.default_rng(seed)
    X = low_rank(100, 20, 1, seed) * rng.uniform(0.95, 1.05, (100, 20))
    X[:10] = rng.uniform(0, X.max(), (10, 20))
    found = np.flatnonzero(unrelated(X))
    assert set(found) <= set(range(10))
    assert len(found) >= 8


def test_nothing_is_said_of_data_that_have_nothing_in_common():
    rng = np.random.default_rng(0)
    assert not unrelated(rng.random((60, 200))).any()
    # Nor of few samples, short ones, constant ones, or quiet ones.
    assert not unrelated(np.vstack([low_rank(15, 100, 2), rng.random((1, 100))])).any()
    assert not unrelated(np.vstack([low_rank(50, 15, 2), 10 * rng.random((1, 15))])).any()
    X = low_rank(50, 150, 3)
    X[0], X[1] = 3.0, 0.01 * rng.random(150)
    assert not unrelated(X).any()


@given(seed=st.integers(0, 999))
def test_ranks_give_the_correlation_of_spearman(seed):
    X = np.round(np.random.default_rng(seed).random((4, 30)), 1)
    ranks = _standard_ranks(X, None)
    assert_allclose(ranks @ ranks.T, spearmanr(X.T).statistic, atol=1e-12)


def test_what_is_written_again_and_again_is_never_doubted():
    widths = np.ones(256)
    corrupt = np.full(256, 1e-6)
    corrupt[255] = 2 * LEARNER.written
    written = written_again(corrupt, widths)
    assert_array_equal(np.flatnonzero(written), [255])
    lowered = doubted(corrupt, written)
    assert lowered[255] == corrupt[255]
    rare = corrupt[:255].sum() / LEARNER.rare
    assert lowered[0] == pytest.approx(corrupt[0] * rare**LEARNER.beside)
    alone = np.full(256, 1e-6)
    lowered = doubted(alone, written_again(alone, widths))
    assert_allclose(lowered, alone * (alone.sum() / LEARNER.rare) ** LEARNER.alone)
    # Any value at random, and often: nothing is written, and nothing is doubted.
    much = np.full(256, 0.3 / 256)
    assert not written_again(much, widths).any()
    assert_array_equal(doubted(much, written_again(much, widths)), much)


def test_only_single_values_can_be_written_again():
    whole = Classes.of(np.arange(20.0).repeat(5))
    assert whole.single.all()
    values = np.append(np.random.default_rng(0).random(3000), np.full(50, 0.25))
    binned = Classes.of(values).rescaled(2.0)
    assert_array_equal(binned.points[binned.single], [0.5])
    assert binned.single[binned.index_of(np.array([0.5]))].all()
