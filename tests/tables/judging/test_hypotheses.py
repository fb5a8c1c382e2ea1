"""How often each kind of error happens is learned from where the errors are."""

import numpy as np
import pytest

from robustnmf._tables.judging.hypotheses import Evidence, judge, learn_rates
from robustnmf._tables.judging.slips import SLIPS

CLEAN, WRONG, POINT, SIGN, DIGITS = range(5)


def found(*likely, cells=None):
    """Cells of which each has one hypothesis that explains it far better than the others."""
    log_density = np.full((len(likely), 2 + len(SLIPS)), -30.0)
    # A clean cell can always be wrong in any way, and a slip too.
    log_density[:, WRONG] = -8.0
    log_density[np.arange(len(likely)), likely] = 0.0
    meant = np.arange(3.0 * len(likely)).reshape(-1, 3)
    return Evidence(
        np.arange(len(likely)), np.zeros(len(likely), int), log_density, meant, 0.5 * meant
    )


@pytest.mark.parametrize("kind", [WRONG, POINT, SIGN, DIGITS])
def test_rates_go_where_the_errors_are(kind):
    rates = learn_rates(found(*[kind] * 30, *[CLEAN] * 20), 0.02, 1000)
    assert rates.sum() == pytest.approx(1)
    assert rates[kind] == pytest.approx(0.03, rel=0.1)
    others = [k for k in (WRONG, POINT, SIGN, DIGITS) if k != kind]
    assert all(rates[k] < 0.003 for k in others)
    assert rates[CLEAN] == pytest.approx(0.97, abs=0.01)


def test_without_errors_all_rates_are_small():
    rates = learn_rates(found(*[CLEAN] * 20), 0.02, 1000)
    assert rates[CLEAN] > 0.998
    assert (rates > 0).all()
    nothing = Evidence(*(np.empty(0, int),) * 2, np.empty((0, 5)), *np.empty((2, 0, 3)))
    assert learn_rates(nothing, 0.02, 1000)[CLEAN] > 0.99


def test_the_first_rate_hardly_matters():
    low, high = (learn_rates(found(*[POINT] * 30), rate, 1000) for rate in (0.002, 0.15))
    np.testing.assert_allclose(low, high, rtol=1e-3)


def test_a_slip_is_believed_where_such_slips_happen():
    """The same cell: a prediction that fits it badly, or a slip that explains it."""
    cell = Evidence(
        np.zeros(1, int),
        np.zeros(1, int),
        np.array([[-9.0, -6, -6, -40, -40]]),
        *np.ones((2, 1, 3)),
    )
    often, never = (
        np.array([0.9, 0.01, 0.08, 0.005, 0.005]),
        np.array([0.98, 0.02, 1e-9, 1e-9, 1e-9]),
    )
    assert judge(cell, often)[1].tolist() == [SLIPS.index("point")]
    assert judge(cell, never)[1].tolist() == [-1]


def test_what_is_decided():
    cells = found(CLEAN, WRONG, POINT, SIGN, DIGITS)
    log_odds, slip, meant, slack = judge(cells, np.array([0.96, 0.01, 0.01, 0.01, 0.01]))
    assert (log_odds > 0).tolist() == [False, True, True, True, True]
    assert slip[1:].tolist() == [-1, 0, 1, 2]
    np.testing.assert_array_equal(slack, 0.5 * meant)
    assert meant[2:].tolist() == [cells.meant[2, 0], cells.meant[3, 1], cells.meant[4, 2]]
