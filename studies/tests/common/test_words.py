import pandas as pd
import pytest

from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.words import read_words, row_table


def test_each_row_is_written_in_the_forms_of_the_columns():
    frame = pd.DataFrame({"name": ["a", "b"], "runs": [3, 4], "share": [0.125, None]})
    columns = {"who": "{name}, {runs} runs", "share": "{share:.1%}", "of": "{runs} % of {share:g}"}
    table = row_table("Title", frame, columns)
    assert table.attrs["title"] == "Title"
    assert list(table.columns) == list(columns)
    # Whole numbers stay whole, and a cell that lacks one of its figures has none of them.
    assert rows_of(table) == [("a, 3 runs", "12.5 %", "3 % of 0.125"), ("b, 4 runs", "–", "–")]


def test_without_rows_there_are_headings():
    table = row_table("Title", pd.DataFrame(), {"n": "{n}"})
    assert list(table.columns) == ["n"]
    assert len(table) == 0


@pytest.mark.parametrize(
    ("study", "name"), [("paper", "claims"), ("beyond", "targets"), ("beyond", "tables")]
)
def test_words_are_part_of_the_package(study, name):
    assert read_words(study, name)
