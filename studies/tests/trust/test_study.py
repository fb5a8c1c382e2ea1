"""The study: its cases, targets, tables of words, report and page."""

import json
import re

import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app
from robustnmf_studies.common.study import Options, run_study, write_page
from robustnmf_studies.trust import compute as computing
from robustnmf_studies.trust import damage, errors, settings, study
from robustnmf_studies.trust.compute import compute
from robustnmf_studies.trust.matrices import EDITIONS as MATRIX_EDITIONS
from robustnmf_studies.trust.matrices import load_matrix
from robustnmf_studies.trust.matrix_numbers import matrix_sheets
from robustnmf_studies.trust.methods import ORACLE, OURS, STACK
from robustnmf_studies.trust.rivals import MAD, RIVALS
from robustnmf_studies.trust.settings import (
    CLEAN,
    MATRIX,
    MISSING,
    NOTHING,
    STACKS,
    TABLE,
    Case,
    cases_of,
)
from robustnmf_studies.trust.sources import TEST, TUNING
from robustnmf_studies.trust.table_numbers import table_sheets
from robustnmf_studies.trust.tables import EDITIONS


@pytest.fixture(scope="module", params=[TUNING, TEST])
def edition(request):
    return request.param


def test_cases_stay_in_their_edition(edition):
    for quick in (False, True):
        cases, notes = cases_of(edition, quick=quick)
        # All packages are installed here; the faces of the paper need not be at hand.
        assert [note for note in notes if "faces-orl" not in note] == []
        assert len({case.key for case in cases}) == len(cases)
        for subject, sources in ((TABLE, EDITIONS), (MATRIX, MATRIX_EDITIONS)):
            names = {case.name for case in cases if case.subject == subject}
            assert names <= {source.name for source in sources[edition]}


def test_the_full_test_ends_within_the_hour():
    assert 2000 <= len(cases_of(TEST, quick=False)[0]) <= 2500


def test_every_kind_is_planted_at_every_rate():
    cases, _ = cases_of(TUNING, quick=False)
    wine = {(c.kind, c.rate) for c in cases if c.name == "wine"}
    assert wine == {(CLEAN, 0.0), *((k, r) for k in errors.KINDS for r in errors.RATES)}
    digits = {(c.kind, c.rate) for c in cases if c.name == "digits"}
    assert {(k, r) for k in damage.KINDS for r in damage.RATES} < digits
    assert (STACKS, 0.2) in digits
    spectra = {c.kind for c in cases if c.name == "meat-spectra"}
    assert damage.OCCLUSION not in spectra
    salt = [c for c in cases if (c.name, c.kind, c.rate) == ("digits", damage.SALT, 0.3)]
    assert len(salt) == settings.DRAWS


def test_the_quick_run_is_a_part_of_what_there_is(edition):
    cases, _ = cases_of(edition, quick=True)
    assert {c.name for c in cases if c.subject == TABLE} == set(settings.QUICK_TABLES[edition])
    assert {c.name for c in cases if c.subject == MATRIX} == set(settings.QUICK_MATRICES[edition])
    assert {c.kind for c in cases if c.subject == TABLE} == {CLEAN, *errors.KINDS}


def test_nobody_chose_the_quick_test():
    firsts = {}
    for source in EDITIONS[TEST]:
        firsts.setdefault(source.family, source.name)
    families = list(firsts)
    assert settings.QUICK_TABLES[TEST] == tuple(firsts[f] for f in (*families[:3], families[-1]))
    loaded = [load_matrix(source.name) for source in MATRIX_EDITIONS[TEST]]
    small = [m.name for m in loaded if m.layout is None and m.X.shape[1] < 500]
    assert settings.QUICK_MATRICES[TEST] == tuple(small[:2])


def test_the_floors_are_about_what_they_were_measured_on():
    assert settings.QUICK_TABLES[TUNING] == ("penguins", "milk", "us_arrests", "made-correlated")
    assert settings.QUICK_MATRICES[TUNING] == ("digits", "meat-spectra")


def test_a_table_is_cleaned_by_all_methods():
    rows = compute(Case(TABLE, "us_arrests", errors.DECIMAL, 0.03), 0)["tables"]
    assert [row["method"] for row in rows] == [OURS, *RIVALS]
    for row in rows:
        assert row["cells"] == 6
        assert 0 <= row["f1"] <= 1
        assert row["before"] > 0
        assert row["failure"] is None
    json.dumps(rows, allow_nan=False)


def test_the_same_seed_gives_the_same_numbers():
    case = Case(TABLE, "us_arrests", errors.FAR, 0.03)
    first, again, other = (
        [{k: v for k, v in row.items() if k != "seconds"} for row in compute(case, s)["tables"]]
        for s in (0, 0, 1)
    )
    assert first == again
    assert first != other


def test_a_method_that_fails_has_found_nothing(monkeypatch):
    def fails(values):
        raise ValueError("no idea")

    monkeypatch.setitem(computing.RIVALS, MAD, fails)
    rows = compute(Case(TABLE, "us_arrests", errors.ZERO, 0.03), 0)["tables"]
    (row,) = (row for row in rows if row["method"] == MAD)
    assert row["failure"] == "ValueError: no idea"
    assert row["f1"] == 0
    assert not row["harm"]


def test_a_table_with_nothing_to_learn():
    rows = compute(Case(NOTHING, "likert"), 0)["barren"]
    assert {row["cells"] for row in rows} == {0}
    (ours,) = (row for row in rows if row["method"] == OURS)
    assert 0 <= ours["changed"] <= ours["flagged"] <= 1


def test_matrices_are_held_against_the_best_threshold():
    rows = compute(Case(MATRIX, "meat-spectra", damage.SALT, 0.02), 0)["matrices"]
    assert {row["method"] for row in rows} == {OURS, ORACLE, *computing.MATRIX_RIVALS}
    (ours,) = (row for row in rows if row["method"] == OURS)
    assert ours["sure_right"] <= ours["sure"]
    assert {row["best"] for row in rows} == {ours["best"]}
    json.dumps(rows, allow_nan=False)


@pytest.mark.slow
def test_stacks_and_missing_entries():
    (stack, told) = compute(Case(MATRIX, "digits", STACKS, 0.2), 0)["matrices"]
    assert (stack["method"], told["method"]) == (STACK, ORACLE)
    (row,) = compute(Case(MATRIX, "digits", MISSING, 0.3), 0)["missing"]
    assert row["oracle"] > 0


@pytest.fixture
def few_cases(monkeypatch):
    cases = [
        Case(NOTHING, "three rows"),
        Case(TABLE, "us_arrests"),
        Case(TABLE, "us_arrests", errors.ZERO, 0.03),
        Case(MATRIX, "digits", damage.STRIPES, 0.1),
    ]
    monkeypatch.setattr(study, "cases_of", lambda edition, quick: (cases, ["a note"]))
    return cases


def test_a_run_leaves_a_report_and_resumes(few_cases, tmp_path, monkeypatch):
    out = tmp_path / "out"
    outcome = run_study(study.STUDY, "trust-tuning", out, Options(jobs=1))
    assert (outcome.computed, outcome.reused) == (len(few_cases), 0)
    page = outcome.report.read_text(encoding="utf-8")
    assert "us_arrests" in page
    assert "a note" in page
    assert "tuning edition: 1 tables, 1 matrices" in outcome.about["data"]
    again = run_study(study.STUDY, "trust-tuning", out, Options(jobs=1))
    assert (again.computed, again.reused) == (0, len(few_cases))
    # The other edition does not mix with this one.
    with pytest.raises(ValueError, match="another study"):
        run_study(study.STUDY, "trust", out, Options(jobs=1))
    # Nor do tables of other columns, which the version of the code does not see.
    monkeypatch.setattr(study, "LISTING", study.LISTING.replace("wine,,", "wine,,ash"))
    with pytest.raises(ValueError, match="another list of tables"):
        run_study(study.STUDY, "trust-tuning", out, Options(jobs=1))


def test_the_page_is_filled(tmp_path, monkeypatch, docs):
    cases = [Case(MATRIX, "digits", damage.STRIPES, 0.1)]
    monkeypatch.setattr(study, "cases_of", lambda edition, quick: (cases, []))
    run_study(study.STUDY, "trust-tuning", tmp_path / "out", Options(jobs=1))
    copy = tmp_path / "trust.md"
    copy.write_text((docs / "trust.md").read_text(encoding="utf-8"), encoding="utf-8")
    write_page(study.STUDY, tmp_path / "out", copy)
    filled = copy.read_text(encoding="utf-8")
    assert "not run yet" not in filled
    assert "stripes, 10 %" in filled


def test_the_command_knows_both_editions(few_cases, tmp_path):
    out = str(tmp_path / "out")
    found = CliRunner().invoke(
        app, ["reproduce", "trust-tuning", "-o", out, "--jobs", "1", "--json", "--quiet"]
    )
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["targets"]
    assert "trust-tuning" in CliRunner().invoke(app, ["reproduce", "--help"]).output


def test_the_page_has_all_markers(docs):
    text = (docs / "trust.md").read_text(encoding="utf-8")
    for name in (*table_sheets({}), *matrix_sheets({}), "facts", "tally", "targets", "behind"):
        assert len(re.findall(f"<!-- {name} -->", text)) == 1
        assert len(re.findall(f"<!-- /{name} -->", text)) == 1
