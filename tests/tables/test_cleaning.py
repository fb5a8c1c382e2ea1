import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from conftest import low_rank
from robustnmf.metrics import detection_scores
from robustnmf.tables import Settings, TableError, clean_table
from robustnmf.tables.arrays import ArrayTable
from robustnmf.tables.cleaning import noise_matrix
from robustnmf.tables.outputs import as_record
from robustnmf.tables.prepare import prepared

ALL = slice(0, 200)
TWO = Settings(n_components=2)


@pytest.fixture
def clean():
    """Two parts, a little even noise, columns in units from 0.001 to 1000."""
    data = low_rank(200, 12, 2) * np.random.default_rng(0).normal(1, 0.03, (200, 12))
    return data * 10.0 ** np.linspace(-3, 3, 12)


def spoiled(clean, share=0.02):
    rng = np.random.default_rng(1)
    wrong = rng.random(clean.shape) < share
    return np.where(wrong, clean * rng.choice([0.05, 20, 1000], clean.shape), clean), wrong


def test_wrong_cells_are_found_and_mended(clean):
    dirty, wrong = spoiled(clean)
    done = clean_table(ArrayTable(dirty), TWO)
    found = done.mask(ALL)
    usual = np.median(clean, axis=0)
    # A cell of nearly nothing that became a twentieth of it is not wrong by much.
    clear = wrong & (abs(dirty - clean) > 0.2 * usual)
    assert (found & clear).sum() >= 0.9 * clear.sum()
    assert (found & ~wrong).sum() <= 0.005 * wrong.size
    where, values = done.block(ALL)
    mended = np.where(where, values, dirty)
    before, after = (np.sqrt(np.mean(((d - clean) / usual) ** 2)) for d in (dirty, mended))
    assert after < 0.02 * before
    np.testing.assert_array_equal(mended[~found], dirty[~found])


@pytest.mark.parametrize("load", [load_wine, load_breast_cancer])
def test_real_tables(load):
    """Columns in different units that are only roughly made of parts, as tables are.

    With ``-s`` this prints the figures of docs/tables.md.
    """
    clean = load().data
    scores = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        wrong = (rng.random(clean.shape) < 0.02) & (clean > 0)
        dirty = np.where(wrong, clean * rng.choice([0.1, 10, 100], clean.shape), clean)
        found = clean_table(ArrayTable(dirty)).mask(slice(0, len(clean)))
        scores.append(detection_scores(wrong, found))
    precision, recall, _ = np.mean(scores, axis=0)
    # As they are, they have their own odd cells, but few.
    odd = clean_table(ArrayTable(clean)).n_corrupt / clean.size
    print(f"{load.__name__}: precision {precision:.2f}, recall {recall:.2f}, odd {100 * odd:.1f} %")
    assert precision > 0.8
    assert recall > 0.8
    assert odd < 0.02


def test_all_that_is_told_goes_together(clean):
    dirty, _ = spoiled(clean)
    done = clean_table(ArrayTable(dirty), TWO)
    mask = done.mask(ALL)
    assert done.n_corrupt == mask.sum() > 0
    np.testing.assert_array_equal(done.by_row, mask.sum(axis=1))
    np.testing.assert_array_equal(done.by_column, mask.sum(axis=0))
    noise = noise_matrix(done).toarray()
    np.testing.assert_array_equal(noise != 0, mask)
    np.testing.assert_allclose(noise, done.noise(ALL))
    np.testing.assert_allclose(
        np.where(mask, dirty - noise, 0), np.where(mask, done.expected(ALL), 0)
    )
    np.testing.assert_allclose(done.weights @ done.parts, done.expected(ALL))
    off = [abs(c.value - c.expected) / done.units.scale[c.column] for c in done.worst]
    assert off == sorted(off, reverse=True)
    assert off[0] == pytest.approx(np.max(abs(noise) / done.units.scale))
    record = as_record(done)
    assert record["corrupt"] == mask.sum()
    assert sum(record["corrupt_by_column"].values()) == mask.sum()


def test_blocks_change_nothing(clean, monkeypatch):
    dirty, _ = spoiled(clean)
    whole = clean_table(ArrayTable(dirty), TWO)
    monkeypatch.setattr("robustnmf.tables.table.BLOCK_BYTES", 1000)
    monkeypatch.setattr("robustnmf.tables.prepare.IN_MEMORY_BYTES", 1000)
    table = ArrayTable(dirty)
    assert len(list(table.blocks())) > 10
    cut = clean_table(table, TWO)
    assert whole.worst == cut.worst
    assert whole.n_corrupt == cut.n_corrupt
    np.testing.assert_array_equal(whole.expected(ALL), cut.expected(ALL))


def test_large_tables_are_learned_from_some_rows_and_judged_in_all(clean, monkeypatch):
    dirty, wrong = spoiled(np.tile(clean, (3, 1)))
    monkeypatch.setattr("robustnmf.tables.fitting.LEARN_BYTES", 20_000)
    monkeypatch.setattr("robustnmf.tables.fitting.JUDGE_BYTES", 5_000)
    done = clean_table(ArrayTable(dirty), TWO)
    assert "the parts were learned from 200 of 600 rows" in done.notes
    assert done.weights.shape == (600, 2)
    found = done.mask(slice(0, 600))
    clear = wrong & (abs(dirty - np.tile(clean, (3, 1))) > 0.2 * np.median(clean, axis=0))
    assert (found & clear).sum() >= 0.9 * clear.sum()
    assert (found & ~wrong).sum() <= 0.005 * wrong.size


def test_the_same_seed_gives_the_same_answer(clean):
    dirty, _ = spoiled(clean)
    first, second = (clean_table(ArrayTable(dirty), TWO) for _ in range(2))
    np.testing.assert_array_equal(first.expected(ALL), second.expected(ALL))


def test_clean_data_are_left_alone(clean):
    assert clean_table(ArrayTable(clean), TWO).n_corrupt <= 0.002 * clean.size


def test_missing_cells_and_rows(clean):
    gaps = clean.copy()
    gaps[3, 4] = np.nan
    gaps[9] = np.nan
    done = clean_table(ArrayTable(gaps), TWO)
    assert done.n_missing == 13
    where, values = done.block(ALL)
    assert where[3, 4]
    assert values[3, 4] == pytest.approx(clean[3, 4], rel=0.15)
    # Of a row without any number nothing is known.
    assert not where[9].any()
    assert "1 rows without any number" in done.notes[0]
    kept = clean_table(ArrayTable(gaps), Settings(n_components=2, fill_missing=False))
    assert not kept.block(ALL)[0][3, 4]


def test_negative_columns_can_be_shifted(clean):
    shifted = clean.copy()
    shifted[:, 2] -= 2 * np.median(clean[:, 2])
    with pytest.raises(TableError, match="column 'column 3' of row 1 is negative"):
        clean_table(ArrayTable(shifted), TWO)
    with prepared(ArrayTable(shifted), negative="shift") as data:
        assert data.X.min() >= 0
        np.testing.assert_allclose(data.units.back(data.X), shifted, atol=1e-9)
    with prepared(ArrayTable(shifted), negative="missing") as data:
        np.testing.assert_array_equal(np.isnan(data.X), shifted < 0)


def test_units_are_brought_together_where_they_differ(clean):
    with prepared(ArrayTable(clean)) as data:
        np.testing.assert_allclose(np.median(data.X, axis=0), 1)
    alike = clean / np.median(clean, axis=0)
    with prepared(ArrayTable(alike)) as data:
        np.testing.assert_array_equal(data.X, alike)
    with prepared(ArrayTable(alike), scale="columns") as data:
        np.testing.assert_allclose(np.median(data.X, axis=0), 1)
    with prepared(ArrayTable(clean), scale="none") as data:
        np.testing.assert_array_equal(data.X, clean)


def test_a_price_can_be_given(clean):
    dirty, _ = spoiled(clean)
    done = clean_table(ArrayTable(dirty), Settings(n_components=2, lam=0.5))
    assert done.model.lam_ == 0.5
    done = clean_table(ArrayTable(dirty), Settings(n_components=2, lam=0.5, noise="squared_l0"))
    assert done.model.noise == "squared_l0"


def test_a_fit_that_does_not_settle_is_told(clean):
    done = clean_table(ArrayTable(clean), Settings(n_components=2, lam=0.1, max_iter=2))
    assert any("--max-iter" in note for note in done.notes)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.ones((1, 5)), "1 rows and 5 columns"),
        (np.ones((5, 1)), "5 rows and 1 columns"),
        (np.full((3, 3), np.nan), "every cell is missing"),
        (np.array([[1, np.nan], [2, np.nan]]), "'column 2' has no value"),
        (np.array([[1, np.inf], [2, 3]]), "'column 2' of row 1 is infinite"),
    ],
)
def test_what_cannot_be_cleaned_is_told(data, message):
    with pytest.raises(TableError, match=message):
        clean_table(ArrayTable(data), Settings(n_components=1))
