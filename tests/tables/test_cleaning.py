import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from conftest import low_rank
from robustnmf import TrustWarning
from robustnmf._tables.arrays import ArrayTable
from robustnmf._tables.by_witnesses import SampleSettings
from robustnmf._tables.fitting import PartsSettings
from robustnmf._tables.outputs import as_record
from robustnmf._tables.prepare import prepared
from robustnmf.metrics import detection_scores
from robustnmf.tables import TableError, clean_table
from sheets import mended

ALL = slice(0, 200)
PARTS = {"n_components": 2, "lam": 0.1}


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
    done = clean_table(ArrayTable(dirty))
    assert done.diagnosis.verdict == "reliable"
    found = done.mask_block(ALL)
    usual = np.median(clean, axis=0)
    # A cell of nearly nothing that became a twentieth of it is not wrong by much.
    clear = wrong & (abs(dirty - clean) > 0.2 * usual)
    assert (found & clear).sum() >= 0.9 * clear.sum()
    assert (found & ~wrong).sum() <= 0.005 * wrong.size
    new = mended(done)
    before, after = (np.sqrt(np.mean(((d - clean) / usual) ** 2)) for d in (dirty, new))
    assert after < 0.02 * before
    np.testing.assert_array_equal(new[~found], dirty[~found])


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
        found = clean_table(dirty).mask
        scores.append(detection_scores(wrong, found))
    precision, recall, _ = np.mean(scores, axis=0)
    # As they are, they have their own odd cells, but few.
    as_it_is = clean_table(ArrayTable(clean))
    odd, changed = (100 * n / clean.size for n in (as_it_is.n_flagged, as_it_is.n_replaced))
    print(
        f"{load.__name__}: precision {precision:.2f}, recall {recall:.2f}, "
        f"as it is {odd:.1f} % flagged, {changed:.2f} % replaced"
    )
    assert precision > 0.8
    assert recall > 0.8
    assert odd < 0.7
    assert changed < 0.2


@pytest.mark.parametrize("settings", [{}, PARTS], ids=["cells", "parts"])
def test_all_that_is_told_goes_together(clean, settings):
    dirty, _ = spoiled(clean)
    done = clean_table(ArrayTable(dirty), **settings)
    mask = done.mask_block(ALL)
    assert done.n_flagged == mask.sum() > 0
    np.testing.assert_array_equal(done.by_row, mask.sum(axis=1))
    np.testing.assert_array_equal(done.by_column, mask.sum(axis=0))
    noise = done.noise().toarray()
    np.testing.assert_array_equal(noise != 0, mask)
    np.testing.assert_allclose(noise, done.noise_block(ALL))
    cells = done.cells
    assert sorted((c.row, c.column) for c in cells) == list(map(tuple, np.argwhere(mask).tolist()))
    for cell in cells:
        assert cell.value == dirty[cell.row, cell.column]
        assert cell.value - cell.expected == pytest.approx(noise[cell.row, cell.column])
        assert 0.5 < cell.probability <= 1
    # What is replaced comes first, and what is surest before the rest.
    order = [(not c.replaced, -round(c.probability, 3)) for c in cells]
    assert order == sorted(order)
    where, values = done.block(ALL)
    assert done.n_replaced == where.sum() > 0
    np.testing.assert_allclose(values[where], (dirty - noise)[where])
    record = as_record(done)
    assert record["flagged"] == mask.sum()
    assert record["replaced"] == where.sum()
    assert sum(record["flagged_by_column"].values()) == mask.sum()
    assert len(record["changes"]) == mask.sum()
    assert record["verdict"] == done.diagnosis.verdict


def test_parts_are_learned_from_what_is_not_flagged(clean):
    dirty, _ = spoiled(clean)
    done = clean_table(ArrayTable(dirty), n_components=2)
    assert done.parts is None
    parts = done.learned_parts()
    assert parts is done.learned_parts()
    error = abs(parts.weights @ parts.components - clean) / np.median(clean, axis=0)
    assert np.median(error) < 0.05
    assert np.quantile(error, 0.99) < 0.5


@pytest.mark.parametrize("settings", [{}, PARTS], ids=["cells", "parts"])
def test_blocks_change_nothing(clean, monkeypatch, settings):
    dirty, _ = spoiled(clean)
    dirty[90:130, 3] = dirty[90, 3]
    whole = clean_table(ArrayTable(dirty), **settings)
    monkeypatch.setattr("robustnmf._tables.table.READ_BYTES", 1000)
    monkeypatch.setattr("robustnmf._tables.prepare.IN_MEMORY_BYTES", 1000)
    table = ArrayTable(dirty)
    assert len(list(table.blocks())) > 10
    cut = clean_table(table, **settings)
    assert whole.diagnosis == cut.diagnosis
    for name in ("rows", "columns", "reasons", "replaced", "values"):
        np.testing.assert_array_equal(getattr(whole.flagged, name), getattr(cut.flagged, name))
    # Sums over rows are rounded by the size of the block.
    np.testing.assert_allclose(mended(whole), mended(cut), rtol=1e-9)


def test_large_tables_are_learned_from_some_rows_and_judged_in_all(clean, monkeypatch):
    true = np.tile(clean, (3, 1))
    dirty, wrong = spoiled(true)
    few = SampleSettings(cells=3000, rows=256)
    monkeypatch.setattr("robustnmf._tables.by_witnesses.SAMPLE", few)
    done = clean_table(ArrayTable(dirty))
    assert "learned from 256 of 600 rows; all were judged" in done.notes
    found = done.mask_block(slice(0, 600))
    clear = wrong & (abs(dirty - true) > 0.2 * np.median(clean, axis=0))
    assert (found & clear).sum() >= 0.9 * clear.sum()
    assert (found & ~wrong).sum() <= 0.005 * wrong.size


def test_parts_of_large_tables_are_learned_from_some_rows(clean, monkeypatch):
    dirty, _ = spoiled(np.tile(clean, (3, 1)))
    few = PartsSettings(learn_bytes=20_000)
    monkeypatch.setattr("robustnmf._tables.fitting.PARTS", few)
    done = clean_table(ArrayTable(dirty), n_components="auto", lam=0.1)
    assert "the parts were learned from 200 of 600 rows" in done.notes
    assert len(done.parts.weights) == 600


def test_the_same_seed_gives_the_same_answer(clean):
    dirty, _ = spoiled(clean)
    first, second = (clean_table(ArrayTable(dirty)) for _ in range(2))
    assert first.cells == second.cells
    np.testing.assert_array_equal(mended(first), mended(second))


def test_clean_data_are_left_alone(clean):
    done = clean_table(ArrayTable(clean))
    assert done.n_flagged <= 0.002 * clean.size
    assert done.n_replaced == 0


@pytest.mark.parametrize("settings", [{}, PARTS], ids=["cells", "parts"])
def test_missing_cells_and_rows(clean, settings):
    gaps = clean.copy()
    gaps[3, 4] = np.nan
    gaps[9] = np.nan
    done = clean_table(ArrayTable(gaps), **settings)
    assert done.n_missing == 13
    assert done.n_filled == 1
    where, values = done.block(ALL)
    assert where[3, 4]
    assert values[3, 4] == pytest.approx(clean[3, 4], rel=0.15)
    # Of a row without any number nothing is known.
    assert not where[9].any()
    assert "1 rows without any number" in done.notes[0]
    kept = clean_table(ArrayTable(gaps), **settings, fill_missing=False)
    assert not kept.block(ALL)[0][3, 4]
    assert kept.n_filled == 0


def test_a_negative_cell_is_judged_like_any_other(clean):
    dirty = clean.copy()
    dirty[5, 3] *= -1
    done = clean_table(ArrayTable(dirty))
    assert [(c.row, c.column, c.replaced) for c in done.cells] == [(5, 3, True)]
    assert done.cells[0].expected == clean[5, 3]
    assert "sign" in done.cells[0].reason
    # A column may hold negative numbers by right.
    shifted = clean - 2 * np.median(clean, axis=0) * (np.arange(12) == 2)
    assert clean_table(ArrayTable(shifted)).n_flagged <= 0.002 * clean.size


@pytest.mark.parametrize("settings", [{"negative": "refuse"}, PARTS])
def test_negative_cells_can_be_refused(clean, settings):
    shifted = clean.copy()
    shifted[:, 2] -= 2 * np.median(clean[:, 2])
    with pytest.raises(TableError, match="column 'column 3' of row 1 is negative"):
        clean_table(ArrayTable(shifted), **settings)


def test_negative_cells_can_be_called_wrong(clean):
    dirty = clean.copy()
    dirty[[5, 60], [3, 7]] *= -1
    done = clean_table(ArrayTable(dirty), negative="missing")
    cells = [c for c in done.cells if c.value < 0]
    assert sorted((c.row, c.column) for c in cells) == [(5, 3), (60, 7)]
    for cell in cells:
        assert cell.replaced
        assert cell.probability == 1
        assert "negative" in cell.reason
        usual = np.median(clean[:, cell.column])
        assert abs(cell.expected - clean[cell.row, cell.column]) < 0.2 * usual


def test_columns_can_be_shifted_for_the_parts(clean):
    shifted = clean.copy()
    shifted[:, 2] -= 2 * np.median(clean[:, 2])
    with prepared(ArrayTable(shifted), negative="shift") as data:
        assert data.X.min() >= 0
        np.testing.assert_allclose(data.scaling.back(data.X), shifted, atol=1e-9)
    with prepared(ArrayTable(shifted), negative="missing") as data:
        np.testing.assert_array_equal(np.isnan(data.X), shifted < 0)


def test_in_doubt_cells_are_flagged_and_not_replaced():
    """Twelve rows: the giant is beyond doubt, but what else is odd is only told."""
    rng = np.random.default_rng(0)
    X = np.outer(rng.gamma(3, 1, 14), [1.0, 2, 3, 4, 5]) * rng.normal(1, 0.05, (14, 5))
    with pytest.warns(TrustWarning, match="only 14 rows"):
        done = clean_table(ArrayTable(X))
    assert done.diagnosis.verdict == "doubtful"
    assert all(cell.probability >= 0.99 for cell in done.cells if cell.replaced)


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
    done = clean_table(ArrayTable(dirty), n_components=2, lam=0.5)
    assert done.parts.model.lam_ == 0.5
    assert all(cell.replaced for cell in done.cells)
    assert all("no mixture of the parts" in cell.reason for cell in done.cells)
    done = clean_table(ArrayTable(dirty), n_components=2, lam=0.5, penalty="squared_l0")
    assert done.parts.model.penalty == "squared_l0"


def test_a_fit_that_does_not_settle_is_told(clean):
    done = clean_table(ArrayTable(clean), n_components=2, lam=0.1, max_iter=2)
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
        clean_table(ArrayTable(data), n_components=1)
