import json
import shutil
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app
from robustnmf_studies.beyond import compute as computing
from robustnmf_studies.beyond.data import load_sets
from robustnmf_studies.beyond.document import FIGURES
from robustnmf_studies.beyond.judge import judge
from robustnmf_studies.beyond.settings import Case, Plan
from robustnmf_studies.beyond.study import STUDY
from robustnmf_studies.common.frames import pick, values_of
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import write_page

RUNNER = CliRunner()
TARGETS = judge({})

TINY = Plan(
    runs=1,
    few=1,
    targets=((30, 50),),
    sizes=(),
    clean=(),
    shares=(0.1,),
    other_shares=(0.1,),
    corruptions=("salt", "occlusion"),
    other_corruptions=("spikes",),
    others=("synthetic",),
    ranks=(3,),
    rank_shares=(0.05,),
    real_ranks=False,
)


def run(*arguments):
    fixed = ["reproduce", "beyond", "--quick", "--data", "builtin", "--jobs", "1"]
    return RUNNER.invoke(app, [*fixed, *arguments])


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The whole study in miniature, through the command line."""
    out = tmp_path_factory.mktemp("beyond") / "out"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("robustnmf_studies.beyond.study.QUICK", TINY)
        result = run("--out", str(out))
    assert result.exit_code == 0, result.output
    return out, result


@pytest.fixture
def folder(finished, tmp_path):
    """A copy of it, to be changed at will."""
    return Path(shutil.copytree(finished[0], tmp_path / "copy"))


def test_terminal_tells_the_verdicts(finished):
    out, result = finished
    lines = result.stdout.splitlines()
    assert lines[-1] == f"report: {out / 'report.html'}"
    assert any("not measured" in line for line in lines)
    assert any("not the ORL faces" in line for line in lines)
    assert max(map(len, lines[:-3])) <= 80
    assert "100 % done" in result.stderr


def test_everything_is_written_down(finished):
    out, _ = finished
    tables = Storage(out).read_tables()
    assert set(tables) == {"detect", "calibration", "ranks", "samples"}
    methods = {"fixed", "told", "refit", "squared_l0", "auto", "pcp", "oracle"}
    for wanted in ({"data": "lfw", "amount": 50}, {"data": "synthetic", "corruption": "spikes"}):
        rows = pick(tables["detect"], **wanted)
        assert set(rows["method"]) == methods
        assert values_of(pick(rows, method="oracle"), "wh_relative") == [1.0]
        assert values_of(pick(rows, method="fixed"), "relative") == [1.0]
    none = pick(tables["detect"], corruption="none")
    assert set(none["method"]) == methods - {"told", "squared_l0"}
    auto = pick(tables["detect"], method="auto")
    for name in ("lam", "noise_scale", "estimated_share", "true_share", "sure"):
        assert auto[name].notna().all()
    records = json.loads((out / "numbers" / "claims.json").read_text())
    assert [record["name"] for record in records] == [target.name for target in TARGETS]
    about = json.loads((out / "numbers" / "run.json").read_text())
    assert {"data", "settings", "versions", "seconds", "runs", "fingerprint"} <= set(about)
    assert {file.name for file in (out / "figures").glob("*.png")} >= {"f1.png", "faces.png"}


def test_report_needs_nothing_from_outside(finished):
    page = (finished[0] / "report.html").read_text(encoding="utf-8")
    for target in TARGETS:
        assert target.target in unescape(page)
    assert "These are not the ORL faces" in page
    assert "<script" not in page
    assert page.count("<img") == page.count('src="data:')


def test_finished_cases_are_not_run_again(folder, monkeypatch):
    monkeypatch.setattr("robustnmf_studies.beyond.study.QUICK", TINY)
    # The last case is taken out of the journal, as if the run had been stopped before it.
    journal = folder / "numbers" / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))
    made = []

    def counted(case, *rest, **options):
        made.append(case)
        return computing.compute(case, *rest, **options)

    monkeypatch.setattr("robustnmf_studies.beyond.study.compute", counted)
    undrawn = replace(STUDY, draw=lambda *_: {})
    monkeypatch.setattr("robustnmf_studies.beyond.study.STUDY", undrawn)
    result = run("--out", str(folder), "--json")
    answer = json.loads(result.stdout)
    assert (answer["computed"], answer["reused"]) == (1, len(lines) - 2)
    assert len(made) == 1
    assert [target["name"] for target in answer["targets"]] == [target.name for target in TARGETS]


def test_other_seed_is_not_mixed_in(folder):
    result = run("--out", str(folder), "--seed", "1")
    assert result.exit_code == 1
    assert "another seed (0, now 1)" in result.stderr


def test_folder_of_another_study_is_refused(folder):
    arguments = ["reproduce", "fig2", "--quick", "--data", "builtin", "--out", str(folder)]
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == 1
    assert "holds results of another" in result.stderr


def test_plots_only_computes_nothing(folder, monkeypatch):
    monkeypatch.setattr("robustnmf_studies.beyond.study.compute", lambda *_: pytest.fail("ran"))
    shutil.rmtree(folder / "figures")
    result = run("--out", str(folder), "--plots-only", "--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert (folder / "figures" / "f1.svg").exists()


def test_same_seed_same_numbers(tmp_path):
    sets = load_sets("builtin")
    case = Case("detect", "lfw", 0, 20, "salt", 50)
    first, again = (computing.compute(case, tmp_path, sets, 0)["detect"] for _ in range(2))
    timed = ("seconds", "relative")
    for row, other in zip(first, again, strict=True):
        assert {k: v for k, v in row.items() if k not in timed} == {
            k: v for k, v in other.items() if k not in timed
        }


def test_samples_are_scored_by_what_the_model_reports():
    class Model:
        outlier_samples_ = np.array([1, 3])

    assert computing.reported_samples(Model, 4).tolist() == [False, True, False, True]


def test_page_is_filled_and_can_be_filled_again(finished, tmp_path, docs):
    page = tmp_path / "beyond.md"
    page.write_text((docs / "beyond.md").read_text(encoding="utf-8"), encoding="utf-8")
    write_page(STUDY, finished[0], page)
    text = page.read_text(encoding="utf-8")
    assert "not the ORL faces" in text
    assert "| not measured |" in text
    assert (tmp_path / "images" / "beyond" / "faces.png").exists()
    write_page(STUDY, finished[0], page)
    assert page.read_text(encoding="utf-8") == text


def test_our_own_page_shows_every_figure(docs):
    text = (docs / "beyond.md").read_text(encoding="utf-8")
    for name in FIGURES:
        assert f"images/beyond/{name}.png" in text
        assert (docs / "images" / "beyond" / f"{name}.png").exists()
