import json
import math
from dataclasses import asdict

import pytest

from robustnmf_studies.bench.document import parts, write_page
from robustnmf_studies.bench.registry import TARGETS
from robustnmf_studies.bench.results import (
    FASTER,
    SHARE,
    Result,
    Row,
    compared,
    read_results,
    side_by_side,
    write_result,
)
from robustnmf_studies.bench.tables import figure, notes, tables
from robustnmf_studies.common.frames import rows_of, to_markdown

ABOUT = {
    "date": "2024-01-01",
    "machine": {
        "processor": "a processor",
        "system": "Linux",
        "threads": 2,
        "blas": "openblas 0.3",
        "versions": {"numpy": "2.0"},
        "gemm_gflops": {"float64": 50.0, "float32": 100.0},
        "triad_gbytes": 10.0,
    },
    "plan": {"repeat": 3},
    "seconds": {"all": 120.0},
}
QUALITY = {"precision": 0.9, "recall": 0.8, "f1": 0.85, "best_f1": 0.87, "msre": 1234.5}
GAPS = [
    {"gap": 1e-2, "reached": 2, "of": 2, "iterations": 20.0, "seconds": 0.5},
    {"gap": 1e-3, "reached": 0, "of": 2, "iterations": None, "seconds": None},
]


def some_result():
    return Result(
        ABOUT,
        [
            compared("noise-off.large", "a race", FASTER, [(1.0, 3.0), (2.0, 5.0)], rival="them"),
            compared(
                "gemm.float64",
                "an iteration",
                SHARE,
                [(0.3, 0.2)],
                rival="BLAS",
                details={
                    "whole": 0.25,
                    "blocks": 0.2,
                    "reading": 0.05,
                    "dtype": "float64",
                    "gemm_flops": 4.8e9,
                    "noise_flops": 7e8,
                    "sweep_flops": 1e8,
                    "bytes": 3.3e8,
                },
            ),
            Row(
                "growth.n",
                "growth",
                "exponent",
                [1.01, 1.0],
                details={"axis": "n", "values": [10, 20], "seconds": [0.1, 0.2]},
            ),
            compared(
                "others.pcp",
                "a fit",
                FASTER,
                [(1.0, 2.0)],
                rival="PCP",
                details={"ours": QUALITY, "theirs": QUALITY},
            ),
            Row("others.gensim", "a fit", FASTER, [], rival="gensim", note="not installed"),
            Row("tuning.present", "a setting", SHARE, [1.5], ours=0.5, details={"gaps": GAPS}),
        ],
    )


def test_ratio_is_taken_within_each_round():
    rounds = [(1.0, 4.0), (2.0, 4.0)]
    faster = compared("k", "w", FASTER, rounds, rival="r")
    assert faster.values == [4.0, 2.0]
    assert faster.median == 3.0
    assert compared("k", "w", SHARE, rounds, rival="r").values == [0.25, 0.5]
    assert (faster.ours, faster.theirs) == (1.5, 4.0)


def test_calls_are_timed_in_turn_after_a_first_one():
    log = []
    row = side_by_side(
        "k", "w", SHARE, lambda: log.append("a"), lambda: log.append("b"), 2, lambda _: None
    )
    assert "".join(log) == "ab" + "abab"
    assert len(row.values) == 2


def test_race_never_won_counts_as_infinitely_slow():
    row = compared("noise-off.large", "w", FASTER, [(math.inf, 4.0)], rival="r")
    assert row.values == [0.0]
    assert row.ours is None
    assert row.verdict == "missed"
    json.dumps(asdict(row), allow_nan=False)


@pytest.mark.parametrize("key", TARGETS)
def test_verdict_flips_at_the_bound(key):
    sign, words = TARGETS[key].target.split()
    bound, better = float(words), 1.01 if sign == "≥" else 0.99

    def verdict(*values):
        return Row(key, "", "", list(values)).verdict

    assert verdict(bound) == "met"
    assert verdict(bound * better) == "met"
    assert verdict(bound / better) == "missed"
    # The median decides: one bad round does not.
    assert verdict(bound / better, *[bound] * 2) == "met"


def test_verdict_says_when_the_conditions_were_easier():
    assert Row("noise-off.large", "", "", [9.0], exact=False).verdict == "met*"
    assert Row("noise-off.large", "", "", [0.1], exact=False).verdict == "missed*"


def test_verdict_without_figures_or_target():
    assert Row("noise-off.large", "", "", []).verdict == "not measured"
    assert Row("others.pcp", "", "", [1.0]).verdict == ""


def test_file_gives_back_what_was_written(tmp_path):
    path = tmp_path / "result.json"
    write_result(some_result(), path)
    assert read_results(path) == some_result()
    assert [file.name for file in tmp_path.iterdir()] == ["result.json"]


@pytest.mark.parametrize("text", ["{}", "[]", "no json", '{"about": {}, "rows": [{"a": 1}]}'])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"other\.json is not a result of 'robustnmf bench'"):
        read_results(path)


def test_comparison_table():
    first, *_ = rows_of(tables(some_result())["comparisons"])
    assert first == (
        "a race",
        "them",
        "1.50 s",
        "4.00 s",
        "2.75 × faster",
        "2.50 to 3.00",
        "≥ 2",
        "met",
    )


def test_missing_package_is_in_both_tables():
    assert "not installed" in rows_of(tables(some_result())["comparisons"])[-1]
    assert rows_of(tables(some_result())["others"])[-1][:2] == ("gensim", "not installed")


def test_target_table_names_every_target():
    sheet = tables(some_result())["targets"]
    assert len(sheet) == len(TARGETS)
    assert {row[-1] for row in rows_of(sheet)} == {"met", "not measured"}


def test_tuning_table_is_apart():
    sheet = tables(some_result())["tuning"]
    assert rows_of(sheet) == [("1", "a setting (now)", "1.50", "20, 0.500 s, 2/2", "–")]
    assert tuple(sheet.columns[-2:]) == ("to 0.01", "to 0.001")


def test_tables_about_nothing_are_empty():
    filled = [name for name, t in tables(Result(ABOUT, some_result().rows[:1])).items() if len(t)]
    assert filled == ["targets", "comparisons"]
    assert all(len(table) for table in tables(some_result()).values())


def test_easier_conditions_are_explained():
    row = Row("noise-off.large", "", FASTER, [9.0], exact=False, note="a note")
    assert notes(Result(ABOUT, [row])) == [
        "noise-off.large: a note",
        "* not the size or the number of iterations that the target is set for",
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.00123, "0.00123"),
        (0.5, "0.500"),
        (1.234, "1.23"),
        (99.94, "99.9"),
        (1e4, "10,000"),
    ],
)
def test_figures_have_three_digits(value, text):
    assert figure(value) == text


def test_page_is_filled_and_can_be_filled_again(tmp_path):
    names = parts(some_result())
    assert set(names) == {
        "machine",
        "targets",
        "comparisons",
        "notes",
        "others",
        "growth",
        "work",
        "tuning",
    }
    page = tmp_path / "page.md"
    page.write_text("".join(f"# {name}\n<!-- {name} -->\n<!-- /{name} -->\n" for name in names))
    write_result(some_result(), tmp_path / "result.json")
    write_page(page, tmp_path / "result.json")
    once = page.read_text(encoding="utf-8")
    assert "| a race | them |" in once
    assert "| float64 | one iteration, measured | 300 |" in once
    write_page(page, tmp_path / "result.json")
    assert page.read_text(encoding="utf-8") == once


def test_page_of_several_runs_has_the_rows_of_all(tmp_path):
    whole = some_result()
    for i, rows in enumerate((whole.rows[:1], whole.rows[1:])):
        write_result(Result(whole.about, rows), tmp_path / f"{i}.json")
    page = tmp_path / "page.md"
    page.write_text("".join(f"<!-- {name} -->\n<!-- /{name} -->\n" for name in parts(whole)))
    write_page(page, tmp_path / "0.json", tmp_path / "1.json")
    assert parts(whole)["comparisons"] in page.read_text(encoding="utf-8")
    both = read_results(tmp_path / "0.json", tmp_path / "1.json", tmp_path / "0.json")
    assert both.about["seconds"]["all"] == 3 * whole.about["seconds"]["all"]
    assert both.rows == whole.rows


def test_study_alone_touches_only_its_own_table():
    assert set(parts(Result(ABOUT, some_result().rows[-1:]))) == {"tuning"}
    assert "tuning" not in parts(Result(ABOUT, some_result().rows[:-1]))


def test_page_of_the_documentation_has_all_markers(docs):
    text = (docs / "performance.md").read_text(encoding="utf-8")
    for name in parts(some_result()):
        assert f"<!-- {name} -->" in text
        assert f"<!-- /{name} -->" in text


def test_markdown_of_a_table():
    text = to_markdown(tables(some_result())["targets"])
    lines = text.splitlines()
    assert len({line.count("|") for line in lines}) == 1
