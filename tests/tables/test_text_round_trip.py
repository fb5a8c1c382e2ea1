"""Any text of any dialect: what does not change comes back, and what changes can be read."""

import numpy as np
from hypothesis import given as for_all
from hypothesis import strategies as st

from robustnmf._tables.delimited import Delimited, Dialect
from robustnmf._tables.numerals import NumberFormat
from robustnmf._tables.text import split_cells, unquoted
from robustnmf.tables import TableError

WORDS = st.sampled_from(
    [
        "",
        "NA",
        "-",
        "word",
        "3.4.2024",
        "10.0.0.1",
        "[/]",
        "5 apples",
        "1,23,456",
        "€",
        "%",
        "a\u00a0b",
    ]
)


@st.composite
def numerals(draw):
    """A column of cells in one way of writing, now and then in another or none at all."""
    decimal = draw(st.sampled_from(".,"))
    mark = draw(st.sampled_from(["", ".", ",", " ", "'", "\u00a0", "’", "\u202f"]))
    mark = "" if mark == decimal else mark
    unit = draw(st.sampled_from(["", "", "", "%", " %", "€", " €", "$", "CHF "]))
    decimals = draw(st.integers(0, 4))
    odd = draw(st.sampled_from([0, 0, 0, 30]))

    def typed(value):
        text = f"{value:,.{decimals}f}".replace(",", "\0").replace(".", decimal).replace("\0", mark)
        return unit + text if unit in ("$", "CHF ") else text + unit

    numbers = st.one_of(st.floats(0, 10), st.floats(0, 1e4), st.floats(-1e3, 1e7)).map(typed)
    cell = st.integers(0, 99).flatmap(lambda roll: WORDS if roll < odd else numbers)
    return cell


@st.composite
def texts(draw):
    delimiter = draw(st.sampled_from([",", ";", "\t", "|", " "]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    m = draw(st.integers(1, 4))
    cells = [draw(numerals()) for _ in range(m)]

    def dressed(text):
        quoted = draw(st.booleans()) and draw(st.booleans())
        if delimiter in text or quoted or (delimiter == " " and (not text or " " in text)):
            return f'"{text}"'
        return draw(st.sampled_from(["", "", " "])) + text if delimiter != " " else text

    heads = ["use", *(f"c{j}" for j in range(m))]
    rows = [["7", *(dressed(draw(cell)) for cell in cells)] for _ in range(draw(st.integers(1, 9)))]
    lines = [delimiter.join(row) + end for row in [heads, *rows]]
    if draw(st.booleans()):
        lines.insert(0, f"# made{end}")
    if draw(st.booleans()):
        lines.insert(len(lines) - 1, end)
    text = "".join(lines)
    return delimiter, text if draw(st.booleans()) else text.removesuffix(end)


class One:
    """One cell that changes."""

    def __init__(self, table, row, column, value):
        self.shape, self.at, self.value = table.shape, (row, column), value

    def block(self, rows):
        where = np.zeros((rows.stop - rows.start, self.shape[1]), bool)
        if self.at and rows.start <= self.at[0] < rows.stop:
            where[self.at[0] - rows.start, self.at[1]] = True
        return where, np.full(where.shape, self.value)


@for_all(texts(), st.floats(0, 1e7), st.data())
def test_only_the_changed_cell_differs_and_it_can_be_read(tmp_path_factory, made, value, data):
    delimiter, text = made
    try:
        table = Delimited(text.encode(), Dialect(delimiter=delimiter))
    except TableError:
        return
    path = tmp_path_factory.mktemp("t") / "out.csv"
    nothing = One(table, -1, 0, value)
    nothing.at = None
    table.write(path, nothing)
    assert path.read_bytes().decode() == text
    row = data.draw(st.integers(0, table.n_rows - 1))
    column = data.draw(st.integers(0, len(table.columns) - 1))
    table.write(path, One(table, row, column, value))
    position, old, new = table.positions[column], text, path.read_bytes().decode()
    old_lines, new_lines = (
        [line for line in each.splitlines() if line.strip() and not line.startswith("#")]
        for each in (old, new)
    )
    assert len(old_lines) == len(new_lines)
    for i, (before, after) in enumerate(zip(old_lines, new_lines, strict=True)):
        cells = split_cells(before, delimiter), split_cells(after, delimiter)
        assert len(cells[0]) == len(cells[1])
        for j, (was, now) in enumerate(zip(*cells, strict=True)):
            if (i - 1, j) != (row, position):
                assert now == was
                continue
            number = table._styles[position].read(unquoted(now), NumberFormat())
            decimals = table.columns[column].decimals
            assert number is not None, (was, now)
            assert np.isclose(number, value, rtol=1e-5, atol=0.5 * 10.0 ** -(decimals or 0) + 1e-9)
