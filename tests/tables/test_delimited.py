import numpy as np
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from robustnmf._tables.delimited import Delimited, Dialect
from robustnmf.tables import TableError

ODD = (
    b'# made by a machine, 5 "notes" inside\r\n'
    b"\r\n"
    b'name;"price, net"; when ;count\r\n'
    b'"Smith; Bob";  1,50 ;2024-01-01;7\r\n'
    b"\r\n"
    b'a;"2,25";2024-01-02;007\r\n'
    b'"two\nlines";+3,5;x; \r\n'
    b"b;NA;;12"
)


def read(content, **dialect):
    return Delimited(content.encode() if isinstance(content, str) else content, Dialect(**dialect))


def written(table, changes, tmp_path):
    path = tmp_path / "out.csv"
    table.write(path, changes)
    return path.read_bytes()


def test_reads_what_a_person_would(given):
    table = read(ODD)
    assert table.delimiter == ";"
    assert table.decimal == ","
    assert [c.name for c in table.columns] == ["price, net", "count"]
    assert [c.decimals for c in table.columns] == [2, 0]
    assert table.carried == ["name", "when"]
    assert_array_equal(table.block(slice(0, 4)), [[1.5, 7], [2.25, 7], [3.5, np.nan], [np.nan, 12]])
    assert table.row_name(0) == "Smith; Bob"
    assert table.row_name(2) == "two\nlines"


def test_nothing_changes_but_the_cells_that_change(given, tmp_path):
    table = read(ODD)
    assert written(table, given(table, {}), tmp_path) == ODD
    new = written(table, given(table, {(0, 0): 99.999, (1, 0): 3, (2, 1): 5.4}), tmp_path)
    expected = ODD.replace(b"  1,50 ", b"  100,00 ").replace(b'"2,25"', b'"3,00"')
    assert new == expected.replace(b"+3,5;x; \r\n", b"+3,5;x;5\r\n")


def test_a_byte_order_mark_and_an_encoding_stay(given, tmp_path):
    content = "\ufeffÄ,b\n1,2\n3,4\n".encode()
    table = read(content)
    assert table.columns[0].name == "Ä"
    assert written(table, given(table, {(1, 1): 9}), tmp_path) == content.replace(b"3,4", b"3,9")
    content = "Ä,b\n1,2\n3,4\n".encode("latin-1")
    table = read(content, encoding="latin-1")
    assert written(table, given(table, {(1, 1): 9}), tmp_path) == content.replace(b"3,4", b"3,9")


CELLS = st.one_of(
    st.integers(0, 10**6).map(str),
    st.floats(0, 1e6).map(lambda x: f"{x:.3f}"),
    st.sampled_from(["", "NA", " 7 ", '"8"', "1e-3", "+5.", ".5", '"a ""b"" c"', '"x,y"', "word"]),
)


@for_all(
    st.integers(1, 5).flatmap(
        lambda m: st.lists(st.lists(CELLS, min_size=m, max_size=m), min_size=1, max_size=8)
    ),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_any_table_comes_back_letter_for_letter(tmp_path_factory, rows, end, last):
    names = ["price", *(f"c{j}" for j in range(1, len(rows[0])))]
    # A number in every row, so that there is something to use, and no line is blank.
    lines = [f"use,{','.join(names)}", *(f"1.5,{','.join(row)}" for row in rows)]
    content = (end.join(lines) + (end if last else "")).encode()
    table = read(content, delimiter=",")
    assert table.n_rows == len(rows)

    class Nothing:
        def block(self, rows):
            shape = (rows.stop - rows.start, len(table.columns))
            return np.zeros(shape, bool), np.zeros(shape)

    assert written(table, Nothing(), tmp_path_factory.mktemp("t")) == content


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal"),
    [
        ("a,b\n1,2\n", ",", "."),
        ("a\tb\n1.5\t2,000\n", "\t", "."),
        ("a;b\n1,5;2\n", ";", ","),
        ("a|b|c\n1|2|3\n", "|", "."),
        ("a b\n1 2\n", " ", "."),
        ('"a;x",b\n1,2\n', ",", "."),
    ],
)
def test_delimiter_and_decimal_are_told_by_the_text(text, delimiter, decimal):
    table = read(text)
    assert (table.delimiter, table.decimal) == (delimiter, decimal)


def test_headings_are_told_from_numbers():
    assert [c.name for c in read("1,2\n3,4\n").columns] == ["column 1", "column 2"]
    assert read("1,2\n3,4\n").n_rows == 2
    table = read(",2001,2002\nx,1,2\ny,3,4\n")
    assert [c.name for c in table.columns] == ["2001", "2002"]
    assert read("2001,2002\n1,2\n3,4\n", header=True).n_rows == 2


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("1,2\n3,4\n5,6\n", "the first line holds numbers only and is taken for data (--header"),
        ("€1;2 %\n€3;4 %\n", "the first line holds numbers only"),
        (
            "x,2001,2002\ny,1,2\nz,3,4\n",
            "the first line is taken for headings, though '2001' is a number (--no-header",
        ),
        ("a,,b\n1,2,3\n4,5,6\n", "though its cell 2 is empty"),
        ("a,b\n1,2\n3,4\n", None),
        (",b,c\nx,2,3\ny,4,5\n", None),
    ],
)
def test_what_was_guessed_of_headings_is_told(text, note):
    notes = read(text).notes
    assert [note in each for each in notes] == ([True] if note else [])
    if note:
        # Who says it need not be told.
        assert not any("first line" in each for each in read(text, header=True).notes)


def test_two_equal_numbers_for_headings_may_be_data():
    with pytest.raises(TableError, match=r"both called '1': rename one \(or pass --no-header"):
        read("x,1,1\ny,2,2\n")
    assert read("x,1,1\ny,2,2\n", header=False).n_rows == 2


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp1252"])
@pytest.mark.parametrize("marked", [True, False])
def test_every_encoding_comes_back(given, tmp_path, encoding, marked):
    text = "Größe;b\r\n1,5;2\r\n\r\n3,25;4\r\n"
    content = text.encode(encoding)
    if marked and encoding == "utf-16":
        import codecs

        content = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    table = read(content, encoding=encoding)
    assert table.columns[0].name == "Größe"
    new = written(table, given(table, {(1, 1): 9}), tmp_path)
    assert len(new) == len(content)
    assert new.decode(encoding) == text.replace("3,25;4", "3,25;9")
    assert written(table, given(table, {}), tmp_path) == content


def test_columns_set_apart_by_any_number_of_blanks(given, tmp_path):
    text = 'name     a    b\n"x y"  1.5  200 \n z    22.5    3\n'
    table = read(text)
    assert table.shape == (2, 2)
    assert_array_equal(table.block(slice(0, 2)), [[1.5, 200], [22.5, 3]])
    assert written(table, given(table, {}), tmp_path).decode() == text
    new = written(table, given(table, {(0, 1): 7, (1, 0): 3}), tmp_path).decode()
    assert new == text.replace("200", "7").replace("22.5", "3.0")


def test_an_encoding_that_loses_letters_is_refused():
    # Two ways to write one letter, of which only one would come back.
    with pytest.raises(TableError, match="save the file as UTF-8"):
        read(b"\xfa\x54,c\n1,2\n3,4\n", encoding="cp932")


@pytest.mark.parametrize("first", ["", "id"])
def test_a_count_is_no_data(first):
    table = read(f"{first},a,b\n1,5,6\n2,5,7\n3,5,8\n")
    assert [c.name for c in table.columns] == ["a", "b"]
    assert table.row_name(1) == "2"
    table.select([first or "1"], [], None)
    assert len(table.columns) == 1


def test_columns_can_be_chosen():
    table = read("n,a,b,c\nx,1,2,3\ny,4,5,6\n")
    table.select([], ["b"], None)
    assert [c.name for c in table.columns] == ["a", "c"]
    assert table.carried == ["n", "b"]
    table.select(["2", "c"], [], "a")
    assert [c.name for c in table.columns] == ["c"]
    assert table.row_name(1) == "4"
    with pytest.raises(TableError, match="no column 'bb': did you mean 'b'"):
        table.select(["bb"], [], None)
    with pytest.raises(TableError, match="'n' does not hold numbers"):
        table.select(["n"], [], None)
    with pytest.raises(TableError, match="no column of numbers is left"):
        table.select([], ["a", "b", "c"], None)


def test_a_word_among_numbers_is_told_and_can_count_as_missing():
    text = "a,b\n1,2\n3,oops\n5,6\n"
    table = read(text)
    assert [c.name for c in table.columns] == ["a"]
    assert table.notes == [
        "column 'b' is left as it is: 'oops' in row 2 is not a number "
        "(--missing 'oops' would count it as missing)"
    ]
    table = read(text, missing=["oops"])
    assert_array_equal(table.block(slice(0, 3))[:, 1], [2, np.nan, 6])
    table = read("a,b\n1,2\n3,-999\n", missing=["-999"])
    assert_array_equal(table.block(slice(0, 2))[:, 1], [2, np.nan])


@pytest.mark.parametrize("number", ["1_000", "0x10", "inf", "1,5", "٣", "1e", "--1"])
def test_what_only_looks_like_a_number_is_none(number):
    table = read(f"a;b\n1;2\n3;{number}\n5;6\n5;7.5\n", decimal=".")
    assert [c.name for c in table.columns] == ["a"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("a,b\n", "no row below"),
        ("a,b\n1,2\n3\n", r"row 2 \(line 3\) has 1 cells where the first row has 2"),
        ('a,b\n1,"2\n3,4\n', "a quote in line 2 is never closed"),
        ("a,a\n1,2\n3,4\n", "columns 1 and 2 are both called 'a'"),
        ("a,b\nx,y\nz,w\n", "no column holds numbers"),
        ("a,b\r1,2\r", "save the file with"),
        (b"a,b\n1,\xe4\n", "line 2 is not utf-8"),
        (b"PK\x03\x04\x00\x00\x00", "not text"),
    ],
)
def test_bad_files_are_told_what_is_wrong(content, message):
    with pytest.raises(TableError, match=message):
        read(content)


def test_unknown_encoding():
    with pytest.raises(TableError, match="no encoding 'klingon'"):
        read(b"a,b\n1,2\n", encoding="klingon")
