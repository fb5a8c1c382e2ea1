"""Columns in which odd cells are a second kind of rows."""

import numpy as np
import pytest
from scipy import integrate, stats

from robustnmf._tables.judging.mixed import MIXTURE, alike

# Cells that are odd beyond doubt.
SURE = 30.0


def counted(counts, n):
    """Columns of n cells with so many odd ones in each."""
    columns = np.repeat(np.arange(len(counts)), counts)
    return alike(np.full(len(columns), SURE), columns, np.full(len(counts), n))


@pytest.mark.parametrize("rate", [0.0, 0.01, 0.03, 0.08])
@pytest.mark.parametrize(("n", "m"), [(50, 8), (200, 4), (400, 10)])
def test_mistakes_that_fall_anywhere_are_believed(rate, n, m):
    rng = np.random.default_rng(0)
    for _ in range(10):
        assert counted(rng.binomial(n, rate, m), n).min() > 0.5


@pytest.mark.parametrize(("counts", "n"), [([14, 82, 5, 13], 307), ([0, 11, 0, 1, 1, 0, 2, 0], 45)])
def test_a_second_kind_is_told_by_how_many_they_are(counts, n):
    share = counted(counts, n)
    assert share[1] < 0.2
    assert np.delete(share, 1).min() > 0.8


def test_where_others_have_many_mistakes_one_may_have_more():
    """In a column that is predicted well, more of them are seen."""
    assert counted([60, 25, 25, 25], 400)[0] > 0.6
    assert counted([60, 1, 1, 1], 400)[0] < 0.3


def test_a_few_in_one_column_may_be_mistakes():
    assert counted([4, 0, 0, 0, 0, 0], 400)[0] > 0.9
    assert counted([2, 0, 0, 0, 0, 0], 40)[0] > 0.8


def test_a_column_that_nothing_predicts_says_nothing_of_the_others():
    """Whatever is wrong there, nobody would see it."""
    rng = np.random.default_rng(0)
    seen, blind = np.full(30, SURE), rng.normal(0, 0.1, 400)
    columns = np.repeat([0, 1], [30, 400])
    n = np.array([400, 400])
    assert alike(np.append(seen, blind), columns, n)[0] > 0.5
    # A column that is predicted, and has none, does.
    assert alike(seen, columns[:30], n)[0] < alike(np.append(seen, blind), columns, n)[0]


def test_by_integrals():
    """The same by numerical integration, where the share is the only thing that is not known."""
    n, (a, b) = 200, (3, 30)
    prior = stats.expon(scale=MIXTURE.usual_share)

    def mean(f, most=MIXTURE.most_wrong):
        return integrate.quad(f, 0, most, points=[0.01, 0.03, 0.1, 0.15], limit=500)[0]

    def likely(k, r):
        return stats.binom.pmf(k, n, r)

    common = mean(lambda r: likely(b, r) * likely(a, r) * prior.pdf(r)) / mean(
        lambda r: likely(a, r) * prior.pdf(r)
    )
    others = mean(lambda r: r * likely(a, r) * prior.pdf(r)) / mean(
        lambda r: likely(a, r) * prior.pdf(r)
    )
    wider = stats.expon(scale=max(MIXTURE.usual_share, MIXTURE.others * others))
    own = mean(lambda r: likely(b, r) * wider.pdf(r)) / wider.cdf(MIXTURE.most_wrong)
    kind = mean(lambda r: likely(b, r) * (r > MIXTURE.least_kind), MIXTURE.most_kind) / (
        MIXTURE.most_kind - MIXTURE.least_kind
    )
    mistakes = (1 - MIXTURE.own - MIXTURE.kind) * common + MIXTURE.own * own
    expected = mistakes / (mistakes + MIXTURE.kind * kind) / (1 - MIXTURE.kind)
    assert counted([a, b], n)[1] == pytest.approx(expected, abs=0.03)


def test_nothing_to_compare():
    none = np.empty(0)
    assert alike(none, none.astype(int), np.zeros(0, int)).tolist() == []
    assert alike(none, none.astype(int), np.array([9, 9])).tolist() == [1, 1]
    assert counted([5], 20).tolist() == [1]
    # Columns that are not judged do not count.
    assert alike(np.full(5, SURE), np.zeros(5, int), np.array([20, 0])).tolist() == [1, 1]
