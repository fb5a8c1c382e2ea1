import pandas as pd

from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.paper.numbers import FIG2, FIG3, rival_table


def outcome(rows, name, column):
    numbers = {table: pd.DataFrame(found) for table, found in rows.items()}
    (found,) = (row for row in rows_of(rival_table(numbers)) if row[0].startswith(name))
    return found[1 + column]


def test_a_better_rival_is_said_to_be_better(ideal):
    # 300 thousand against 380 and 350 with no noise, and more with it: better everywhere.
    assert outcome(ideal, "robust PCA", 1).startswith("better in 36 of 36")
    for row in ideal["faces"]:
        if row["method"] == "pcp":
            row["msre"] = 5e6
    assert outcome(ideal, "robust PCA", 1).startswith("better in 0 of 36")


def test_it_is_compared_with_the_better_of_the_two(ideal):
    for row in ideal["faces"]:
        if row["method"] == "refit":
            row["msre"] = 1.0
    assert outcome(ideal, "robust PCA", 1).startswith("better in 0 of 36")


def test_equal_is_not_better(ideal):
    for row in ideal["pictures"]:
        row["psnr"] = 25.0
    assert outcome(ideal, "scikit-learn's NMF", 2).startswith("better in 0 of 2")


def test_higher_is_better_where_it_is(ideal):
    assert outcome(ideal, "3×3 median", 0).startswith("better in 36 of 36")


def test_both_modes_and_all_references_are_on_the_axes():
    detectors = {pair for panel in FIG2 for pair in panel.methods}
    assert {("robust", "paper"), ("robust", "optimum")} <= detectors
    for panels in (FIG2, FIG3):
        for panel in panels:
            methods = {method for method, _ in panel.methods}
            assert {"oracle", "nmf", "pcp", "median"} <= methods
    assert {panel.methods[1] for panel in FIG3} == {("robust", "paper"), ("robust", "optimum")}


def test_methods_without_lam_are_level_lines(ideal_numbers):
    panel = next(panel for panel in FIG2 if panel.title == "Recall, 50 faces")
    curve = panel.curves(ideal_numbers["faces"])["pcp", "reference"]
    assert curve.x == [0.01, 0.16]
    assert curve.mean[0] == curve.mean[1]


def test_without_numbers_no_rival_is_compared():
    assert {cell for row in rows_of(rival_table({})) for cell in row[1:]} == {"–"}
