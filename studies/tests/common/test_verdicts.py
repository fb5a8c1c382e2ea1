import pytest

from robustnmf_studies.common.frames import Curve
from robustnmf_studies.common.verdicts import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    PARTLY,
    UNKNOWN,
    among,
    falling,
    joined,
    percent,
    share_verdict,
    trend,
    worst,
)


def series(mean, spread=0.0, counts=10):
    n = len(mean)
    return Curve(list(range(n)), list(mean), [spread] * n, [counts] * n)


@pytest.mark.parametrize(
    ("curve", "verdict"),
    [
        (series([1, 2, 3]), HOLDS),
        (series([1, 3, 2]), PARTLY),
        (series([3, 2, 1]), FAILS),
        (series([1, 1, 1]), FAILS),
        (series([1]), UNKNOWN),
        # Within the error, a step down is not seen, and neither is a small rise.
        (series([1, 3, 2.9], spread=0.3), HOLDS),
        (series([1, 1.05], spread=0.3), FAILS),
        # One run has no error to excuse itself with.
        (series([1, 3, 2.9], counts=1), PARTLY),
    ],
)
def test_trend(curve, verdict):
    assert trend(curve) == verdict


def test_falling_is_the_opposite_of_rising():
    assert trend(falling(series([3, 2, 1]))) == HOLDS


@pytest.mark.parametrize(
    ("passed", "total", "verdict"), [(3, 3, HOLDS), (1, 3, PARTLY), (0, 3, FAILS), (0, 0, UNKNOWN)]
)
def test_share(passed, total, verdict):
    assert share_verdict(passed, total) == verdict


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        ([HOLDS, HOLDS], HOLDS),
        ([HOLDS, FAILS], PARTLY),
        ([FAILS, FAILS], FAILS),
        ([HOLDS, UNKNOWN], HOLDS),
        ([], UNKNOWN),
    ],
)
def test_worst(verdicts, verdict):
    assert worst(verdicts) == verdict


def test_parts_of_a_claim_are_joined():
    found = joined([(HOLDS, "a"), (False, "b")], where="here", head="so: ")
    assert found == (PARTLY, "so: a; b", "here")
    assert joined([], where="here") == NOT_MEASURED
    assert joined([(UNKNOWN, "nothing at 0 of 0 cases")]) == NOT_MEASURED


def test_conditions_of_the_parts_stand_instead_of_the_common_ones_each_once():
    cases = [(True, "a", "at a"), (True, "b", ""), (True, "c", "at a"), (True, "d", "at d")]
    assert joined(cases, where="everywhere").where == "at a; at d"


def test_percent_does_not_round_up_to_all():
    assert percent(0.996) == "99.6 %"
    assert percent(1.0) == "100 %"


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ([1, 2, 3], "at all from 1 to 3"),
        ([], "nowhere"),
        ([2, 3], "from 2 on"),
        ([1, 2], "up to 2"),
        ([1, 3], "at 1, 3"),
        ([3], "at 3"),
    ],
)
def test_among(chosen, words):
    assert among([1, 2, 3], chosen) == words
