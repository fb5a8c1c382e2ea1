import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app

RUNNER = CliRunner()
FIT = ("-k", "1")
# (row, column) of the wrong cells, from 0 on; the price is ten times too large, and so on.
WRONG = {(3, 1): "300.0", (10, 4): "4444.0", (20, 6): "0.5"}


def lines(wrong=WRONG, end="\n"):
    """A table of rank one, written with one decimal, with words at both ends."""
    rows = ["who," + ",".join(f"c{j}" for j in range(8)) + ",note"]
    for i in range(30):
        cells = [f"{(i + 1) * (j + 1) * 2.5:.1f}" for j in range(8)]
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
    return RUNNER.invoke(app, ["clean", *arguments, *FIT], **kwargs)


def test_only_the_wrong_cells_change():
    result = clean("t.csv")
    assert result.exit_code == 0, result.output
    assert_mended(Path("t-clean.csv").read_text())
    out = result.stdout
    assert "3 of 240 cells judged corrupt (1.2 %)" in out
    assert out.splitlines()[-1] == "clean table: t-clean.csv"
    for words in ("n, 10", "c4", "4444"):
        assert words in out
    assert max(map(len, out.splitlines())) <= 80


def test_all_that_can_be_written():
    files = ["--mask", "m.csv", "--noise", "e.csv", "--parts", "p.csv", "--weights", "w.csv"]
    assert clean("t.csv", *files, "--report", "r.html", "--quiet").output == ""
    mask = np.genfromtxt("m.csv", delimiter=",", skip_header=1, usecols=range(2, 10))
    assert {tuple(int(x) for x in place) for place in np.argwhere(mask)} == set(WRONG)
    noise = Path("e.csv").read_text().splitlines()
    assert noise[0] == "who,c0,c1,c2,c3,c4,c5,c6,c7"
    assert noise[11].startswith('"n, 10",0.0,0.0,0.0,0.0,43')
    parts = np.loadtxt("p.csv", delimiter=",", skiprows=1)
    weights = np.genfromtxt("w.csv", delimiter=",", skip_header=1)[:, -1]
    expected = 2.5 * np.outer(np.arange(1, 31), np.arange(1, 9))
    np.testing.assert_allclose(np.outer(weights, parts), expected, rtol=0.05)
    page = Path("r.html").read_text(encoding="utf-8")
    for words in ("wrong with t.csv", "3 of 240 cells", "n, 10", "4444", "scikit-learn"):
        assert words in page
    # It needs no other file.
    assert "http" not in page.replace("http://www.w3.org", "")
    assert page.count("data:image/png;base64") == 3


def test_json():
    answer = json.loads(clean("t.csv", "--json").stdout)
    assert answer["corrupt"] == 3
    assert answer["columns"] == [f"c{j}" for j in range(8)]
    assert answer["carried"] == ["who", "note"]
    worst = answer["worst"][0]
    assert worst.pop("expected") == pytest.approx(137.5, rel=0.05)
    assert worst == {"row": "n, 10", "row_number": 11, "column": "c4", "value": 4444.0}
    assert answer["files"] == {"out": "t-clean.csv"}


def test_from_and_to_the_standard_streams():
    result = clean("-", "--format", "csv", input=lines(end="\r\n").encode())
    assert result.exit_code == 0, result.stderr
    assert_mended(result.stdout_bytes.decode(), end="\r\n")
    assert "3 of 240 cells" in result.stderr
    assert sorted(p.name for p in Path().iterdir()) == ["t.csv"]
    assert_mended(clean("t.csv", "-o", "-", "--quiet").stdout)


def test_arrays_can_be_piped_too(tmp_path):
    data = np.outer(np.arange(1.0, 31), np.arange(1, 9))
    data[4, 4] = 999
    np.save("a.npy", data)
    result = clean("-", "--format", "npy", "-q", input=Path("a.npy").read_bytes())
    Path("b.npy").write_bytes(result.stdout_bytes)
    new = np.load("b.npy")
    assert new[4, 4] == pytest.approx(25, rel=1e-2)
    data[4, 4] = new[4, 4]
    np.testing.assert_array_equal(new, data)


def test_missing_cells_are_filled_or_left():
    Path("t.csv").write_text(lines({(3, 1): "", (5, 2): "NA", (7, 7): "-999"}))
    result = clean("t.csv", "--missing", "-999")
    assert "3 missing cells were filled" in result.stdout
    assert Path("t-clean.csv").read_text() == lines({})
    clean("t.csv", "--missing", "-999", "--keep-missing", "-o", "k.csv")
    assert Path("k.csv").read_text() == Path("t.csv").read_text()


def test_whole_numbers_stay_whole():
    rows = [[(i + 1) * (j + 1) for j in range(8)] for i in range(30)]
    rows[4][4] = 900
    text = "\n".join(",".join(map(str, row)) for row in rows)
    Path("i.csv").write_text(text)
    assert clean("i.csv").exit_code == 0
    assert Path("i-clean.csv").read_text() == text.replace("900", "25")


def test_columns_of_different_units():
    """A thousandth and a million: without one unit only the largest column would count."""
    units = np.array([1e-3, 1e6, 1, 50, 1, 1e3, 1, 1])
    data = np.outer(np.arange(1, 31), units * np.arange(1, 9))
    data *= np.random.default_rng(0).normal(1, 0.02, data.shape)
    data[6, 0] *= 4
    np.savetxt("u.csv", data, delimiter=",", fmt="%.10g")
    answer = json.loads(clean("u.csv", "--json").stdout)
    assert answer["scaled"]
    assert (answer["worst"][0]["row_number"], answer["worst"][0]["column"]) == (7, "column 1")
    assert answer["corrupt"] <= 3
    plain = json.loads(clean("u.csv", "--json", "--scale", "none", "-f").stdout)
    assert not plain["scaled"]
    assert (7, "column 1") not in [(c["row_number"], c["column"]) for c in plain["worst"]]


def test_negative_cells():
    Path("n.csv").write_text(lines({(3, 1): "-5.0"}))
    result = clean("n.csv")
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
    ) in clean("m.csv").stderr
    answer = json.loads(clean("n.csv", "--negative", "missing", "--json").stdout)
    assert answer["corrupt"] == 1
    assert Path("n-clean.csv").read_text() == lines({})
    assert clean("n.csv", "--negative", "shift", "-f").exit_code == 0
    clean("n.csv", "--ignore", "c1", "-f")
    assert Path("n-clean.csv").read_text() == Path("n.csv").read_text()


def test_rows_without_numbers_are_left_and_told():
    text = lines({}) + '"empty",' + "," * 8 + "\n"
    Path("t.csv").write_text(text)
    result = clean("t.csv")
    assert "1 rows without any number are left as they are (first: empty)" in result.stderr
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
    result = RUNNER.invoke(app, ["clean", "t.csv", "-k", "8"])
    assert "choose a smaller -k" in result.stderr


def test_debug_lets_the_traceback_through():
    Path("bad.csv").write_bytes(b"")
    assert type(clean("bad.csv", "--debug").exception).__name__ == "TableError"


def test_verbose_tells_the_steps_on_standard_error():
    result = clean("t.csv", "--verbose", "--json")
    assert "learning the parts (15 %)" in result.stderr
    json.loads(result.stdout)


@pytest.mark.slow
def test_the_examples_of_the_help_run():
    """As they stand there, in their order, on tables of these names."""
    from robustnmf.tables import read_table, write_table

    table = read_table(Path("t.csv"))
    no_changes = SimpleNamespace(
        block=lambda rows: (np.zeros((rows.stop - rows.start, 8), bool), np.zeros((1, 8)))
    )
    for name in ("sales.csv", "sensors.xlsx", "raw.tsv"):
        write_table(table, no_changes, Path(name))
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


def test_larger_than_memory(monkeypatch):
    """Kept on disk while it is worked on, and read and written a few rows at a time."""
    monkeypatch.setattr("robustnmf.tables.prepare.IN_MEMORY_BYTES", 1000)
    monkeypatch.setattr("robustnmf.tables.table.BLOCK_BYTES", 1000)
    data = np.outer(np.arange(1, 301), np.arange(1, 9)).astype(np.float32)
    data[44, 4] = 99999
    np.save("a.npy", data)
    seen = []
    from robustnmf import RobustNMF

    fit = RobustNMF.fit_transform
    monkeypatch.setattr(
        RobustNMF, "fit_transform", lambda self, X, y=None: seen.append(X) or fit(self, X)
    )
    assert clean("a.npy", "--mask", "m.npy", "-q").exit_code == 0
    assert isinstance(seen[0], np.memmap)
    assert np.load("m.npy")[44, 4] == 1
    assert np.load("m.npy").sum() == 1
    assert np.load("a-clean.npy")[44, 4] == pytest.approx(225, rel=1e-2)
    assert np.load("a-clean.npy").dtype == np.float32
