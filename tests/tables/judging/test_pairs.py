"""Which of two cells is wrong that do not go together."""

import numpy as np
from scipy.special import expit

from robustnmf._tables.judging import decide, learn_table
from robustnmf._tables.judging.accuse import Accused
from robustnmf._tables.judging.density import log_wrong
from robustnmf._tables.judging.gaussian import Gaussian
from robustnmf._tables.judging.pairs import partners, weigh_pairs

C = np.array([[1.0, 0.95, 0.5], [0.95, 1.0, 0.5], [0.5, 0.5, 1.0]])
MODEL = Gaussian(np.zeros(3), C)


def test_partners_are_those_a_column_hangs_on():
    found = partners(np.linalg.inv(C), np.ones(3, bool))
    assert found[:2, 0].tolist() == [1, 0]
    # Those that cannot be wrong are not asked.
    assert partners(np.linalg.inv(C), np.array([True, False, True])).tolist() == [
        [2, -1],
        [0, 2],
        [0, -1],
    ]


def asked(z, accused):
    """Return what is found of one row if one of its cells was accused."""
    Z = np.array([z])

    def predict(rows, use):
        prediction, variance = MODEL.predict(Z[rows], use)
        return prediction, np.sqrt(variance)

    def log_odds(rows, prediction, spread):
        u = (Z[rows] - prediction) / spread
        return log_wrong(Z[rows]) + u * u / 2 + np.log(spread * np.sqrt(2 * np.pi))

    use = np.ones((1, 3), dtype=bool)
    use[0, accused] = False
    prediction, spread = predict(np.array([0]), use)
    odds = log_odds(np.array([0]), prediction, spread)
    found = Accused(odds, prediction, spread, use, np.ones((1, 3)))
    judged, silent = np.ones((1, 3), bool), np.zeros((1, 3), bool)
    ask = partners(MODEL.precision, judged[0])
    weigh_pairs(found, judged, silent, ask, predict, log_odds)
    return found, log_odds, predict


def test_the_one_that_goes_with_the_rest_is_let_go():
    found, *_ = asked([0.0, 3.0, 0.1], accused=0)
    assert found.use[0].tolist() == [True, False, True]
    assert found.share[0, 0] < 0.5 < found.share[0, 1]
    # And if it was rightly accused, it stays so.
    found, *_ = asked([3.0, 0.0, 0.1], accused=0)
    assert found.use[0].tolist() == [False, True, True]
    assert found.share[0, 0] > 0.5


def test_the_blame_is_what_the_likelihoods_of_both_stories_give():
    z = [1.2, -1.0, 0.1]
    found, log_odds, predict = asked(z, accused=0)
    against = []
    for other in (1, 2):
        use = np.array([[False, other != 1, other != 2]])
        odds = log_odds(np.array([0]), *predict(np.array([0]), use))[0]
        against.append(odds[other] - odds[0])
    assert found.share[0, 0] == 1 / (1 + np.exp(against).sum())
    assert abs(found.share[0, 0] - expit(-against[0])) < 0.1


def test_who_was_not_accused_is_not_asked():
    found, *_ = asked([0.1, 0.0, 0.1], accused=[])
    assert found.use.all()
    assert (found.share == 1).all()


def test_of_two_measurements_of_one_thing_the_wrong_one_is_found():
    rng = np.random.default_rng(0)
    n = 400
    thing, other = rng.normal(size=(2, n))
    X = 50 + 5 * np.stack(
        [thing, thing, 0.7 * thing + 0.7 * other, 0.5 * thing + other, other], axis=1
    )
    X += rng.normal(0, 0.8, X.shape)
    wrong = np.zeros(X.shape, dtype=bool)
    wrong[rng.choice(n, 30, replace=False), rng.integers(0, 2, 30)] = True
    X[wrong] += 18 * rng.choice([-1, 1], 30)
    learned = learn_table(X, list("abcde"), [None] * 5, lambda share: None)
    found = decide(learned, X, 0, False)
    right = wrong[found.rows, found.columns]
    assert right.mean() > 0.85
    assert right.sum() >= 24
