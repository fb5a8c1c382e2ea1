"""The rivals: each finds what it should find, and leaves the rest."""

import numpy as np
import pytest

from robustnmf_studies.trust.ddc import detect_deviating_cells
from robustnmf_studies.trust.imputer import impute_and_compare
from robustnmf_studies.trust.methods import (
    MATRIX_RIVALS,
    hidden_errors,
    oracle,
    rank_for,
    restore_by_auto,
)
from robustnmf_studies.trust.rivals import DDC, DDC_LOG, FIXED, IMPUTER, IQR, MAD, RIVALS
from robustnmf_studies.trust.scales import scaled

# As in `compute`: what methods warn of is no concern of the study.
pytestmark = pytest.mark.filterwarnings("ignore")


def related(seed=0, n=150):
    """Columns that follow from two hidden ones, over orders of magnitude; a cell is missing."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 6))
    table = np.round(np.exp(3 + hidden + 0.05 * rng.normal(size=hidden.shape)), 3)
    table[7, 2] = np.nan
    return table


@pytest.mark.parametrize("name", RIVALS)
def test_the_shape_of_an_answer(name):
    table = related()
    before = table.copy()
    answer = RIVALS[name](table)
    assert np.array_equal(table, before, equal_nan=True)
    assert answer.mask.shape == answer.restored.shape == table.shape
    assert answer.mask.dtype == bool
    # What is missing is not wrong, and what is not wrong is not changed.
    assert not answer.mask[7, 2]
    assert np.array_equal(answer.restored[~answer.mask], table[~answer.mask], equal_nan=True)
    assert np.isfinite(answer.restored[answer.mask]).all()


@pytest.mark.parametrize("name", [r for r in RIVALS if r != FIXED])
def test_a_cell_beyond_everything_is_found(name):
    table = related()
    table[40, 3] = 1e7
    answer = RIVALS[name](table)
    assert answer.mask[40, 3]
    assert abs(answer.restored[40, 3]) < 1e4


@pytest.mark.parametrize("name", [IMPUTER, DDC_LOG])
def test_a_usual_value_in_the_wrong_row_is_found(name):
    table = related()
    # Of the column, but from the other end of it.
    i = int(np.nanargmin(table[:, 0]))
    table[i, 0] = np.nanmax(table[:, 0])
    answer = RIVALS[name](table)
    assert answer.mask[i, 0]
    # The columns each on their own cannot know.
    assert not RIVALS[IQR](np.log(table)).mask[i, 0] or not RIVALS[MAD](np.log(table)).mask[i, 0]


@pytest.mark.parametrize("find", [detect_deviating_cells, impute_and_compare])
def test_independent_columns_are_left_alone(find):
    Z = scaled(np.random.default_rng(0).normal(size=(300, 5)), logs=False).Z
    mask, _ = find(Z)
    assert mask.mean() < 0.02


def test_ddc_uses_only_columns_that_go_together():
    rng = np.random.default_rng(1)
    a = rng.normal(size=400)
    Z = scaled(np.stack([a, a + 0.1 * rng.normal(size=400), rng.normal(size=400)], 1), logs=False).Z
    _, expected = detect_deviating_cells(Z)
    assert not expected[:, 2].any()
    assert np.corrcoef(expected[:, 0], Z[:, 1])[0, 1] > 0.85


def test_ddc_on_logs_is_another_method():
    table = related()
    assert not np.array_equal(RIVALS[DDC](table).mask, RIVALS[DDC_LOG](table).mask)


def test_scales_go_there_and_back():
    rng = np.random.default_rng(2)
    table = np.column_stack(
        [rng.lognormal(0, 3, 50), rng.normal(0, 5, 50), np.zeros(50), np.append(np.arange(49), -3)]
    )
    table[3, 0] = np.nan
    for logs in (False, True):
        found = scaled(table, logs=logs)
        assert np.allclose(found.back(found.Z), table, equal_nan=True)
        assert np.allclose(np.nanmedian(found.Z, axis=0), 0)
    # A column of both signs is not put on logs.
    assert scaled(table, logs=True).units[1] == 0
    assert scaled(table, logs=True).units[3] > 0


def a_matrix(seed=0):
    rng = np.random.default_rng(seed)
    clean = rng.gamma(1.0, size=(80, 3)) @ rng.gamma(1.0, size=(3, 40))
    wrong = rng.random(clean.shape) < 0.05
    return clean, np.where(wrong, clean + 10 * clean.mean(), clean), wrong


@pytest.mark.parametrize("name", MATRIX_RIVALS)
def test_matrix_methods_find_large_errors(name):
    _, dirty, wrong = a_matrix()
    answer = MATRIX_RIVALS[name](dirty)
    assert (answer.mask & wrong).sum() > 0.5 * wrong.sum()
    assert np.array_equal(answer.restored[~answer.mask], dirty[~answer.mask])


def test_auto_answers_with_what_it_is_sure_of():
    clean, dirty, wrong = a_matrix()
    answer = restore_by_auto(dirty, 3)
    assert (answer.sure & ~wrong).sum() <= 0.02 * wrong.sum()
    assert np.abs(answer.restored - clean).mean() < 0.5 * np.abs(dirty - clean).mean()
    assert answer.fitted.shape == dirty.shape


def test_samples_that_are_bad_as_a_whole_count_with_all_their_entries():
    clean, _, _ = a_matrix()
    dirty = clean.copy()
    dirty[5] = np.random.default_rng(3).uniform(0, 3 * clean.max(), clean.shape[1])
    entries, whole = (restore_by_auto(dirty, 3, whole=whole) for whole in (False, True))
    assert not entries.mask[5].all()
    assert whole.mask[5].all()
    others = np.arange(len(dirty)) != 5
    assert np.array_equal(entries.mask[others], whole.mask[others])


def test_the_oracle_knows():
    clean, dirty, wrong = a_matrix()
    best, told = oracle(dirty, wrong)
    assert best.f1 > 0.95
    assert np.array_equal(told[~wrong], dirty[~wrong])
    assert np.abs(told - clean).mean() < 0.1 * np.abs(dirty - clean).mean()


def test_the_oracle_takes_samples_and_features_without_any_good_entry():
    clean, _, wrong = a_matrix()
    wrong = wrong.copy()
    wrong[3] = True
    wrong[:, 5] = True
    best, told = oracle(np.where(wrong, clean + 100, clean), wrong)
    assert best.f1 > 0.99
    assert np.isfinite(told).all()


def test_hidden_entries_are_predicted():
    clean, _, wrong = a_matrix()
    found = hidden_errors(clean, wrong)
    assert set(found) == {"plain", "refit", "auto", "oracle"}
    # With more components than the data have, nothing holds those of auto at missing entries.
    limits = {"auto": 2 * clean.std()}
    assert all(0 <= value < limits.get(name, clean.std()) for name, value in found.items())


def test_the_rank_is_less_for_small_data():
    assert rank_for(np.zeros((400, 100))) == 10
    assert rank_for(np.zeros((400, 20))) == 5
    assert rank_for(np.zeros((3, 3))) == 1
