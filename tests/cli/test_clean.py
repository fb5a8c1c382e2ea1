import csv
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app

RUNNER = CliRunner()
# By parts at a price, as the paper has it.
PARTS = ("-k", "1", "--lam", "0.5", "--max-iter", "100")
# (row, column) of the wrong cells, from 0 on; the price is ten times too large, and so on.
WRONG = {(3, 1): "300.0", (10, 4): "4444.0", (20, 6): "0.5"}


# In no order: what counts 1, 2, 3 is no measurement.
SIZES = np.random.default_rng(1).permutation(30) + 1


def lines(wrong=WRONG, end="\n"):
    """A table of rank one, written with one decimal, with words at both ends."""
    rows = ["who," + ",".join(f"c{j}" for j in range(8)) + ",note"]
    for i in range(30):
        cells = [f"{SIZES[i] * (j + 1) * 2.5:.1f}" for j in range(8)]
        for (row, column), text in wrong.items():
            if row == i:
                cells[column] = text
        rows.append(f'"n, {i}",{",".join(cells)},2024-01-{i + 1:02}')
    return end.join(rows) + end


def assert_mended(text, wrong=WRONG, end="\n"):
    """All is letter for letter what it was, but the wrong cells, which are as they should be."""
    new, old, true = (t.split(end) for t in (text, lines(wrong, end), lines({}, end)))
    assert len(new) == len(old)
    for i, (found, was, should) in enumerate(zip(new, old, true, strict=True)):
        # The name holds a comma.
        cells = [line.split(",") for line in (found, was, should)]
        for j, (cell, before, right) in enumerate(zip(*cells, strict=True)):
            if (i - 1, j - 2) in wrong:
                assert re.fullmatch(r"\d+\.\d", cell)
                assert float(cell) == pytest.approx(float(right), rel=0.05)
            else:
                assert cell == before


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(lines())
    return tmp_path


def clean(*arguments, **kwargs):
    return RUNNER.invoke(app, ["clean", *arguments], **kwargs)


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
    assert {tuple(int(x) for x in place) for place in np.argwhere(mask)} == set(WRONG)
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
    places = [(int(row["row_number"]) - 1, int(row["column"][1:])) for row in rows]
    assert places == sorted([*WRONG, (5, 2)])
    assert {row["replaced"] for row in rows} == {"yes"}
    (gap,) = (row for row in rows if row["reason"] == "was missing")
    assert gap["old"] == ""
    new = Path("t-clean.csv").read_text().splitlines()
    for row, (i, j) in zip(rows, places, strict=True):
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


def test_from_and_to_the_standard_streams():
    result = clean("-", "--format", "csv", input=lines(end="\r\n").encode())
    assert result.exit_code == 0, result.stderr
    assert_mended(result.stdout_bytes.decode(), end="\r\n")
    assert "3 of 240 cells" in result.stderr
    assert sorted(p.name for p in Path().iterdir()) == ["t.csv"]
    assert_mended(clean("t.csv", "-o", "-", "--quiet").stdout)


def test_arrays_can_be_piped_too(tmp_path):
    data = np.outer(SIZES, np.arange(1.0, 9))
    data[4, 4] = 999
    np.save("a.npy", data)
    result = clean("-", "--format", "npy", "-q", input=Path("a.npy").read_bytes())
    Path("b.npy").write_bytes(result.stdout_bytes)
    new = np.load("b.npy")
    assert new[4, 4] == pytest.approx(5 * SIZES[4], rel=0.02)
    data[4, 4] = new[4, 4]
    np.testing.assert_array_equal(new, data)


def test_missing_cells_are_filled_or_left():
    Path("t.csv").write_text(lines({(3, 1): "", (5, 2): "NA", (7, 7): "-999"}))
    result = clean("t.csv", "--missing", "-999")
    assert "3 of 3 missing cells were filled" in result.stdout
    assert_mended(Path("t-clean.csv").read_text(), {(3, 1): "", (5, 2): "NA", (7, 7): "-999"})
    clean("t.csv", "--missing", "-999", "--keep-missing", "-o", "k.csv")
    assert Path("k.csv").read_text() == Path("t.csv").read_text()


def test_whole_numbers_stay_whole():
    rows = [[10 * SIZES[i] * (j + 1) for j in range(8)] for i in range(30)]
    rows[4][4] = 90001
    text = "\n".join(",".join(map(str, row)) for row in rows)
    Path("i.csv").write_text(text)
    assert clean("i.csv").exit_code == 0
    before, after = text.split("90001")
    new = Path("i-clean.csv").read_text()
    assert new.startswith(before)
    assert new.endswith(after)
    assert int(new[len(before) : -len(after)]) == pytest.approx(50 * SIZES[4], rel=0.02)


def in_units():
    """A thousandth and a million, with a cell in the smallest column that is four times itself."""
    units = np.array([1e-3, 1e6, 1, 50, 1, 1e3, 1, 1])
    data = np.outer(SIZES, units * np.arange(1, 9))
    data *= np.random.default_rng(0).normal(1, 0.02, data.shape)
    data[6, 0] *= 4
    np.savetxt("u.csv", data, delimiter=",", fmt="%.10g")


def test_columns_of_different_units():
    in_units()
    answer = json.loads(clean("u.csv", "--json").stdout)
    assert [(c["row_number"], c["column"]) for c in answer["changes"]] == [(7, "column 1")]


def test_parts_bring_columns_to_one_unit():
    """Without one unit only the largest column would count."""
    in_units()
    answer = json.loads(clean("u.csv", "--json", *PARTS).stdout)
    places = [(c["row_number"], c["column"]) for c in answer["changes"]]
    assert (7, "column 1") in places
    assert len(places) < 80
    plain = json.loads(clean("u.csv", "--json", "--scale", "none", "-f", *PARTS).stdout)
    assert (7, "column 1") not in [(c["row_number"], c["column"]) for c in plain["changes"]]


def test_negative_cells():
    wrong = {(20, 6): f"-{SIZES[20] * 17.5:.1f}"}
    Path("n.csv").write_text(lines(wrong))
    assert clean("n.csv").exit_code == 0
    assert_mended(Path("n-clean.csv").read_text(), wrong)
    answer = json.loads(clean("n.csv", "--negative", "missing", "--json", "-f").stdout)
    assert answer["flagged"] == 1
    assert "negative" in answer["changes"][0]["reason"]
    assert_mended(Path("n-clean.csv").read_text(), wrong)
    clean("n.csv", "--ignore", "c6", "-f")
    assert Path("n-clean.csv").read_text() == Path("n.csv").read_text()


@pytest.mark.parametrize("options", [("--negative", "refuse"), PARTS])
def test_negative_cells_can_be_refused(options):
    Path("n.csv").write_text(lines({(3, 1): "-5.0"}))
    result = clean("n.csv", *options)
    assert result.exit_code == 1
    assert result.stderr == (
        "error: column 'c1' of n, 3 is negative (-5), as are 1 of the column's 30 cells, and sums "
        "of parts cannot be: add --negative missing if that is wrong, --negative shift if it is "
        "right, or --ignore 'c1'\n"
    )
    Path("m.csv").write_text(lines({(i, 1): f"-{i}.5" for i in range(3, 12)}))
    assert (
        "as are 9 of the column's 30 cells, and sums of parts cannot be: add --negative shift, "
        "--negative missing if they are wrong, or --ignore 'c1'"
    ) in clean("m.csv", *options).stderr
    assert clean("n.csv", "--negative", "shift", *PARTS).exit_code == 0


@pytest.mark.parametrize("options", [[], ["--thousands", "."], ["--decimal", ","]])
def test_european_whole_numbers(options):
    """Thousands marked by a point, in and out; the wrong cell is mended in the same style."""
    rng = np.random.default_rng(0)
    X = np.outer(rng.uniform(200, 3000, 60), [1, 0.5, 2, 0.8]) * rng.normal(1, 0.01, (60, 4))

    def text(wrong):
        rows = [[f"{cell:,.0f}".replace(",", ".") for cell in row] for row in X]
        rows[4][2] = wrong
        return "".join(";".join(row) + "\r\n" for row in [["a", "b", "c", "d"], *rows])

    Path("e.csv").write_bytes(text("9.999.999").encode())
    result = clean("e.csv", *options)
    assert result.exit_code == 0, result.output
    new = Path("e-clean.csv").read_bytes().decode()
    (mended,) = re.fullmatch(re.escape(text("CELL")).replace("CELL", "(.*)"), new).groups()
    assert re.fullmatch(r"\d{1,3}\.\d{3}", mended)
    assert float(mended) == pytest.approx(X[4, 2] / 1000, rel=0.05)


def test_rows_without_numbers_are_left_and_told():
    text = lines({}) + '"empty",' + "," * 8 + "\n"
    Path("t.csv").write_text(text)
    result = clean("t.csv")
    assert "1 rows without any number are left as they are (first: empty)" in result.stderr
    assert "0 of 8 missing cells were filled" in result.stdout
    assert Path("t-clean.csv").read_text() == text


def test_nothing_is_overwritten_without_force():
    assert clean("t.csv", "-q").exit_code == 0
    Path("m.csv").write_text("mine")
    for arguments, option in (
        (["t.csv"], "--out"),
        (["t.csv", "-o", "x.csv", "--mask", "m.csv"], "--mask"),
    ):
        result = clean(*arguments)
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {option}: ")
        assert result.stderr.endswith("exists: add --force to replace it\n")
    assert not Path("x.csv").exists()
    assert clean("t.csv", "-o", "x.csv", "--mask", "m.csv", "--force", "-q").exit_code == 0
    assert Path("m.csv").read_text().startswith("who,c0")


def test_a_file_can_be_replaced_by_its_clean_self():
    assert clean("t.csv", "-o", "t.csv", "--force", "-q").exit_code == 0
    assert_mended(Path("t.csv").read_text())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere.csv"], "does not exist"),
        (["t.csv", "-o", "no/folder.csv"], "folder of no/folder.csv does not exist"),
        (["t.csv", "-o", "new.doc"], "--out: what kind of table is 'new.doc'"),
        (["t.doc"], "DATA: what kind of table is 't.doc'"),
        (["t.csv", "--report", "r.pdf"], "end the name in .html"),
        (["t.csv", "--mask", "a.csv", "--noise", "a.csv"], "name the same file"),
        (["t.csv", "--use", "c9"], "no column 'c9': there are 'who', 'c0'"),
        (["t.csv", "--use", "note"], "'note' does not hold numbers"),
        (["-"], "--format"),
        (["t.csv", "-o", "-", "--json"], "standard output"),
        (["t.csv", "--delimiter", "ab"], "one character"),
        (["t.csv", "--decimal", ".", "--thousands", "."], "cannot be the same sign"),
        (["t.csv", "--lam", "often"], "neither auto nor a number"),
        (["t.csv", "-k", "0"], "neither auto nor a number"),
        (["t.csv", "--scale", "rows"], "--scale"),
    ],
)
def test_bad_usage_is_told_in_one_line(arguments, words):
    Path("t.doc").touch()
    result = RUNNER.invoke(app, ["clean", *arguments])
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert result.stdout == ""
    assert sorted(p.name for p in Path().iterdir()) == ["t.csv", "t.doc"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"a,b\n1,2\n3,4,5\n", "row 2 (line 3) has 3 cells"),
        (b"a,b\n1,2\n", "there are 1 rows and 2 columns"),
        (b"a,b\nx,1\ny,2\n", "there are 2 rows and 1 columns"),
        (b"a,b\nx,y\nz,w\n", "no column holds numbers only"),
        (b"a,b\n,\n,\n", "no column holds numbers only"),
        (b"a,a\n1,2\n3,4\n", "rename one"),
        (b"a,b\n1,\xff\xfe\n", "--encoding"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00", "not text"),
        (b"a,b\n1,1e999\n2,3\n", "is infinite"),
    ],
)
def test_bad_files_are_failures_in_one_line(content, words):
    Path("bad.csv").write_bytes(content)
    result = clean("bad.csv")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert words in result.stderr
    assert not Path("bad-clean.csv").exists()


def test_a_file_without_a_suffix():
    Path("t.csv").rename("plain")
    assert clean("plain", "--format", "csv", "-q").exit_code == 0
    assert_mended(Path("plain-clean").read_text())


def test_as_many_parts_as_columns_find_nothing_and_that_is_told():
    result = clean("t.csv", "-k", "8", "--lam", "0.1")
    assert result.exit_code == 0
    assert "the result is doubtful" in result.stderr
    assert "choose a smaller -k" in result.stderr


def test_debug_lets_the_traceback_through():
    Path("bad.csv").write_bytes(b"")
    assert type(clean("bad.csv", "--debug").exception).__name__ == "TableError"


def test_verbose_tells_the_steps_on_standard_error():
    result = clean("t.csv", "--verbose", "--json")
    for step in ("looking through (5 %)", "learning (10 %)", "judging the cells (60 %)"):
        assert step in result.stderr
    json.loads(result.stdout)
    assert "learning the parts (15 %)" in clean("t.csv", "-v", "-f", *PARTS).stderr


@pytest.mark.slow
def test_the_examples_of_the_help_run():
    """As they stand there, in their order, on tables of these names."""
    from robustnmf.tables import read_table, write_table

    table = read_table("t.csv")
    for name in ("sales.csv", "sensors.xlsx", "raw.tsv"):
        write_table(table, name)
    sheet = openpyxl.load_workbook("sensors.xlsx")
    sheet.active["B1"], sheet.active["C3"] = "year", -999
    sheet.save("sensors.xlsx")
    rng = np.random.default_rng(0)
    np.save("counts.npy", rng.poisson(rng.gamma(2, 5, (200, 5)) @ rng.gamma(1, 1, (5, 60))))
    help_ = RUNNER.invoke(app, ["clean", "--help"]).stdout
    examples = [line.strip() for line in help_.splitlines() if "  robustnmf clean" in line]
    assert len(examples) >= 5
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    for line in examples:
        done = subprocess.run(
            line, shell=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
        )
        assert done.returncode == 0, (line, done.stderr)
    assert {"sales-clean.csv", "clean.csv", "report.html", "sensors-clean.xlsx", "wrong.csv"} <= {
        p.name for p in Path().iterdir()
    }


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_no_half_file(sent):
    """A real signal, while a table that takes long is worked on."""
    rng = np.random.default_rng(0)
    np.save("big.npy", rng.random((4000, 400)))
    before = sorted(p.name for p in Path().iterdir())
    code = "from robustnmf.cli import main; main()"
    arguments = ["clean", "big.npy", "-k", "40", "--lam", "0.05", "--max-iter", "100000", "-v"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )
    # Until the fit has begun.
    heard = []
    for line in process.stderr:
        heard.append(line)
        if "learning" in line:
            break
    time.sleep(0.5)
    process.send_signal(sent)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 1, (heard, error)
    assert error.strip().endswith("error: stopped")
    assert "Traceback" not in error
    assert sorted(p.name for p in Path().iterdir()) == before


@pytest.mark.parametrize("options", [(), PARTS], ids=["cells", "parts"])
def test_larger_than_memory(monkeypatch, options):
    """Kept on disk while it is worked on, and read and written a few rows at a time."""
    monkeypatch.setattr("robustnmf._tables.prepare.IN_MEMORY_BYTES", 1000)
    monkeypatch.setattr("robustnmf._tables.table.BLOCK_BYTES", 1000)
    data = np.outer(np.random.default_rng(0).permutation(300) + 1, np.arange(1, 9))
    data = data.astype(np.float32)
    true = 5 * data[44, 0]
    data[44, 4] = 99999
    np.save("a.npy", data)
    seen = []
    from robustnmf import RobustNMF

    fit = RobustNMF.fit_transform
    monkeypatch.setattr(
        RobustNMF, "fit_transform", lambda self, X, y=None: seen.append(X) or fit(self, X)
    )
    assert clean("a.npy", "--mask", "m.npy", "-q", *options).exit_code == 0
    assert all(isinstance(X, np.memmap) for X in seen)
    assert bool(seen) == bool(options)
    assert np.load("m.npy")[44, 4] == 1
    assert np.load("m.npy").sum() == 1
    assert np.load("a-clean.npy")[44, 4] == pytest.approx(true, rel=0.02)
    assert np.load("a-clean.npy").dtype == np.float32
