"""`robustnmf clean --save-model` and `--model`: learn from one table, clean others, row by row."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from spoiled_csv import PARTS, assert_mended, clean, lines

pytestmark = pytest.mark.usefixtures("spoiled_folder")
MODEL = "m.robustnmf"


@pytest.fixture
def model():
    """A model of the table without its errors."""
    Path("old.csv").write_text(lines({}))
    result = clean("old.csv", "--dry-run", "--save-model", MODEL)
    assert result.exit_code == 0, result.stderr
    assert f"model: {MODEL}" in result.stdout
    return MODEL


def piped(text, *options):
    result = clean("-", "--model", MODEL, *options, input=text.encode())
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes.decode(), result.stderr


@pytest.mark.parametrize("price", [(), PARTS])
def test_another_table_is_cleaned_by_what_was_learned(price):
    Path("old.csv").write_text(lines({}))
    result = clean("old.csv", *price, "--save-model", MODEL, "-o", "-", "-q")
    assert result.exit_code == 0, result.stderr
    result = clean("t.csv", "--model", MODEL)
    assert result.exit_code == 0, result.stderr
    assert "judged by what was learned from 30 other rows" in result.stderr
    if not price:
        assert "3 of 240 cells replaced" in result.stdout
        assert_mended(Path("t-clean.csv").read_text())


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_pipe_is_cleaned_to_the_letter(model, end):
    out, said = piped(lines(end=end))
    assert_mended(out, end=end)
    assert "3 of 240 cells replaced, 0 more flagged, 0 missing ones filled, in 30 rows" in said
    out, said = piped(lines(end=end), "--out", "-", "--format", "csv", "--quiet")
    assert_mended(out, end=end)
    assert said == ""


def test_a_pipe_and_a_file_give_the_same(model):
    gaps = lines().replace(",2.5,", ",,").replace(",25.0,", ",NA,")
    Path("gaps.csv").write_text(gaps)
    assert clean("gaps.csv", "--model", model, "-o", "gone.csv").exit_code == 0
    out, said = piped(gaps)
    assert out == Path("gone.csv").read_text()
    assert " 0 missing ones" not in said
    kept, _ = piped(gaps, "--keep-missing")
    assert ",NA," in kept


def test_each_row_comes_out_before_the_next_goes_in(model):
    command = [sys.executable, "-m", "robustnmf", "clean", "-", "--model", model, "--out", "-"]
    came = []
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        for line in lines().encode().splitlines(keepends=True):
            run.stdin.write(line)
            run.stdin.flush()
            # Would wait for ever if the row was kept back.
            came.append(run.stdout.readline())
        run.stdin.close()
        assert run.wait(60) == 0
        assert run.stdout.read() == b""
    assert_mended(b"".join(came).decode())


def test_rows_that_come_without_headings_are_known_by_their_number_of_cells(model):
    head, *rows = lines().splitlines(keepends=True)
    out, _ = piped("".join(rows))
    assert_mended(head + out)
    result = clean("-", "--model", model, input=b"1,2,3\n4,5,6\n")
    assert result.exit_code == 1
    assert "neither the headings that the model was learned with ('c0', 'c1', " in result.stderr
    assert result.stdout == ""


def test_columns_may_stand_in_another_order_beside_others(model):
    table = list(csv.reader(lines().splitlines()))
    turned = [[*reversed(row), "more" if i == 0 else "5"] for i, row in enumerate(table)]
    out, _ = piped("\n".join(",".join(f'"{cell}"' for cell in row) for row in turned) + "\n")
    again = [row[:-1][::-1] for row in csv.reader(out.splitlines())]
    straight = list(csv.reader(piped(lines())[0].splitlines()))
    assert again == straight != table


def test_a_column_that_is_not_there_is_told(model):
    for result in (
        clean("-", "--model", model, "--header", input=lines().replace("c3", "C3").encode()),
        _of_file(lines().replace("c3", "C3"), model),
    ):
        assert result.exit_code == 1
        assert "there is no column 'c3', which the model was learned from" in result.stderr


def _of_file(text, model):
    Path("other.csv").write_text(text)
    return clean("other.csv", "--model", model)


def test_what_is_no_row_passes_with_a_note(model):
    head, *rows = lines().splitlines(keepends=True)
    words = rows[8].split(",")
    words[4] = "broken"
    text = ["# made by hand\n", "\n", head, rows[0], "\n", "half a r\n", ",".join(words), rows[7]]
    out, said = piped("".join([*text, '"never', " closed\n"]))
    got = out.splitlines(keepends=True)
    assert got[:6] == text[:6]
    assert got[6].split(",")[4] == "broken"
    assert "".join(got[8:]) == '"never closed\n'
    said = " ".join(said.split())
    assert "line 6 has 1 cells where the first has 10: it is left as it is" in said
    assert "line 7: 'broken' in column 'c2' is no number as the model knows them" in said
    assert "the text ends inside of quotes" in said


def test_numbers_are_written_as_where_they_were_learned():
    def european(wrong):
        head, *rows = ([*row[1:-1]] for row in csv.reader(lines(wrong).splitlines()))
        rows = [[f"{cell.replace('.', ',')} €" for cell in row] for row in rows]
        return "\n".join(";".join(row) for row in [head, *rows])

    Path("old.csv").write_text(european({}))
    result = clean("old.csv", "--dry-run", "--save-model", MODEL)
    assert result.exit_code == 0, result.stderr
    out, _ = piped(european({(3, 1): "300.0"}))
    rows, true = (text.splitlines() for text in (out, european({})))
    assert rows[:4] + rows[5:] == true[:4] + true[5:]
    found, right = (row[4].split(";") for row in (rows, true))
    assert found[0] == right[0]
    assert re.fullmatch(r"\d+,\d €", found[1])
    assert float(found[1][:-2].replace(",", ".")) == pytest.approx(10, rel=0.05)


def test_encodings_are_kept(model):
    text = lines().replace("note", "größe").replace("who", "wér")
    result = clean("-", "--model", model, "--encoding", "latin-1", input=text.encode("latin-1"))
    assert "größe" in result.stdout_bytes.decode("latin-1")
    result = clean("-", "--model", model, input=text.encode("latin-1"))
    assert result.exit_code == 1
    assert "line 1 is not utf-8: pass the text's own --encoding" in " ".join(result.stderr.split())
    marked = clean("-", "--model", model, input=lines().replace("who", "c9").encode("utf-8-sig"))
    assert marked.stdout_bytes.startswith(b"\xef\xbb\xbfc9,")
    result = clean("-", "--model", model, "--encoding", "utf-99", input=b"a\n")
    assert "there is no encoding 'utf-99'" in result.stderr


def test_what_is_of_the_whole_table_waits_for_its_end(model):
    result = clean("-", "--model", model, "--changes", "c.json", input=lines().encode())
    assert result.exit_code == 0, result.stderr
    assert_mended(result.stdout_bytes.decode())
    assert len(json.loads(Path("c.json").read_text())) == 3
    utf16 = lines().encode("utf-16")
    result = clean("-", "--model", model, "--encoding", "utf-16", input=utf16)
    assert_mended(result.stdout_bytes.decode("utf-16"))


@pytest.mark.parametrize(
    "option",
    [("--lam", "0.04"), ("-k", "3"), ("--use", "c1"), ("--save-model", "x"), ("--parts", "p.csv")],
)
def test_what_a_model_says_already_is_refused_beside_it(option, model):
    result = clean("t.csv", "--model", model, *option)
    assert result.exit_code == 2
    assert "--model says how cells are judged, and of which columns: leave out --" in result.stderr


def test_files_that_are_no_models_are_refused(model):
    assert clean("t.csv", "--model", "none").exit_code == 2
    for arguments in (("t.csv",), ("-",)):
        result = clean(*arguments, "--model", "t.csv", input=lines().encode())
        assert result.exit_code == 1
        assert "cannot load t.csv: it is no file that robustnmf saved" in result.stderr
    result = clean("t.csv", "--save-model", model, "-o", "new.csv")
    assert result.exit_code == 2
    assert f"--save-model: {model} exists: add --force to replace it" in result.stderr
    assert clean("t.csv", "--save-model", "nowhere/m", "-o", "new.csv").exit_code == 2
    assert not Path("new.csv").exists()
