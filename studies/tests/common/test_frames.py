import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf_studies.common.frames import (
    curve_of,
    groups,
    mean_of,
    means,
    pick,
    records,
    rows_of,
    table_of,
    text_table,
    to_markdown,
    unique_of,
    values_of,
)

ROWS = [
    {"n": 10, "run": 0, "f1": 0.4},
    {"n": 10, "run": 1, "f1": 0.6},
    {"n": 20, "run": 0, "f1": None},
    {"n": 20, "run": 1, "f1": 0.8},
    {"n": 30, "run": 0},
]
FRAME = pd.DataFrame(ROWS)


def test_pick_takes_a_value_or_any_of_several():
    assert len(pick(FRAME, n=10)) == 2
    assert len(pick(FRAME, n=(10, 20), run=1)) == 2
    assert len(pick(FRAME, f1=None)) == 2
    assert len(pick(FRAME, absent=1)) == 0
    assert len(pick(FRAME, absent=None)) == len(FRAME)
    assert len(pick(pd.DataFrame(), n=1)) == 0


def test_pick_compares_truths_beside_missing_ones():
    frame = pd.DataFrame({"harm": [True, None, False]})
    assert pick(frame, harm=True).index.tolist() == [0]
    assert pick(frame, harm=False).index.tolist() == [2]


_CELLS = st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["a", "b"]))


@given(
    st.lists(st.fixed_dictionaries({}, optional={"x": _CELLS, "y": _CELLS}), max_size=8),
    st.fixed_dictionaries(
        {}, optional={"x": st.one_of(_CELLS, st.lists(st.integers(0, 3), max_size=2)), "y": _CELLS}
    ),
)
def test_pick_agrees_with_a_loop(rows, conditions):
    def fits(row):
        for name, wanted in conditions.items():
            value = row.get(name)
            if value not in wanted if isinstance(wanted, list) else value != wanted:
                return False
        return True

    frame = pd.DataFrame(rows, dtype=object, index=range(len(rows)))
    expected = [i for i, row in enumerate(rows) if fits(row)]
    assert pick(frame, **conditions).index.tolist() == expected


def test_curve_averages_over_runs_and_leaves_out_what_is_missing():
    curve = curve_of(FRAME, "n", "f1")
    assert curve.x == [10, 20]
    assert curve.mean == pytest.approx([0.5, 0.8])
    assert curve.spread == pytest.approx([math.sqrt(0.02), 0.0])
    assert curve.counts == [2, 1]
    assert curve.error == pytest.approx([0.1, math.inf])
    assert curve_of(FRAME, "n", "absent").x == curve_of(pd.DataFrame(), "n", "f1").x == []


def test_means_are_those_of_the_curve():
    curve = curve_of(FRAME, "n", "f1")
    assert means(FRAME, "n", "f1").to_dict() == dict(zip(curve.x, curve.mean, strict=True))
    assert means(FRAME, "n", "absent").empty
    assert means(pd.DataFrame(), "n", "f1").empty


def test_groups_hold_every_row_once():
    assert {n: len(rows) for n, rows in groups(FRAME, "n")} == {10: 2, 20: 2, 30: 1}
    assert list(groups(FRAME, "absent")) == []


def test_what_is_not_there_has_no_values():
    assert math.isnan(mean_of(pd.DataFrame(), "f1"))
    assert values_of(FRAME, "absent") == unique_of(FRAME, "absent") == []
    assert len(table_of({}, "faces")) == 0


def test_columns_skip_what_is_missing():
    assert values_of(FRAME, "f1") == [0.4, 0.6, 0.8]
    assert unique_of(FRAME, "n") == [10, 20, 30]
    assert mean_of(FRAME, "f1") == pytest.approx(0.6)
    assert [row["f1"] for row in records(FRAME)] == [0.4, 0.6, None, 0.8, None]


def test_words_stay_as_they_were_written():
    table = text_table("t", ("a", "F1", "F1"), [("x", "0.50", "1e3"), ("y|z", "–", "")])
    assert rows_of(table) == [("x", "0.50", "1e3"), ("y|z", "–", "")]
    assert table.head(1).attrs["title"] == "t"
    assert to_markdown(table).splitlines() == [
        "| a | F1 | F1 |",
        "|---|---|---|",
        "| x | 0.50 | 1e3 |",
        "| y\\|z | – |  |",
    ]
    assert to_markdown(text_table("t", ("a",))) == "| a |\n|---|"
