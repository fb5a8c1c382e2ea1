"""What n_components="auto" promises."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from robustnmf import RobustNMF
from robustnmf._auto.rank import RankPath
from robustnmf._auto.settings import RANK
from robustnmf._common.diagnosis import TrustWarning
from robustnmf.datasets import corrupt


def data(rank, share, noise, seed, shape=(150, 80), kind="salt"):
    rng = np.random.default_rng(seed)
    n, m = shape
    X = rng.gamma(1.0, size=(n, rank)) @ rng.gamma(1.0, size=(rank, m))
    X = np.maximum(X + noise * X.mean() * rng.standard_normal(X.shape), 0)
    return corrupt(X, kind, share, high=float(X.max()), random_state=seed)[0] if share else X


@pytest.mark.parametrize(
    ("rank", "share", "noise"), [(1, 0.0, 0.05), (3, 0.0, 0.0), (5, 0.1, 0.05), (8, 0.15, 0.02)]
)
def test_the_rank_is_found(rank, share, noise):
    X = data(rank, share, noise, seed=rank)
    fitted = RobustNMF("auto", lam="auto", random_state=0).fit(X)
    assert fitted.n_components_ == rank
    assert fitted.components_.shape == (rank, X.shape[1])
    assert fitted.transform(X).shape == (len(X), rank)


@pytest.mark.parametrize("seed", range(5))
def test_an_exact_sum_of_parts_gets_as_many(seed):
    # As in the first example of the README, from other seeds, too: one more component would take
    # the wrong entries of one feature for its own, and put them into good data.
    rng = np.random.default_rng(seed)
    clean = rng.exponential(size=(200, 3)) @ rng.exponential(size=(3, 100))
    X = np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)
    fitted = RobustNMF("auto", lam="auto", random_state=0).fit(X)
    assert fitted.n_components_ == 3
    assert np.abs(fitted.denoise(X) - clean).max() < 1


@pytest.mark.slow
def test_the_rank_is_found_for_most_ranks_and_shares():
    rng = np.random.default_rng(11)
    off = []
    for seed in range(12):
        rank, share = int(rng.integers(3, 21)), float(rng.choice([0, 0.05, 0.1, 0.15]))
        kind = str(rng.choice(["salt", "salt_pepper", "random", "spikes"]))
        X = data(rank, share, float(rng.choice([0.02, 0.05, 0.1])), seed, (160, 100), kind)
        off.append(RobustNMF("auto", lam="auto", random_state=0).fit(X).n_components_ - rank)
    off = np.abs(off)
    print(f"exact in {(off == 0).sum()} of {len(off)}, at most {off.max()} off")
    assert (off == 0).mean() >= 0.9
    assert off.max() <= 2


def test_the_path_can_be_drawn():
    fitted = RobustNMF("auto", lam="auto", random_state=0).fit(data(4, 0.1, 0.05, 0))
    path = fitted.rank_path_
    assert list(path) == ["n_components", "error", "standard_error"]
    assert path["n_components"] == sorted(path["n_components"])
    assert {len(values) for values in path.values()} == {len(path["n_components"])}
    assert len(path["n_components"]) <= RANK.most_fits
    assert fitted.n_components_ in path["n_components"]
    assert np.isfinite(path["error"]).all()
    assert (np.array(path["standard_error"]) >= 0).all()


def test_a_number_for_lam_will_do():
    X = data(4, 0.05, 0.05, 1)
    fitted = RobustNMF("auto", lam=0.04, random_state=0).fit(X)
    assert fitted.n_components_ == 4
    assert not hasattr(fitted, "corruption_")


def test_it_is_repeatable_and_tells_how_it_goes(capsys):
    X = data(3, 0.05, 0.05, 2)
    one, two = (RobustNMF("auto", lam="auto", random_state=5, verbose=v).fit(X) for v in (0, 1))
    assert one.rank_path_ == two.rank_path_
    assert_array_equal(one.components_, two.components_)
    assert "tried n_components=8" in capsys.readouterr().err


@pytest.mark.parametrize("shape", [(2, 40), (40, 2), (6, 6)])
def test_small_data_have_small_answers(shape):
    X = np.random.default_rng(0).random(shape)
    with pytest.warns(TrustWarning, match="too few entries"):
        fitted = RobustNMF("auto", lam="auto", random_state=0).fit(X)
    assert 1 <= fitted.n_components_ <= 2


def test_missing_entries_are_not_hidden_again():
    X = data(3, 0.05, 0.05, 3)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    assert RobustNMF("auto", lam="auto", random_state=0).fit(X).n_components_ == 3


def path_of(levels, noise, **about):
    about = {"rows": np.repeat(np.arange(50), 20), "values": np.ones(1000)} | about
    path = RankPath(**about)
    for k, level in levels.items():
        path.add(k, level * noise)
    return path


NOISE = np.abs(np.random.default_rng(0).standard_normal(1000))


def test_the_least_number_that_is_good_enough_is_chosen():
    path = path_of({1: 9.0, 2: 4.0, 4: 1.0, 5: 1.0001, 8: 1.3}, NOISE)
    assert path.chosen() == 4
    assert path.next(largest=40) == [3]
    path.add(3, 2 * NOISE)
    assert path.next(largest=40) == []
    # A worse fit of the same number does not take the place of a better one.
    assert not path.add(4, 3 * NOISE)
    assert path.add(2, 3.9 * NOISE)


def test_components_that_lower_the_error_by_little_are_not_worth_their_price():
    assert path_of({8: 1.0, 16: 0.99}, NOISE).chosen() == 8
    assert path_of({8: 1.0, 16: 0.9}, NOISE).chosen() == 16


def test_what_no_number_predicts_does_not_hide_what_some_do():
    corrupt = np.arange(1000) % 3 == 0
    levels = {8: 1.0, 16: 0.93}
    path = path_of({}, NOISE)
    for k, level in levels.items():
        path.add(k, np.where(corrupt, 1000.0, level * NOISE))
    assert path.chosen() == path_of(levels, NOISE).chosen() == 16


def test_errors_beyond_the_fourth_digit_need_no_components():
    assert path_of({4: 1e-2, 8: 1e-5, 16: 1e-7}, NOISE).chosen() == 8


def test_where_most_values_are_zero_the_others_say_what_is_usual():
    values = np.where(np.arange(1000) % 10 == 0, 5.0, 0.0)
    path = path_of({}, NOISE, values=values)
    for k, level in {1: 4.0, 2: 1.0}.items():
        path.add(k, np.where(values > 0, level * NOISE, 0.0))
    assert path.chosen() == 2
    assert path.losses()[2].mean() < 0.1


def test_numbers_grow_only_while_that_may_pay():
    assert path_of({8: 2.0, 16: 1.0}, NOISE).next(largest=100)[0] == 32
    assert path_of({16: 2.0, 32: 1.0}, NOISE).next(largest=100) == [48]
    assert 48 not in path_of({16: 1.05, 32: 1.0}, NOISE).next(largest=100)


def test_the_foot_of_a_cliff_is_sought_first():
    """Between 8 and 12 all parts get a component; 16 is better than 12 by chance."""
    path = path_of({4: 9.0, 8: 7.0, 12: 1.2, 16: 1.0, 32: 1.5}, NOISE)
    assert path.next(largest=60) == [10]
    path.add(10, 0.9 * NOISE)
    assert path.next(largest=60) == [9]
    path.add(9, 4 * NOISE)
    assert path.chosen() == 10


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_smooth_spectra_get_the_components_that_their_digits_call_for():
    """Seven bands of which the weakest is a hundredth of the sum, measured to four digits."""
    rng = np.random.default_rng(2)
    x = np.linspace(0, 1, 90)
    bands = np.exp(-((x - rng.uniform(0, 1, size=(7, 1))) ** 2) / 0.03)
    amounts = rng.uniform(0, 4, size=(150, 7)) * np.geomspace(1, 0.05, 7)
    X = 2 + amounts @ bands
    X = X * (1 + 1e-4 * rng.standard_normal(X.shape))
    chosen = RobustNMF("auto", lam="auto", random_state=0).fit(X)
    left = chosen.denoise(X, keep_clean=False) - X
    # Four components leave a hundredth, which is more than the weakest band.
    assert np.linalg.norm(left) <= 5e-4 * np.linalg.norm(X)
    assert chosen.n_components_ <= 16


@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
@pytest.mark.parametrize("kind", ["exponential", "lognormal", "counts"])
def test_noise_has_few_components(kind):
    rng = np.random.default_rng(1)
    shape = (120, 60)
    X = {
        "exponential": lambda: rng.exponential(size=shape),
        "lognormal": lambda: rng.lognormal(size=shape),
        "counts": lambda: rng.poisson(0.3, size=shape).astype(float),
    }[kind]()
    assert RobustNMF("auto", lam="auto", random_state=0).fit(X).n_components_ <= 2
