"""What `robustnmf clean` writes, on files and on the screen."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from spoiled_csv import PARTS, SIZES, WRONG, assert_mended, clean, lines

pytestmark = pytest.mark.usefixtures("spoiled_folder")


def test_only_the_wrong_cells_change():
    result = clean("t.csv")
    assert result.exit_code == 0, result.output
    assert_mended(Path("t-clean.csv").read_text())
    out = result.stdout
    assert "3 of 240 cells replaced, 0 more flagged" in out
    assert out.splitlines()[-1] == "clean table: t-clean.csv"
    for words in ("n, 10", "c4", "4444"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80


def test_all_that_can_be_written():
    files = ["--mask", "m.csv", "--noise", "e.csv", "--parts", "p.csv", "--weights", "w.csv"]
    result = clean("t.csv", *files, "--report", "r.html", "-k", "1", "--quiet")
    assert result.exit_code == 0
    assert result.output == ""
    mask = np.genfromtxt("m.csv", delimiter=",", skip_header=1, usecols=range(2, 10))
    assert {tuple(int(x) for x in cell) for cell in np.argwhere(mask)} == set(WRONG)
    noise = Path("e.csv").read_text().splitlines()
    assert noise[0] == "who,c0,c1,c2,c3,c4,c5,c6,c7"
    assert noise[11].startswith('"n, 10",0.0,0.0,0.0,0.0,41')
    parts = np.loadtxt("p.csv", delimiter=",", skiprows=1)
    weights = np.genfromtxt("w.csv", delimiter=",", skip_header=1)[:, -1]
    expected = 2.5 * np.outer(SIZES, np.arange(1, 9))
    np.testing.assert_allclose(np.outer(weights, parts), expected, rtol=0.05)
    page = Path("r.html").read_text(encoding="utf-8")
    for words in ("wrong with t.csv", "3 of 240 cells", "n, 10", "4444", "scikit-learn"):
        assert words in page
    # It needs no other file.
    assert "http" not in page.replace("http://www.w3.org", "")
    assert page.count("data:image/png;base64") == 3


def test_json():
    answer = json.loads(clean("t.csv", "--json").stdout)
    assert answer["flagged"] == answer["replaced"] == 3
    assert answer["verdict"] == "reliable"
    assert answer["reasons"] == []
    assert answer["columns"] == [f"c{j}" for j in range(8)]
    assert set(answer["kinds"].values()) == {"measured"}
    assert answer["carried"] == ["who", "note"]
    (change,) = (c for c in answer["changes"] if c["column"] == "c4")
    assert change.pop("new") == pytest.approx(SIZES[10] * 12.5, rel=0.05)
    assert change.pop("probability") > 0.9
    assert "the rest of its row" in change.pop("reason")
    assert change == {
        "row": "n, 10",
        "row_number": 11,
        "column": "c4",
        "old": 4444.0,
        "replaced": True,
    }
    assert answer["files"] == {"out": "t-clean.csv"}


def test_every_change_can_be_listed():
    Path("t.csv").write_text(lines(WRONG | {(5, 2): ""}))
    assert clean("t.csv", "--changes", "c.csv", "-q").exit_code == 0
    rows = list(csv.DictReader(Path("c.csv").read_text().splitlines()))
    assert list(rows[0]) == [
        "row", "row_number", "column", "old", "new", "probability", "replaced", "reason"
    ]  # fmt: skip
    cells = [(int(row["row_number"]) - 1, int(row["column"][1:])) for row in rows]
    assert cells == sorted([*WRONG, (5, 2)])
    assert {row["replaced"] for row in rows} == {"yes"}
    (gap,) = (row for row in rows if row["reason"] == "was missing")
    assert gap["old"] == ""
    new = Path("t-clean.csv").read_text().splitlines()
    for row, (i, j) in zip(rows, cells, strict=True):
        assert float(row["new"]) == float(new[i + 1].split(",")[j + 2])
    clean("t.csv", "--changes", "c.json", "--dry-run", "-q")
    listed = json.loads(Path("c.json").read_text())
    assert [c["new"] for c in listed] == [float(row["new"]) for row in rows]
    assert [c["old"] for c in listed if c["reason"] == "was missing"] == [None]


def test_a_dry_run_writes_no_table():
    result = clean("t.csv", "--dry-run")
    assert result.exit_code == 0
    assert "3 of 240 cells replaced" in result.stdout
    assert sorted(p.name for p in Path().iterdir()) == ["t.csv"]
    assert json.loads(clean("t.csv", "--dry-run", "--json").stdout)["files"] == {}
    assert clean("t.csv", "--dry-run", "-o", "-").exit_code == 2
    result = clean("-", "--format", "csv", "--dry-run", "--json", input=lines().encode())
    assert json.loads(result.stdout)["replaced"] == 3


def test_what_is_only_suspicious_stays_and_the_verdict_is_told():
    """Nothing can be learned from three rows: all is told, nothing is changed, and all is well."""
    Path("s.csv").write_text("a,b,c\n5,2,3\n2,4,6\n3,600,9\n")
    result = clean("s.csv")
    assert result.exit_code == 0
    assert "the result is no structure: no column holds measurements" in result.stderr
    assert "a (too few values)" in result.stderr
    assert "no cell is flagged" in result.stdout
    assert Path("s-clean.csv").read_text() == Path("s.csv").read_text()
    answer = json.loads(clean("s.csv", "--json", "-f").stdout)
    assert answer["verdict"] == "no structure"
    assert len(answer["reasons"]) == 1
    assert clean("s.csv", "-f", "-q").output == ""


def test_as_many_parts_as_columns_find_nothing_and_that_is_told():
    result = clean("t.csv", "-k", "8", "--lam", "0.1")
    assert result.exit_code == 0
    assert "the result is doubtful" in result.stderr
    assert "choose a smaller -k" in result.stderr


def test_verbose_tells_the_steps_on_standard_error():
    result = clean("t.csv", "--verbose", "--json")
    for step in ("looking through (5 %)", "learning (10 %)", "judging the cells (60 %)"):
        assert step in result.stderr
    json.loads(result.stdout)
    assert "learning the parts (15 %)" in clean("t.csv", "-v", "-f", *PARTS).stderr
