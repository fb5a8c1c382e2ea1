import pandas as pd

from robustnmf_studies.paper.rivals import rivals


def outcome(rows, name, column):
    numbers = {table: pd.DataFrame(found) for table, found in rows.items()}
    (rival,) = (rival for rival in rivals(numbers) if rival.name.startswith(name))
    return rival.outcomes[column]


def test_a_better_rival_is_said_to_be_better(ideal):
    # 300 thousand against 380 and 350 with no noise, and more with it: better everywhere.
    assert outcome(ideal, "robust PCA", 1).startswith("better at 36 of 36")
    for row in ideal["faces"]:
        if row["method"] == "pcp":
            row["msre"] = 5e6
    assert outcome(ideal, "robust PCA", 1).startswith("better at 0 of 36")


def test_it_is_compared_with_the_better_of_the_two(ideal):
    for row in ideal["faces"]:
        if row["method"] == "refit":
            row["msre"] = 1.0
    assert outcome(ideal, "robust PCA", 1).startswith("better at 0 of 36")


def test_equal_is_not_better(ideal):
    for row in ideal["pictures"]:
        row["psnr"] = 25.0
    assert outcome(ideal, "scikit-learn's NMF", 2).startswith("better at 0 of 2")


def test_higher_is_better_where_it_is(ideal):
    assert outcome(ideal, "3×3 median", 0).startswith("better at 36 of 36")
