"""What was learned of one table judges the rows of others, each by itself."""

import contextlib
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from robustnmf import RobustNMF, TrustWarning
from robustnmf.tables import TableError, TableModel, clean_table, read_table, write_table
from saved_files import array_of, mutated, put_together, taken_apart
from sheets import shops

NAMES = [f"c{j}" for j in range(28)]


def sales(seed=0):
    """The sales of many shops as a frame, with words, and which cells of it are wrong."""
    _, typed, wrong, empty = shops(seed)
    frame = pd.DataFrame(np.where(empty, np.nan, typed), columns=NAMES)
    frame.insert(0, "shop", [f"shop {i}" for i in range(len(frame))])
    return frame, np.hstack([np.zeros((len(frame), 1), bool), wrong])


@pytest.fixture(scope="module", params=["auto", 0.1])
def learned(request, tmp_path_factory):
    """Models of both kinds, and their files."""
    path = tmp_path_factory.mktemp("models") / "m.robustnmf"
    clean_table(sales()[0][:100], lam=request.param, save_model=path)
    return TableModel.load(path), path


def test_new_rows_are_judged_by_what_was_learned(tmp_path):
    frame, wrong = sales()
    clean_table(frame[:100], save_model=tmp_path / "m")
    result = clean_table(frame[100:], model=tmp_path / "m")
    assert_array_equal(result.mask.to_numpy(), wrong[100:])
    assert result.diagnosis.trusted
    assert result.data.isna().sum().sum() == 0
    assert "judged by what was learned from 100 other rows" in " ".join(result.notes)


def test_the_verdict_on_a_row_does_not_depend_on_the_others(learned):
    model, path = learned
    new = sales()[0][100:]
    together = clean_table(new, model=model)
    again = clean_table(new[::-1], model=path)
    assert_array_equal(again.mask.to_numpy()[::-1], together.mask.to_numpy())
    pd.testing.assert_frame_equal(again.data[::-1], together.data)
    for i in (0, 7, 8, 49):
        alone = clean_table(new[i : i + 1], model=model)
        pd.testing.assert_frame_equal(alone.data, together.data[i : i + 1])


def test_what_is_loaded_judges_as_what_was_saved(learned, tmp_path):
    model, _ = learned
    model.save(tmp_path / "again")
    again = TableModel.load(tmp_path / "again")
    new = sales()[0][100:]
    assert (tmp_path / "again").read_bytes() == learned[1].read_bytes()
    one, other = (clean_table(new, model=m).changes for m in (model, again))
    pd.testing.assert_frame_equal(one, other)


def test_to_save_a_model_changes_nothing_of_the_result(tmp_path):
    frame, _ = sales()
    pd.testing.assert_frame_equal(
        clean_table(frame, save_model=tmp_path / "m").changes, clean_table(frame).changes
    )


def test_rows_beside_one_another_say_nothing_of_new_rows(tmp_path):
    """Series and hanging sensors are seen in a whole table; of a row alone nobody can tell."""
    rng = np.random.default_rng(0)
    walk = np.cumsum(rng.normal(size=(400, 1)), axis=0) + 50
    X = np.hstack([walk + rng.normal(0, 0.2, (400, 3)), rng.normal(size=(400, 2))]).round(2)
    clean_table(X, save_model=tmp_path / "m")
    model = TableModel.load(tmp_path / "m")
    assert len(model.judge.learned.witness.series) == 0
    hung = X[:20].copy()
    hung[5:15, 1] = hung[5, 1]
    found = clean_table(hung, model=model)
    alone = [clean_table(hung[i : i + 1], model=model).mask[0] for i in range(20)]
    assert_array_equal(found.mask, alone)


def test_columns_are_found_by_their_names(learned):
    model, _ = learned
    new = sales()[0][100:120]
    straight = clean_table(new, model=model)
    shuffled = new[[*reversed(NAMES), "shop"]].assign(more=1.5, note="x")
    result = clean_table(shuffled, model=model)
    pd.testing.assert_frame_equal(result.data[NAMES], straight.data[NAMES])
    pd.testing.assert_series_equal(result.data["more"], shuffled["more"])
    assert "the model knows nothing of them: more, note" in " ".join(result.notes)
    with pytest.raises(TableError, match="no column 'c3', which the model was learned from"):
        clean_table(new.drop(columns="c3"), model=model)
    with pytest.raises(TableError, match="column 'c3' does not hold numbers only"):
        clean_table(new.assign(c3="many"), model=model)


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "parquet"])
def test_a_column_without_any_value_is_filled_in_files(suffix, learned, tmp_path):
    model, _ = learned
    new = sales()[0][100:102]
    empty = new.assign(c13=np.nan)
    path = tmp_path / f"new.{suffix}"
    getattr(empty, f"to_{'excel' if suffix == 'xlsx' else suffix}")(path, index=False)
    write_table(clean_table(path, model=model).data, tmp_path / f"clean.{suffix}")
    frame = clean_table(new.assign(c13=np.nan), model=model)
    found = read_table(tmp_path / f"clean.{suffix}")
    assert_array_equal(found.block(slice(0, 2))[:, 13], frame.data["c13"])
    assert (frame.data["c13"] > 0).all()


def test_a_table_without_any_number_is_none(learned):
    new = sales()[0][100:101].assign(**dict.fromkeys(NAMES, np.nan))
    with pytest.raises(TableError, match="no column holds numbers"):
        clean_table(new, model=learned[0])


def test_files_and_arrays_are_judged_too(tmp_path):
    frame, wrong = sales()
    frame[:100].to_csv(tmp_path / "old.csv", index=False)
    frame[100:].to_csv(tmp_path / "new.csv", index=False)
    first = clean_table(tmp_path / "old.csv", save_model=tmp_path / "m")
    result = clean_table(tmp_path / "new.csv", model=tmp_path / "m")
    assert_array_equal(result.mask, wrong[100:, 1:])
    write_table(result.data, tmp_path / "clean.csv")
    assert read_table(tmp_path / "clean.csv").shape == (50, 28)
    # To learn from what is clean already.
    clean_table(first.data, save_model=tmp_path / "m2")
    assert clean_table(tmp_path / "new.csv", model=tmp_path / "m2").n_flagged == wrong[100:].sum()
    X = frame[NAMES].to_numpy()
    clean_table(X[:100], save_model=tmp_path / "m3")
    assert_array_equal(clean_table(X[100:], model=tmp_path / "m3").mask, wrong[100:, 1:])


@pytest.mark.parametrize("lam", ["auto", 0.1])
def test_negative_cells_that_are_wrong_are_so_in_new_rows(lam, tmp_path):
    frame, _ = sales()
    clean_table(frame[:100], lam=lam, negative="missing", save_model=tmp_path / "m")
    new = frame[100:110].assign(c0=-5.0)
    result = clean_table(new, model=tmp_path / "m")
    assert result.mask["c0"].all()
    assert (result.data["c0"] > 0).all()


def test_a_model_that_is_not_to_be_trusted_says_so(tmp_path):
    noise = np.random.default_rng(0).normal(size=(60, 5))
    with pytest.warns(TrustWarning, match="no structure"):
        clean_table(noise, save_model=tmp_path / "m")
    with pytest.warns(TrustWarning, match="no structure"):
        result = clean_table(noise[:3] * [1, 1, 1, 1, 30], model=tmp_path / "m")
    assert result.n_replaced == 0


def test_what_makes_no_sense_is_refused(learned, tmp_path):
    model, path = learned
    frame, _ = sales()
    for more in ({"lam": 0.04}, {"use": "c1"}, {"save_model": "x"}, {"negative": "shift"}):
        with pytest.raises(ValueError, match=f"model says how .* leave out {next(iter(more))}"):
            clean_table(frame, model=model, **more)
    assert clean_table(frame[100:], model=model, fill_missing=False).data.isna().any().any()
    with pytest.raises(TableError, match="is infinite"):
        clean_table(frame.assign(c3=np.inf), model=model)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        clean_table(frame, save_model=tmp_path / "nowhere" / "m")
    with pytest.raises(TypeError, match="path must be the name of a file"):
        clean_table(frame, model=7)
    with pytest.raises(ValueError, match="which is no estimator"):
        RobustNMF.load(path)
    RobustNMF(2, random_state=0).fit(np.random.default_rng(0).random((20, 5))).save(tmp_path / "r")
    with pytest.raises(ValueError, match="it is no model of a table"):
        clean_table(frame, model=tmp_path / "r")
    codes = np.tile([[1, 2], [2, 1]], (40, 1))
    with pytest.raises(TableError, match="there is no model to save"):
        clean_table(codes, save_model=tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("lam", ["auto", 0.1])
def test_hostile_files_are_refused(lam, tmp_path):
    """Some hundred changed files, the same ones each time."""
    rng, path = random.Random(0), tmp_path / "m"
    frame, _ = sales()
    clean_table(frame[NAMES[:6]], lam=lam, save_model=path)
    raw, said = path.read_bytes(), []
    for _ in range(400):
        path.write_bytes(mutated(raw, rng))
        try:
            model = TableModel.load(path)
        except ValueError as error:
            said.append(str(error))
            continue
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            with contextlib.suppress(ValueError, np.linalg.LinAlgError):
                clean_table(frame[:3], model=model)
    assert len(said) > 250
    assert all(message.startswith("cannot load ") for message in said)


def test_a_covariance_that_is_none_is_refused(tmp_path):
    path = tmp_path / "m"
    clean_table(sales()[0][NAMES[:6]], save_model=path)
    header, content, data = taken_apart(path.read_bytes())
    array_of(header, data, "judge.learned.witness.models.0.covariance")[0, 0] = -1
    path.write_bytes(put_together(header, content, data))
    with pytest.raises(ValueError, match="its covariance is that of no numbers"):
        TableModel.load(path)
