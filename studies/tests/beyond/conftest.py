"""Numbers for which every target is met."""

import pandas as pd
import pytest

from robustnmf_studies.beyond.settings import FULL, NONE, cases_of


def detect_rows(cases):
    for case in cases:
        columns = {
            name: getattr(case, name) for name in ("data", "n", "corruption", "amount", "run")
        }
        wrong = case.corruption != NONE
        for method, f1, wh, noise in (
            ("fixed", 0.7, 1.6, 0.5),
            ("told", 0.85, 1.3, 0.4),
            ("refit", 0.7, 1.3, 0.2),
            ("squared_l0", 0.85, 1.2, 0.2),
            ("auto", 0.94, 1.01, 0.1),
            ("pcp", 0.9, 1.5, 0.3),
            ("oracle", 0.95, 1.0, 0.1),
        ):
            row = {
                **columns,
                "method": method,
                "f1": f1 if wrong else None,
                "precision": f1 if wrong else None,
                "recall": f1 if wrong else None,
                "flagged": None if method in ("pcp", "oracle") else 0.1 if wrong else 0.001,
                "wh_relative": wh,
                "restored": 0.1 if wrong else None,
                "noise_error": noise if wrong else None,
                "relative": 3.0,
            }
            if method == "auto":
                share = 0.1 if wrong else 0.0
                row |= {"sure": share, "sure_right": 0.95 if wrong else None}
                row |= {"estimated_share": share, "true_share": share}
            yield row


def rank_rows(cases):
    for case in cases:
        yield {
            "data": case.data,
            "n": case.n,
            "corruption": case.corruption,
            "amount": case.amount,
            "run": case.run,
            "rank": case.k,
            "found": case.k or 10,
            "relative_fixed": 40.0,
            "relative_auto": 12.0,
        }


def sample_rows(cases):
    for case in cases:
        for method, relative in (("fixed", 1.2), ("auto", 1.01)):
            yield {
                "data": case.data,
                "corruption": case.corruption,
                "run": case.run,
                "method": method,
                "relative": relative,
                "precision": 1.0 if method == "auto" else None,
                "recall": 1.0 if method == "auto" else None,
                "false_alarms": 0.0 if method == "auto" else None,
            }


@pytest.fixture
def ideal():
    """Rows by table, to be changed at will."""
    cases = cases_of(FULL, "orl", 400)
    by_kind = {
        kind: [case for case in cases if case.kind == kind]
        for kind in ("detect", "rank", "samples")
    }
    bins = [
        {"corruption": "salt", "bin": i / 10, "count": 5, "probability": i / 10, "right": i / 10}
        for i in range(10)
    ]
    return {
        "detect": list(detect_rows(by_kind["detect"])),
        "ranks": list(rank_rows(by_kind["rank"])),
        "samples": list(sample_rows(by_kind["samples"])),
        "calibration": bins,
    }


@pytest.fixture
def ideal_numbers(ideal):
    return {name: pd.DataFrame(rows) for name, rows in ideal.items()}
