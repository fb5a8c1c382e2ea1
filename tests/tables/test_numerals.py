import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf._tables.numerals import Look, numeral, parse


@given(st.lists(st.floats(-1e9, 1e9).map(lambda x: f"{x:.4f}"), min_size=1))
def test_a_number_of_a_column_is_written_as_it_was(cells):
    look = Look()
    numbers = [parse(cell, look) for cell in cells]
    assert [numeral(number, look) for number in numbers] == cells


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
    look = Look()
    for cell in cells:
        parse(cell, look)
    assert numeral(value, look) == text
