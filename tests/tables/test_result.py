"""What `clean_table` returns, of a file: its data, and what it can write."""

import json
import subprocess
import sys

import numpy as np
import pytest

from robustnmf._tables.repaired import RepairedTable
from robustnmf.tables import TableError, clean_table, read_table, write_table
from sheets import related

ROWS = slice(0, 80)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    X = related()
    X[3, 2] *= 100
    lines = [",".join(["who", *"abcdef"])]
    lines += [f"r{i}," + ",".join(f"{x:.3f}" for x in row) for i, row in enumerate(X)]
    lines[9] = lines[9].rpartition(",")[0] + ","
    (folder / "a.csv").write_text("\n".join(lines) + "\n")
    return folder


@pytest.fixture(scope="module")
def result(folder):
    return clean_table(folder / "a.csv")


def test_a_file_may_be_named_in_two_ways(folder, result):
    named = clean_table(str(folder / "a.csv"))
    assert named.cells == result.cells
    assert named.table.file == "a.csv"
    write_table(named.data, str(folder / "named.csv"))
    write_table(result.data, folder / "path.csv")
    assert (folder / "named.csv").read_bytes() == (folder / "path.csv").read_bytes()
    again = read_table(str(folder / "named.csv"))
    np.testing.assert_array_equal(again.block(ROWS), result.data.block(ROWS))


def test_the_data_of_a_file_are_a_table(folder, result):
    before = result.table.block(ROWS)
    after = result.data.block(ROWS)
    changed = (before != after) & ~np.isnan(before)
    assert np.argwhere(changed).tolist() == [[3, 2]]
    assert np.isnan(before).sum() == 1
    assert not np.isnan(after).any()
    for name in ("shape", "columns", "dtype", "carried", "labels", "kind", "file", "notes"):
        assert getattr(result.data, name) == getattr(result.table, name)
    assert result.data.row_name(3) == "r3"
    with pytest.raises(TableError, match="chosen already"):
        clean_table(result.data, ignore="a")
    # Another format, and what is repaired already.
    write_table(result.data, folder / "b.parquet")
    np.testing.assert_array_equal(read_table(folder / "b.parquet").block(ROWS), after)
    assert clean_table(result.data).n_replaced == 0


def test_repairs_can_be_repaired(folder, result, given):
    twice = RepairedTable(result.data, given(result.table, {(3, 2): 5.5, (0, 0): 1.25}))
    expected = result.data.block(ROWS)
    expected[3, 2], expected[0, 0] = 5.5, 1.25
    np.testing.assert_array_equal(twice.block(ROWS), expected)
    for name in ("c.csv", "c.parquet"):
        write_table(twice, folder / name)
        np.testing.assert_array_equal(read_table(folder / name).block(ROWS), expected)


def test_the_mask_and_the_changes_of_a_file(result):
    assert np.argwhere(result.mask).tolist() == [[3, 2]]
    listed = [(change["row"], change["column"]) for change in result.changes]
    assert listed == [(3, "c"), (8, "f")]
    assert result.changes["reason"].tolist() == ["unlike the rest of its row", "was missing"]
    assert result.changes["replaced"].tolist() == [True, True]
    assert np.isnan(result.changes["value"][1])
    np.testing.assert_array_equal(result.noise().toarray() != 0, result.mask)


def test_a_result_in_words(result):
    assert str(result) == "1 of 480 cells replaced, 0 more flagged; reliable"
    assert repr(result) == f"<CleaningResult: {result}>"


def test_all_that_is_known_can_be_written(folder, result):
    result.write_changes(str(folder / "changes.csv"))
    assert (folder / "changes.csv").read_text().splitlines()[1].startswith("r3,4,c,")
    result.write_changes(folder / "changes.json")
    listed = json.loads((folder / "changes.json").read_text())
    assert [change["old"] for change in listed][1] is None
    assert [change["new"] for change in listed] == result.changes["expected"].tolist()
    result.write_mask(folder / "mask.csv")
    mask = np.genfromtxt(folder / "mask.csv", delimiter=",", skip_header=1)[:, 1:]
    np.testing.assert_array_equal(mask, result.mask)
    result.write_noise(str(folder / "noise.npy"))
    np.testing.assert_array_equal(np.load(folder / "noise.npy"), result.noise().toarray())
    result.write_parts(folder / "parts.npy")
    result.write_weights(folder / "weights.npy")
    W, H = np.load(folder / "weights.npy"), np.load(folder / "parts.npy")
    assert (W @ H).shape == result.table.shape
    result.write_report(str(folder / "report.html"), "a command")
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert page == result.report("a command")
    for words in ("wrong with a.csv", "1 of 480 cells", "unlike the rest of its row", "a command"):
        assert words in page


def test_frames_cannot_be_written_as_tables(tmp_path):
    with pytest.raises(TypeError, match="table must be a Table, as read_table returns it; got nd"):
        write_table(np.ones((3, 3)), tmp_path / "a.csv")


def test_the_settings_load_no_numerics():
    """The help of the command line shows them, and must not wait."""
    code = (
        "import sys, robustnmf.cli.clean, robustnmf.tables;"
        "print([m for m in ('numpy', 'scipy', 'sklearn', 'pandas') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
