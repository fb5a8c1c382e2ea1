import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from robustnmf._tables.judging.scales import KINDS, SCALE, Scale, choose_scale

RNG = np.random.default_rng(0)


@given(
    st.sampled_from(KINDS),
    st.floats(-5, 5),
    st.floats(0.1, 10),
    st.floats(1e-3, 1e3),
)
def test_there_and_back(kind, middle, spread, x):
    scale = Scale(kind, middle, spread)
    z = scale.forth(np.array([x]))
    if abs(z[0]) < SCALE.furthest:
        assert scale.back(z)[0] == pytest.approx(x, rel=1e-6)


@given(st.sampled_from(KINDS), st.floats(0.1, 10), st.floats(0.1, 100))
def test_slopes_are_those_of_the_scale(kind, spread, x):
    scale, h = Scale(kind, 2.0, spread), 1e-5 * x
    z = scale.forth(np.array([x - h, x + h]))
    assume(np.abs(z).max() < SCALE.furthest)
    slope = np.diff(z)[0] / (2 * h)
    assert scale.log_slope(np.array([x]))[0] == pytest.approx(np.log(slope), abs=1e-4)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (RNG.normal(50, 5, 500), "identity"),
        (RNG.normal(0, 5, 500), "identity"),
        (RNG.uniform(0, 1, 500), "identity"),
        (RNG.lognormal(0, 1, 500), "log"),
        (RNG.pareto(1.5, 500) + 1, "log"),
        (RNG.normal(5, 1, 2000) ** 2, "root"),
        (-RNG.lognormal(0, 1, 500), "identity"),
        (np.where(np.arange(500) % 2, 0, RNG.lognormal(0, 1, 500)), "root"),
    ],
)
def test_the_most_even_scale_is_chosen(values, kind):
    assert choose_scale(values).kind == kind


def test_values_have_spread_one_about_the_middle():
    for values in (RNG.normal(50, 5, 5000), RNG.lognormal(3, 2, 5000)):
        z = choose_scale(values).forth(values)
        assert np.median(z) == pytest.approx(0, abs=1e-9)
        assert z.std() == pytest.approx(1, abs=0.1)


def test_units_do_not_matter():
    values = RNG.lognormal(0, 1, 300)
    one, other = choose_scale(values), choose_scale(values * 1e6)
    assert one.kind == other.kind
    np.testing.assert_allclose(one.forth(values), other.forth(values * 1e6), atol=1e-9)


def test_a_few_zeros_and_negative_cells_do_not_forbid_a_logarithm():
    values = RNG.lognormal(0, 1, 500)
    values[:3], values[3] = 0, -5
    scale = choose_scale(values)
    assert scale.kind == "log"
    # Nothing negative has a logarithm; 0 is what less than the smallest step is written as.
    assert scale.forth(values[3:4]) == [-SCALE.beyond]
    assert (scale.forth(values[:3]) == scale.forth(np.array([scale.nil]))).all()
    values[:100] = 0
    assert choose_scale(values).kind != "log"
    values[:100] = -1
    assert choose_scale(values).kind == "identity"


def test_a_scale_can_be_asked_for_if_it_is_possible():
    values = RNG.normal(50, 5, 100)
    assert choose_scale(values, "log").kind == "log"
    assert choose_scale(-values, "log").kind == "identity"
    assert choose_scale(np.where(np.arange(100) < 20, 0, values), "log").kind == "root"


def test_missing_cells_stay_missing_and_giants_are_all_as_far():
    scale = choose_scale(np.append(RNG.normal(size=100), np.nan))
    np.testing.assert_array_equal(
        scale.forth(np.array([np.nan, 1e300, -1e300])), [np.nan, SCALE.furthest, -SCALE.furthest]
    )


@pytest.mark.parametrize("common", [0.4, 0.6, 0.95])
def test_a_common_value_leaves_a_spread(common):
    """The median of deviations is 0 where more than half of the cells are one."""
    values = np.where(np.arange(200) < 200 * common, 7.0, RNG.normal(7, 2, 200))
    assert 0.1 < choose_scale(values).spread < 10


@pytest.mark.parametrize("size", [1e-300, 1e-150, 1e150, 1e300])
def test_extreme_sizes(size):
    values = RNG.gamma(3, 1, 200) * size
    scale = choose_scale(values)
    np.testing.assert_allclose(scale.back(scale.forth(values)), values, rtol=1e-6)


def test_zero_is_near_where_values_are_small_counts_and_far_where_they_are_not():
    counts = RNG.poisson(RNG.lognormal(1.5, 1, 500)).astype(float)
    near = choose_scale(np.where(counts == 0, 1, counts), "log").forth(np.zeros(1))
    far = choose_scale(RNG.lognormal(5, 0.1, 500).round(1), "log").forth(np.zeros(1))
    assert -4 < near[0] < -1
    assert far[0] == -SCALE.beyond
