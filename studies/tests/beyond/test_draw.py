import numpy as np
import pandas as pd
import pytest

from robustnmf_studies.beyond.draw import LEGEND, draw_all
from robustnmf_studies.beyond.gallery import compare_masks
from robustnmf_studies.beyond.methods import NAMES
from robustnmf_studies.beyond.numbers import by_case, case_words, number_tables
from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.storage import Storage


def test_only_what_there_are_numbers_for_is_drawn(ideal_numbers, tmp_path):
    storage = Storage(tmp_path)
    drawn = draw_all({name: ideal_numbers[name] for name in ("ranks", "samples")}, storage)
    assert {name: len(panels) for name, panels in drawn.items()} == {"rank": 3}
    for words, svg in drawn["rank"]:
        assert words
        assert svg.startswith("<svg")
    assert {file.name for file in storage.figures.iterdir()} == {"rank.png", "rank.svg"}


def test_without_numbers_nothing_is_drawn(tmp_path):
    assert draw_all({}, Storage(tmp_path)) == {}
    assert not any(len(table) for table in number_tables({}).values())


def test_every_method_has_a_line_of_its_own():
    assert sorted(label for label, _ in LEGEND) == sorted(NAMES.values())
    assert len({str(look) for _, look in LEGEND}) == len(NAMES)


def test_tables_hold_a_row_for_every_place(ideal_numbers):
    tables = number_tables(ideal_numbers)
    assert len(tables["f1"]) == 6
    # Five corruptions at four shares, occlusion at three, and 200 faces; ten cases or less of
    # every other set.
    assert len(tables["other-f1"]) == 4 * 4 + 3 + 1 + 10 + 10 + 8
    assert len(tables["auto"]) == 6 + len(tables["other-f1"])
    for table in tables.values():
        assert table.attrs["title"]


def test_places_stand_in_the_order_of_the_plan_with_means_and_medians():
    def row(corruption, amount, run, method="auto", **values):
        columns = {"data": "lfw", "n": 100, "corruption": corruption, "amount": amount, "run": run}
        return {**columns, "method": method, "f1": 0.8, "relative": 1.0, **values}

    rows = [row("spikes", 0.1, 0), row("salt", 0.1, 0, "oracle", f1=0.9)]
    rows += [row("salt", 0.1, run, relative=time) for run, time in enumerate((2.0, 3.0, 40.0))]
    rows += [row("salt", 60, 0, f1=None)]
    found = by_case(pd.DataFrame(rows))
    assert [case_words(case) for case in found.index] == [
        "LFW faces, n = 100, salt 60 px",
        "LFW faces, n = 100, salt 10 %",
        "LFW faces, n = 100, spikes of both signs 10 %",
    ]
    assert found["relative", "auto"].tolist() == [1.0, 3.0, 1.0]
    assert found["runs", "auto"].tolist() == [1, 3, 1]
    assert found["gap", "auto"].iloc[1] == pytest.approx(0.1)
    shown = number_tables({"detect": pd.DataFrame(rows)})["other-f1"]
    assert rows_of(shown)[0] == ("LFW faces, n = 100, salt 60 px", "1", "–", "–")


def test_masks_are_coloured_by_what_is_right():
    true = np.array([[1, 1, 0, 0]])
    found = np.array([[1, 0, 1, 0]])
    colours = [tuple(pixel) for pixel in compare_masks(true, found)[0].tolist()]
    assert len(set(colours)) == 4
    assert min(colours[-1]) > 240
