"""What `robustnmf clean` refuses, and how it says so."""

from pathlib import Path

import pytest

from spoiled_csv import assert_mended, clean

pytestmark = pytest.mark.usefixtures("spoiled_folder")


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
    result = clean(*arguments)
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


def test_debug_lets_the_traceback_through():
    Path("bad.csv").write_bytes(b"")
    assert type(clean("bad.csv", "--debug").exception).__name__ == "TableError"
