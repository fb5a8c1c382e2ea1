"""Numbers as people write them: read as they are meant, and written again in the same way."""

import re

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from robustnmf._tables.delimited import Delimited, Dialect
from robustnmf._tables.numerals import NumberFormat
from robustnmf._tables.styles import MARKS, Style, taken_apart


def read(columns, delimiter=";", **dialect):
    """Make a text of columns of cells, with a heading each, and read it."""
    rows = zip(*columns, strict=True)
    cells = [[f'"{cell}"' if delimiter in cell else cell for cell in row] for row in rows]
    heads = [f"c{j}" for j in range(len(columns))]
    text = "\n".join(delimiter.join(row) for row in [heads, *cells]) + "\n"
    return Delimited(text.encode(), Dialect(delimiter=delimiter, **dialect)), text


COUNT = ["5", "6", "8"]


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["935", "1.196", "770"], [935, 1196, 770]),
        (["935", "1,196", "1,200,300"], [935, 1196, 1200300]),
        (["1.196,50", "12,25", "1.200.300"], [1196.5, 12.25, 1200300]),
        (["1,196.50", "12.25", "-3"], [1196.5, 12.25, -3]),
        (["1 196", "12", "1 200 300"], [1196, 12, 1200300]),
        (["1\u00a0196,5", "12", "1\u202f200"], [1196.5, 12, 1200]),
        (["1'196.50", "12", "1’200.00"], [1196.5, 12, 1200]),
        (["1.196,50 €", "12,00 €", "NA"], [1196.5, 12, np.nan]),
        (["$1,196.50", "-$12", "$ 3"], [1196.5, -12, 3]),
        (["CHF 1'196", "CHF 12", "20"], [1196, 12, 20]),
        (["12%", "3.5%", "4 %"], [12, 3.5, 4]),
        (["1.125", "2.5", "3.375"], [1.125, 2.5, 3.375]),
        (["0.125", "935", "3.375"], [0.125, 935, 3.375]),
        (["1.196", "2.305", "4.117"], [1.196, 2.305, 4.117]),
        (["1e3", "2.5", "4"], [1000, 2.5, 4]),
    ],
)
def test_a_column_is_read_as_a_whole(cells, numbers):
    table, _ = read([cells, COUNT])
    assert_array_equal(table.all_columns[0].numbers, numbers)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        (["12", "1.196", "35"], "'1.196' in row 2 may have decimals or be 1196: say --decimal"),
        (["1.125", "2", "3.375"], "'1.125' in row 1 may have decimals or be 1125"),
        (["1.196", "1,196", "9"], "'1,196' in row 2 and '1.196' above use both signs"),
        (["$5", "€12", "$3"], "'€12' in row 2 is not in $"),
        (["12%", "0.35", "4%"], "'0.35' in row 2 is not in %"),
        (
            ["1.196.500", "1.19", "1.000.000"],
            "'1.19' in row 2 is not a number where '.' marks thousands",
        ),
        (["5,00", "6,00", "1,23,456"], "'1,23,456' in row 3 is not a number"),
    ],
)
def test_what_could_be_either_is_left_alone_and_named(cells, why):
    table, _ = read([cells, COUNT])
    assert table.all_columns[0].numbers is None
    assert why in table.notes[0]
    assert [c.name for c in table.columns] == ["c1"]


def test_the_file_settles_what_a_column_does_not():
    unclear = ["12", "1.196", "35"]
    assert read([unclear, ["2,5", "3", "4"]])[0].all_columns[0].numbers[1] == 1196
    assert read([unclear, ["2.5", "3", "4"]])[0].all_columns[0].numbers[1] == 1.196
    assert read([unclear, ["1.196.700", "3", "4"]])[0].all_columns[0].numbers[1] == 1196
    # Sizes in another column do, too, and it is told.
    table, _ = read([unclear, ["935", "1.200", "770"]])
    assert table.all_columns[0].numbers[1] == 1196
    assert table.notes == ["column 'c0': '1.196' in row 2 is read as 1196; if not, --decimal ."]


def test_options_settle_everything():
    unclear = ["12", "1.196", "35"]
    assert read([unclear, COUNT], decimal=".")[0].all_columns[0].numbers[1] == 1.196
    assert read([unclear, COUNT], decimal=",")[0].all_columns[0].numbers[1] == 1196
    assert read([unclear, COUNT], thousands=".")[0].all_columns[0].numbers[1] == 1196
    assert read([unclear, COUNT], thousands="")[0].all_columns[0].numbers[1] == 1.196
    assert read([["1 196", "5", "6"], COUNT], thousands="")[0].all_columns[0].numbers is None
    assert not read([unclear, COUNT], decimal=".")[0].notes


def test_one_mistyped_cell_does_not_make_decimals_of_thousands():
    cells = ["935", "1.196", "770"] * 30
    table, _ = read([[*cells, "1.19"], ["2"] * 91, [*cells, "5"]])
    assert "'1.19' in row 91 is not a number where '.' marks thousands" in table.notes[0]
    assert_array_equal(table.all_columns[2].numbers[:3], [935, 1196, 770])


def test_decimals_elsewhere_do_not_make_decimals_of_thousands():
    cells = ["935", "1.196", "770"] * 30
    table, _ = read([cells, ["2.5"] * 90])
    assert "may have decimals or be 1196" in table.notes[0]
    # But one forgotten point among decimals is what it is.
    cells = [*(f"{1 + i / 7:.3f}" for i in range(1, 90) if i % 7), "935"]
    table, _ = read([cells, ["2.5"] * len(cells)])
    assert_array_equal(table.all_columns[0].numbers, [float(cell) for cell in cells])


def test_thousands_far_down_are_seen():
    """A sorted column, whose first rows could be anything."""
    table, _ = read([[str(i) for i in range(500, 1000)] * 5 + ["1.196"] * 500, ["2"] * 3000])
    assert table.all_columns[0].numbers[-1] == 1196


@pytest.mark.parametrize(
    ("cells", "row", "value", "new"),
    [
        (["935", "1.196", "770"], 0, 12345.4, "12.345"),
        (["1.196,50 €", "12,00 €", "NA"], 2, 4321, "4.321,00 €"),
        (["1.196,50 €", "12,00 €", "1"], 2, 4321, "4.321,00"),
        (["$1,196.50", "-$12", "$ 3"], 1, 2000, "$2,000.00"),
        (["$1,196.50", "-$12", "$ 3"], 1, -2000, "-$2,000.00"),
        (["$1,196.50", "$-12", "$ 3"], 1, -2000, "$-2,000.00"),
        (["12%", "3.5%", "4 %"], 2, 7.77, "7.8 %"),
        (["1\u00a0196,5", "12", ""], 2, 5000000, "5\u00a0000\u00a0000,0"),
        (["1'196.50", "12", "x"], 1, 0.001, "0.00"),
        (["1'196.50", "12", "1"], 1, -0.001, "0.00"),
    ],
)
def test_new_numbers_are_written_like_the_others(given, tmp_path, cells, row, value, new):
    table, text = read([cells, COUNT], missing=["x"])
    table.write(tmp_path / "out.csv", given(table, {(row, 0): value}))
    lines = text.split("\n")
    lines[row + 1] = f"{new};{COUNT[row]}"
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == "\n".join(lines)


@pytest.mark.parametrize("old", ["935", "", '""', '"935"', " NA "])
def test_a_delimiter_in_a_new_number_is_quoted(given, tmp_path, old):
    text = f'a,b\n{old},5\n"1,196",6\n"1,200,300",7\n'
    table = Delimited(text.encode(), Dialect())
    table.write(tmp_path / "out.csv", given(table, {(0, 0): 4321}))
    again = Delimited((tmp_path / "out.csv").read_bytes(), Dialect())
    assert_array_equal(again.all_columns[0].numbers, [4321, 1196, 1200300])
    assert (tmp_path / "out.csv").read_text().split("\n")[1].strip().startswith('"4,321"') or (
        old == " NA "
    )


STYLES = st.builds(
    Style,
    st.sampled_from(".,"),
    st.sampled_from(["", *MARKS]),
    st.sampled_from(["", "€", "$", "£", "CHF", "%"]),
).filter(lambda style: style.decimal != style.thousands)


def typed(value, decimals, style, *, first=False):
    """A slow and plain way to write a number, to compare with."""
    whole, _, rest = f"{abs(value):.{decimals}f}".partition(".")
    groups = []
    while whole:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    text = style.thousands.join(groups) + (style.decimal + rest if rest else "")
    sign = "-" if value < 0 and float(f"{value:.{decimals}f}") else ""
    return f"{sign}{style.unit} {text}" if first and style.unit else f"{sign}{text}{style.unit}"


@given(st.floats(-1e9, 1e9), st.integers(0, 4), STYLES)
@example(-0.0, 0, Style())
def test_what_is_written_is_read_again(value, decimals, style):
    for first in (False, style.unit not in ("", "%")):
        cell = typed(value, decimals, style, first=first)
        number_format = NumberFormat()
        number = style.read(cell, number_format)
        assert number == pytest.approx(round(value, decimals), abs=10.0**-decimals)
        assert style.write(number, number_format, cell) == cell


@given(
    st.floats(0, 6),
    st.floats(0.1, 2),
    st.integers(3, 60),
    st.integers(0, 10**6),
    st.integers(0, 3),
    STYLES,
    st.sampled_from(";,\t|"),
)
def test_a_column_is_never_read_as_something_else(
    size, spread, n, seed, decimals, style, delimiter
):
    """As it was meant, or in the same proportions, or not at all."""
    rng = np.random.default_rng(seed)
    values = 10**size * np.exp(spread * rng.normal(size=n))
    meant = np.array([float(f"{value:.{decimals}f}") for value in values])
    cells = [typed(value, decimals, style) for value in values]
    table, _ = read([cells, ["7"] * n], delimiter)
    numbers = table.all_columns[0].numbers
    assert numbers is None or np.array_equal(numbers == 0, meant == 0)
    if numbers is not None and meant.any():
        factor = (meant[meant > 0] / numbers[meant > 0]).round(9)
        assert set(factor) in ({1.0}, {1000.0}), (cells, numbers)


@given(st.text(alphabet="0123456789.,' €$%-+eE()\u00a0", max_size=12))
def test_what_is_no_number_is_none(cell):
    """Digits in groups, one decimal sign, one unit: nothing else is taken for a number."""
    number_format = NumberFormat()
    for style in (Style(), Style(",", "."), Style(".", ",", "$"), Style(",", " ", "%")):
        number = style.read(cell, number_format)
        if number is not None:
            digits = re.sub(r"[eE].*", "", cell)
            assert abs(number) >= 0
            assert sum(digits.count(sign) for sign in "€$%") <= 1
            assert digits.count(style.decimal) <= 1
            assert taken_apart(cell) is not None
