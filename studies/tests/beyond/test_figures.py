import numpy as np

from robustnmf_studies.beyond.figures import draw_all
from robustnmf_studies.beyond.gallery import compare_masks
from robustnmf_studies.beyond.looks import legend_entries
from robustnmf_studies.beyond.methods import NAMES
from robustnmf_studies.beyond.sheets import number_sheets
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
    assert number_sheets({}) == {}


def test_every_method_has_a_line_of_its_own():
    labels = [label for label, _ in legend_entries()]
    assert sorted(labels) == sorted(NAMES.values())
    looks = {str(look) for _, look in legend_entries()}
    assert len(looks) == len(labels)


def test_tables_hold_a_row_for_every_place(ideal_numbers):
    sheets = number_sheets(ideal_numbers)
    assert len(sheets["f1"]) == 6
    # Five corruptions at four shares, occlusion at three, and 200 faces; ten places or less of
    # every other set.
    assert len(sheets["other-f1"]) == 4 * 4 + 3 + 1 + 10 + 10 + 8
    assert len(sheets["auto"]) == 6 + len(sheets["other-f1"])
    for sheet in sheets.values():
        assert sheet.attrs["title"]


def test_masks_are_coloured_by_what_is_right():
    true = np.array([[1, 1, 0, 0]])
    found = np.array([[1, 0, 1, 0]])
    colours = [tuple(pixel) for pixel in compare_masks(true, found)[0].tolist()]
    assert len(set(colours)) == 4
    assert colours[-1] == (255, 255, 255)
