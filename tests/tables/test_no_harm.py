"""First, do no harm: what a table is owed, whatever is in it.

Good cells stay as they are where nothing can be learned, where columns hold no measurements, and
where a table is too small or too even to tell. These are floor values, not snapshots.
"""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine

from robustnmf.metrics import detection_scores
from sheets import SHOP_DECIMALS, judged, mended, related, shops

# The share of good cells that may be changed where nothing can be learned.
HARMLESS = 0.001


def unchanged(X, **kwargs):
    """Judge a table that has nothing to teach: all of it comes back, and its owner is warned."""
    done = judged(X, **kwargs)
    assert done.n_replaced == 0
    assert not done.diagnosis.trusted
    np.testing.assert_array_equal(mended(done), X)
    return done


def test_yes_and_no():
    X = (np.random.default_rng(0).random((300, 8)) < 0.2).astype(float)
    done = unchanged(X)
    assert done.n_flagged == 0
    assert done.diagnosis.verdict == "no structure"
    assert set(done.kinds) == {"codes"}


def test_answers_on_a_scale():
    """Likert scales that agree with one another, as they do in a questionnaire."""
    rng = np.random.default_rng(0)
    mood = rng.normal(size=(200, 1))
    X = np.clip(np.round(3 + mood + rng.normal(size=(200, 10))), 1, 5)
    assert unchanged(X).n_flagged == 0


def test_nearly_one_value():
    X = np.full((60, 6), 5.0)
    X[10, 2] = 500
    unchanged(X)


def test_three_rows_with_an_error():
    X = np.outer([1.0, 2, 3], [2.0, 3, 5, 7, 11])
    X[1, 3] *= 100
    unchanged(X)


def test_two_rows_and_two_columns():
    unchanged(np.array([[1.0, 2], [3, 400]]))


@pytest.mark.parametrize("seed", range(3))
def test_of_two_columns_neither_knows(seed):
    """Where two cells do not go together, either may be wrong: both stay."""
    rng = np.random.default_rng(seed)
    x = rng.normal(10, 2, 200)
    X = np.stack([x, 3 * x + rng.normal(0, 0.3, 200)], axis=1)
    true = X.copy()
    X[7, 0] += 5
    X[50, 1] -= 12
    done = judged(X)
    changed = mended(done) != X
    assert changed.sum() == 0
    X = true.copy()
    X[7, 0] = 900
    assert np.argwhere(mended(judged(X)) != X).tolist() in ([], [[7, 0]])


DRAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "lognormal": lambda rng, shape: rng.lognormal(size=shape),
    "pareto": lambda rng, shape: rng.pareto(1.5, shape),
    "cauchy": lambda rng, shape: rng.standard_cauchy(shape),
    "poisson": lambda rng, shape: rng.poisson(30, shape),
}


@pytest.mark.parametrize("n", [30, 100, 400, 3000])
@pytest.mark.parametrize("draw", DRAWS)
def test_columns_that_have_nothing_to_do_with_each_other(draw, n):
    X = DRAWS[draw](np.random.default_rng(n), (n, 8)).astype(float)
    done = judged(X)
    assert done.n_replaced <= HARMLESS * X.size
    assert not done.diagnosis.trusted, done.diagnosis


def test_counts_that_go_together():
    rng = np.random.default_rng(0)
    X = rng.poisson(related(300, 8) * 20).astype(float)
    done = judged(X, decimals=[0] * 8)
    assert done.n_replaced <= HARMLESS * X.size


CUSTOMERS = ["age", "income", "fraud", "is_vip", "id", "zip", "joined"]


@pytest.mark.parametrize("seed", range(4))
def test_customers(seed):
    """Flags, a counter, post codes and dates are no measurements, however rare their ones are."""
    rng = np.random.default_rng(seed)
    n = 300
    age = rng.integers(18, 90, n)
    X = np.stack(
        [
            age,
            np.round(rng.lognormal(10, 0.5, n) * (1 + age / 100)),
            rng.random(n) < 0.02,
            rng.random(n) < 0.1,
            1000 + np.arange(n),
            rng.integers(10000, 99999, n),
            20000000
            + 10000 * rng.integers(10, 24, n)
            + 100 * rng.integers(1, 13, n)
            + rng.integers(1, 29, n),
        ],
        axis=1,
    ).astype(float)
    done = judged(X, CUSTOMERS, [0] * 7)
    assert done.kinds[2:] == [
        done.kinds[2],
        "codes",
        "counter",
        "identifiers",
        "dates",
    ]
    assert done.kinds[2] in ("codes", "mostly one value")
    assert set(done.flagged.columns.tolist()) <= {0, 1}
    assert done.n_replaced <= HARMLESS * X.size
    assert any("not judged" in note and "fraud" in note for note in done.notes)


@pytest.mark.parametrize("seed", range(8))
def test_the_spreadsheet_of_the_readme(seed):
    true, typed, wrong, empty = shops(seed)
    done = judged(np.where(empty, np.nan, typed), decimals=SHOP_DECIMALS)
    assert done.diagnosis.verdict == "reliable"
    wrong = wrong & ~empty & (typed != true)
    for mask in (done.mask_block(slice(0, 150)), (mended(done) != typed) & ~empty):
        precision, recall, _ = detection_scores(wrong, mask)
        assert precision >= 0.95
        assert recall >= 0.9
    off = 0.2 * np.median(true, axis=0)
    before = (abs(np.where(empty, 0, typed) - true) > off).sum()
    assert (abs(mended(done) - true) > off).sum() < 0.2 * before


@pytest.mark.parametrize(
    "load", [load_wine, load_breast_cancer, load_iris, lambda: load_diabetes(scaled=False)]
)
def test_real_tables_as_they_are(load):
    X = load().data
    done = judged(X)
    print(f"{100 * done.n_flagged / X.size:.2f} % {100 * done.n_replaced / X.size:.2f} %")
    assert done.n_flagged <= 0.007 * X.size
    assert done.n_replaced <= 0.002 * X.size


def firms(seed, n=400):
    """Sales, profits, assets and market value: every eighth firm makes a loss."""
    rng = np.random.default_rng(seed)
    size = rng.normal(0, 1, (n, 1))
    X = np.exp(size + rng.normal(0, 0.4, (n, 4)) + [1.5, -1.5, 2.0, 1.2])
    loss = rng.random(n) < 0.13
    X[loss, 1] *= -rng.lognormal(0, 1, loss.sum())
    return X.round(2)


@pytest.mark.parametrize("seed", range(3))
def test_losses_are_no_slips_of_the_sign(seed):
    X = firms(seed)
    done = judged(X, ["sales", "profits", "assets", "value"], [2] * 4)
    assert done.n_replaced <= 0.002 * X.size
    assert done.n_flagged <= 0.01 * X.size
    assert done.diagnosis.verdict == "doubtful"
    assert "'profits'" in done.diagnosis.reasons[0]


@pytest.mark.parametrize("seed", range(3))
def test_pots_of_another_clay_are_no_mistakes(seed):
    """One column in which a quarter of the rows is unlike the others."""
    rng = np.random.default_rng(seed)
    X = related(100, 8, seed=seed) / 10 + 5
    X[rng.random(100) < 0.25, 1] -= 4
    done = judged(X)
    assert done.n_replaced <= 0.002 * X.size
    assert done.n_flagged <= 0.01 * X.size


def test_prices_of_a_year_are_no_hanging_sensors():
    rng = np.random.default_rng(0)
    years = np.repeat(np.cumsum(rng.normal(0, 1, (15, 4)), axis=0) + 20, 6, axis=0)
    months = np.cumsum(rng.normal(0, 0.4, (310, 4)), axis=0) + years[-1]
    X = np.vstack([years, months])
    X = np.hstack([X, X[:, :2] + rng.normal(0, 0.2, (400, 2))]).round(2)
    assert judged(X).n_flagged <= 0.007 * X.size
    # A sensor that hangs, in a column that has no yearly prices, is found all the same.
    X[300:308, 4] = X[300, 4]
    assert judged(X).mask_block(slice(301, 308))[:, 4].all()


def dirty(seed=0):
    rng = np.random.default_rng(seed)
    X = related(120, 7, seed=seed)
    wrong = rng.random(X.shape) < 0.02
    return np.where(wrong, X * rng.choice([0.1, 4, 10], X.shape), X)


def test_the_order_of_the_columns_does_not_matter():
    X, order = dirty(), [3, 0, 6, 1, 5, 2, 4]
    one, other = judged(X), judged(X[:, order])
    assert one.n_flagged > 0
    everything = slice(0, len(X))
    np.testing.assert_array_equal(
        one.mask_block(everything)[:, order], other.mask_block(everything)
    )
    np.testing.assert_allclose(mended(one)[:, order], mended(other), rtol=1e-6)


def test_units_do_not_matter():
    X, units = dirty(), np.array([1000, 1, 1, 1e-6, 1, 1e9, 1])
    one, other = judged(X), judged(X * units)
    assert one.n_flagged > 0
    everything = slice(0, len(X))
    np.testing.assert_array_equal(one.mask_block(everything), other.mask_block(everything))
    np.testing.assert_allclose(mended(one) * units, mended(other), rtol=1e-6)


def test_errors_are_found_all_the_same():
    """Doing no harm is easy for who does nothing."""
    X = related(120, 7)
    X[5, 2] *= 10
    X[60, 0] = 999
    X[100, 6] *= -1
    true = related(120, 7)
    done = judged(X)
    wrong = {(int(i), int(j)) for i, j in np.argwhere(true != X)}
    assert {(c.row, c.column) for c in done.cells if c.replaced} == wrong
    assert abs(mended(done) - true).max() < 0.1 * true.max()
