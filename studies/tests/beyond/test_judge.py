import pandas as pd
import pytest

from robustnmf_studies.beyond.judge import judge
from robustnmf_studies.common.targets import as_records, tally, target_table


def verdicts(rows):
    numbers = {name: pd.DataFrame(part) for name, part in rows.items()}
    return {found.name: found.verdict for found in judge(numbers)}


def test_without_numbers_nothing_is_decided():
    assert set(verdicts({}).values()) == {"not measured"}


def test_good_numbers_meet_every_target(ideal):
    assert set(verdicts(ideal).values()) == {"met"}


def change(rows, table, values, **where):
    """Change the rows that hold certain values; at least one must."""
    chosen = [row for row in rows[table] if all(row[name] == v for name, v in where.items())]
    assert chosen
    for row in chosen:
        row.update(values)


@pytest.mark.parametrize(
    ("name", "table", "values", "where"),
    [
        ("f1-50-50", "detect", {"f1": 0.89}, {"n": 50, "amount": 50, "method": "auto"}),
        ("wh-400-100", "detect", {"wh_relative": 1.04}, {"n": 400, "method": "auto"}),
        (
            "orl-random",
            "detect",
            {"f1": 0.91},
            {"data": "orl", "corruption": "random", "amount": 0.2, "method": "auto"},
        ),
        (
            "digits-occlusion",
            "detect",
            {"f1": 0.91},
            {"data": "digits", "corruption": "occlusion", "method": "auto"},
        ),
        (
            "none",
            "detect",
            {"flagged": 0.006},
            {"data": "lfw", "corruption": "none", "method": "auto"},
        ),
        ("cost", "detect", {"relative": 4.1}, {"data": "synthetic", "method": "auto"}),
        ("sure", "detect", {"sure_right": 0.8}, {"corruption": "spikes", "method": "auto"}),
        ("refit-wh", "detect", {"wh_relative": 1.0}, {"n": 200, "method": "refit"}),
        ("refit-noise", "detect", {"noise_error": 0.05}, {"amount": 0.3, "method": "refit"}),
        ("rank-exact", "ranks", {"found": 4}, {"amount": 0.15}),
        ("rank-miss", "ranks", {"found": 17}, {"rank": 20, "run": 3, "amount": 0.15}),
        ("rank-cost", "ranks", {"relative_auto": 15.5}, {"rank": 20, "amount": 0.05}),
        ("foreign-camera", "samples", {"relative": 1.06}, {"corruption": "camera"}),
    ],
)
def test_worse_numbers_miss_it(ideal, name, table, values, where):
    change(ideal, table, values, **where)
    assert verdicts(ideal)[name] == "missed"


def test_bad_place_is_named(ideal):
    change(ideal, "detect", {"f1": 0.5}, data="lfw", corruption="salt", amount=0.3, method="auto")
    judged = {found.name: found for found in judge({"detect": pd.DataFrame(ideal["detect"])})}
    finding = judged["lfw-salt"]
    assert finding.verdict == "missed"
    assert finding.measured == "+0.450"
    assert "1 of 2 cases; worst: LFW faces, n = 100, salt 30 %; 5 runs" in finding.where


def test_orl_targets_need_the_orl_faces(ideal):
    rows = {"detect": [row for row in ideal["detect"] if row["data"] != "orl"]}
    found = verdicts(rows)
    assert found["f1-100-100"] == "not measured"
    assert found["lfw-salt"] == "met"


def test_every_target_is_told_once(ideal_numbers):
    judged = judge(ideal_numbers)
    names = [target.name for target in judge({})]
    assert len(set(names)) == len(names)
    assert [record["name"] for record in as_records(judged)] == names
    assert target_table(judged, where=True).shape == (len(names), 4)
    assert target_table(judged).shape == (len(names), 3)
    assert tally(judged) == {"met": len(names), "missed": 0, "not measured": 0}
