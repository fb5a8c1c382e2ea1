import json

import pandas as pd
import pytest

from robustnmf_studies.common.verdicts import FAILS, HOLDS, UNKNOWN
from robustnmf_studies.paper import judge as judge_module
from robustnmf_studies.paper.judge import CLAIMS, as_records, judge, tally, to_markdown


def verdicts(rows, name):
    numbers = {table: pd.DataFrame(found) for table, found in rows.items()}
    (claim,) = (claim for claim in CLAIMS if claim.name == name)
    return {mode: claim.decide(numbers, mode).verdict for mode in claim.modes}


def change(table, update, **where):
    """Make a corruption: in the rows of a table that fit, put other numbers."""

    def corrupt(rows):
        for row in rows[table]:
            if all(row.get(key) == value for key, value in where.items()):
                row.update(update(row))

    return corrupt


def method_as_bad_as_nmf(rows):
    for row in rows["faces"]:
        if row["method"] in ("robust", "refit"):
            row["msre"] = 500e3 + 10e3 * row["pixels"]


# For each claim, numbers that refute it.
CORRUPTIONS = {
    "precision": change("faces", lambda r: {"precision": 0.85}, method="robust"),
    "recall": change("faces", lambda r: {"recall": 0.45}, method="robust"),
    "grows": change("faces", lambda r: {"precision": 0.95, "recall": 0.6}, method="robust"),
    "levels-off": change(
        "faces", lambda r: dict.fromkeys(("precision", "recall"), 0.005 * r["n"]), method="robust"
    ),
    "lam-bars": change("faces", lambda r: {"precision": 0.89}, method="robust"),
    "lam-trend": change(
        "faces",
        lambda r: {"precision": 0.99 - r["lam"], "recall": 0.5 + r["lam"]},
        method="robust",
    ),
    "lam-portion": change("portion", lambda r: {"f1": 1 - abs(r["lam"] - 0.02)}),
    "nonzero": change("traces", lambda r: {"precision_0": 0.07, "precision_0.01": 0.3}),
    "thresholds-poor": change("curves", lambda r: {"precision": 0.95, "recall": 0.9, "f1": 0.92}),
    "thresholds-sensitive": change("curves", lambda r: {"f1": 0.5}),
    "plain-sensitive": change("sensitivity", lambda r: {"msre_polluted": 1.01}),
    "beats-by-faces": method_as_bad_as_nmf,
    "beats-by-pixels": method_as_bad_as_nmf,
    "advantage-grows": change("faces", lambda r: {"msre": 500e3}, method="nmf"),
    "refit-beats": change("faces", lambda r: {"msre": 2e6}, method="refit"),
    "underestimates": change("shrinkage", lambda r: {"estimate": r["true"]}),
    "pictures": change("pictures", lambda r: {"psnr": 30.0, "ssim": 0.9}, method="nmf"),
    "never-rises": change("falls", lambda r: {"largest_rise": 1e-3}),
    "converges": change("falls", lambda r: {"late_fall_stated": 0.1, "late_fall_last": 0.01}),
    "efficient": change("falls", lambda r: {"at_stated": 2e6}),
    "constraint": lambda rows: [
        row.update(negative_share=0.1) for table in ("falls", "constraint") for row in rows[table]
    ],
}


def test_every_claim_has_a_corruption():
    assert set(CORRUPTIONS) == {claim.name for claim in CLAIMS} == set(judge_module._DECIDE)
    assert len({claim.name for claim in CLAIMS}) == len(CLAIMS)


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_verdict_flips_when_the_numbers_are_corrupted(name, ideal):
    assert set(verdicts(ideal, name).values()) == {HOLDS}
    CORRUPTIONS[name](ideal)
    assert set(verdicts(ideal, name).values()) == {FAILS}


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS if len(claim.modes) > 1])
def test_verdict_follows_its_own_mode_alone(name, ideal):
    """Numbers of one mode must not decide about the other."""
    broken = {table: [dict(row) for row in rows] for table, rows in ideal.items()}
    CORRUPTIONS[name](broken)
    mixed = {
        table: [
            b if b.get("mode") == "paper" else a for a, b in zip(rows, broken[table], strict=True)
        ]
        for table, rows in ideal.items()
    }
    assert verdicts(mixed, name) == {"paper": FAILS, "optimum": HOLDS}


def test_finding_nothing_is_no_precision(ideal):
    change("faces", lambda r: {"precision": None, "recall": 0.0}, method="robust")(ideal)
    assert set(verdicts(ideal, "precision").values()) == {FAILS}


def test_holding_at_some_places_is_holding_partly(ideal):
    change("faces", lambda r: {"precision": 0.5}, method="robust", n=10)(ideal)
    numbers = {table: pd.DataFrame(rows) for table, rows in ideal.items()}
    finding = CLAIMS[0].decide(numbers, "paper")
    assert finding.verdict == "holds partly"
    assert "from 20 on" in finding.where
    assert "50 % (at 10 faces)" in finding.measured


@pytest.mark.parametrize("name", [claim.name for claim in CLAIMS])
def test_no_numbers_no_verdict(name):
    assert set(verdicts({}, name).values()) == {UNKNOWN}


def test_fewer_faces_than_the_paper_had_are_no_error(ideal):
    """A file of sixty faces has no curve at a hundred."""
    few = {
        table: pd.DataFrame([row for row in rows if row.get("n", 0) < 100])
        for table, rows in ideal.items()
    }
    assert {f.verdict for judged in judge(few) for f in judged.findings.values()} == {
        HOLDS,
        UNKNOWN,
    }


def test_records_are_json_and_hold_everything(ideal_numbers):
    records = json.loads(json.dumps(as_records(judge(ideal_numbers)), allow_nan=False))
    assert [record["name"] for record in records] == [claim.name for claim in CLAIMS]
    for record in records:
        assert record["claim"]
        assert record["test"]
        for finding in record["findings"].values():
            assert finding["verdict"] == HOLDS
            assert finding["measured"]


def test_tally_counts_the_verdicts(ideal_numbers):
    judged = judge(ideal_numbers)
    in_paper = sum("paper" in claim.modes for claim in CLAIMS)
    assert tally(judged, "paper")[HOLDS] == in_paper
    assert tally(judge({}), "paper")[UNKNOWN] == in_paper


def test_markdown_has_a_row_for_each_claim_and_mode(ideal_numbers):
    lines = to_markdown(judge(ideal_numbers)).splitlines()
    assert len(lines) == 2 + sum(len(claim.modes) for claim in CLAIMS)
    assert {line.count("|") for line in lines} == {5}
    for claim in CLAIMS:
        assert sum(claim.sentence in line for line in lines) == 1
