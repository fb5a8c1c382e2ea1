import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf._tables.numerals import NumberFormat, numeral, parse


@given(st.lists(st.floats(-1e9, 1e9).map(lambda x: f"{x:.4f}"), min_size=1))
def test_a_number_of_a_column_is_written_as_it_was(cells):
    number_format = NumberFormat()
    numbers = [parse(cell, number_format) for cell in cells]
    assert [numeral(number, number_format) for number in numbers] == cells


@pytest.mark.parametrize(
    ("cells", "value", "text"),
    [
        (["1", "20"], 7.6, "8"),
        (["1", "2.50"], 7, "7.00"),
        (["1e-3", "2e5"], 0.123456789, "0.123457"),
        (["0.000001"], 2e-6, "0.000002"),
    ],
)
def test_new_numbers_look_like_their_neighbours(cells, value, text):
    number_format = NumberFormat()
    for cell in cells:
        parse(cell, number_format)
    assert numeral(value, number_format) == text
