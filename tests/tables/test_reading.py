"""Reading many cells at once gives what reading them one by one does."""

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, settings
from hypothesis import given as for_all
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf._tables import reading
from robustnmf._tables.numerals import MISSING, NumberFormat, parse
from robustnmf._tables.plain_numbers import cut
from robustnmf._tables.reading import ColumnReader, Records, UnevenError, look_through
from robustnmf._tables.survey import NOTATION

ODD = ["", "NA", ".", "-", "-999", "word", "5-3", "1e5", "1.5E-3", "3.4.2024", "1,23", "1.234",
       "0.125", "-7.125", "12.345", "999.999", "1234.567", ".5", "5.", "+.25", "-0", "--1", "007",
       '""', '" 12.5 "', '"1,5"', "\xa012.5", "12\x0b", "1_000", "٣", "é", "→", "1 000",
       "12345678901234567", "0.12345678901234567", "000000000000000000000000012", "€ 5", "inf",
       "nan", "9" * 15, "0." + "9" * 14]  # fmt: skip
PLAIN = st.tuples(st.floats(-1e6, 1e6), st.integers(0, 6)).map(lambda n: f"{n[0]:.{n[1]}f}")
GROUPED = st.integers(1000, 999_999).map(lambda n: f"{n / 1000:.3f}")
CELLS = st.one_of(PLAIN, PLAIN, GROUPED, st.sampled_from(ODD))


@st.composite
def columns(draw):
    """A column that is mostly of one kind, as columns are."""
    kinds = [PLAIN, GROUPED, CELLS, st.just("word"), st.floats(allow_nan=False).map(repr)]
    return draw(st.sampled_from(kinds))


@st.composite
def tables(draw):
    delimiter = draw(st.sampled_from(",;\t|"))
    decimal = draw(st.sampled_from(".,"))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    kinds = draw(st.lists(columns(), min_size=1, max_size=3))
    lines = []
    for _ in range(draw(st.integers(1, 60))):
        cells = [draw(kind) for kind in kinds]
        cells = [cell if cell.startswith('"') else cell.replace(".", decimal) for cell in cells]
        cells = [cell if delimiter not in cell else f'"{cell.strip(chr(34))}"' for cell in cells]
        lines.append(
            delimiter.join(draw(st.sampled_from(["", " "])) + cell for cell in cells) + end
        )
    if draw(st.booleans()):
        lines[-1] = lines[-1].rstrip("\r\n")
    return Records(lines, delimiter, len(kinds)), decimal


def state(records, decimal, missing, *, fast):
    readers = [ColumnReader(decimal, missing, len(records.lines)) for _ in range(records.width)]
    with patch.object(reading, "can_cut", (lambda _: True) if fast else (lambda _: False)):
        look_through(records, readers)
    return readers


@settings(deadline=None, max_examples=300)
@for_all(
    tables(),
    st.sampled_from([(), ("-999",), ("na", "7", "1.50")]),
    st.integers(1, 40),
    st.integers(1, 60),
)
@example((Records(["1.5\n"] * 3 + ["1.234\n"] + ["2\n"] * 5, ",", 1), "."), (), 2, 2)
def test_many_cells_at_once_are_read_as_one_by_one(table, more, close, batch):
    records, decimal = table
    missing = MISSING | set(more) if more else MISSING
    notation = replace(NOTATION, rows=close, words=3)
    with (
        patch.object(reading, "NOTATION", notation),
        patch("robustnmf._tables.survey.NOTATION", notation),
        patch.object(reading, "_BATCH", batch),
    ):
        fast = state(records, decimal, missing, fast=True)
        slow = state(records, decimal, missing, fast=False)
    for one, two in zip(fast, slow, strict=True):
        # Of words alone it does not matter how often a number is among them.
        assert_array_equal(one.numbers, two.numbers)
        assert_array_equal(np.signbit(one.numbers), np.signbit(two.numbers))
        assert (one.number_format, one.strange) == (two.number_format, two.strange)
        for name in (
            "decimals",
            "groups",
            "unclear",
            "units",
            "first",
            "strange",
            "small",
            "large",
        ):
            assert getattr(one.survey, name) == getattr(two.survey, name), name
        assert_allclose(one.survey.log_small, two.survey.log_small, atol=1e-9)
        for sign in ".,":
            assert_allclose(one.survey.log_unclear[sign], two.survey.log_unclear[sign], atol=1e-9)


@settings(deadline=None)
@for_all(st.lists(st.one_of(CELLS, st.text("0123456789.+-eE ", max_size=26)), min_size=1))
def test_plain_numbers_are_those_of_float(cells):
    cells = [cell for cell in cells if "," not in cell and '"' not in cell] or ["1"]
    found = cut("\n".join([*cells, ""]), (len(cells), 1), ",", ".")
    for i, cell in enumerate(cells):
        number_format = NumberFormat()
        value = parse(cell.strip(" "), number_format)
        if found.plain[i, 0]:
            assert found.values[i, 0] == value
            assert max(found.decimals[i, 0], 0) == number_format.decimals
        else:
            # What is left to others is long, or has an exponent.
            assert value is None or number_format.exponents or len(cell.strip()) > 24
        assert found.raw(i, 0) == cell
        assert found.empty[i, 0] == (not cell.strip(" "))


@pytest.mark.parametrize("text", ["1,2\n3\n", "1,2\n3,4,5\n", "1,2,3\n4\n"])
def test_uneven_rows_are_not_cut(text):
    assert cut(text, (2, 2), ",", ".") is None
    with pytest.raises(UnevenError):
        look_through(Records(text.splitlines(True), ",", 2), [ColumnReader(".", MISSING, 2)] * 2)
