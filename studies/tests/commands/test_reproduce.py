import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app
from robustnmf_studies.commands import reproduce as command
from robustnmf_studies.common.study import Study
from robustnmf_studies.paper.settings import Plan

RUNNER = CliRunner()
TINY = Plan(
    runs=1,
    sweep=(10,),
    lams=(0.04,),
    portion_pixels=(50,),
    portion_lams=(0.04,),
    ranks=(),
    trace_faces=(),
    images=("camera",),
)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    """The quick run, made quicker: the faces at hand, few points, few iterations."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROBUSTNMF_DATA", raising=False)
    monkeypatch.setattr("robustnmf_studies.paper.study.QUICK", TINY)
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("wants the network"))


def reproduce(*arguments, **kwargs):
    fixed = ["--quick", "--data", "builtin", "--jobs", "1", "--iterations", "3"]
    return RUNNER.invoke(app, ["reproduce", *arguments, *fixed], **kwargs)


def test_figure_2_on_the_built_in_faces():
    result = reproduce("fig2", "--out", "out")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[-1] == f"report: {Path('out', 'report.html')}"
    assert any("not the ORL faces" in line for line in lines)
    assert any("More than 90 %" in line for line in lines)
    assert max(map(len, lines[:-3])) <= 80
    assert "100 % done" in result.stderr
    assert (Path("out") / "figures" / "fig2.svg").exists()
    assert "not the paper’s faces" in Path("out", "report.html").read_text(encoding="utf-8")

    again = reproduce("fig2", "--out", "out", "--json")
    answer = json.loads(again.stdout)
    assert answer["computed"] == 0
    assert answer["reused"] > 0
    assert answer["claims"][0]["findings"]["paper"]["verdict"]

    drawn = reproduce("fig2", "--out", "out", "--plots-only", "--quiet")
    assert (drawn.exit_code, drawn.output) == (0, "")


def test_figures_of_the_paper_share_a_folder_and_other_studies_do_not():
    outs = {}
    for listed in command.STUDIES.values():
        outs.setdefault(listed.out, []).append(listed.package)
    assert outs.pop("robustnmf-reproduction") == ["paper"] * 4
    assert all(len(packages) == 1 for packages in outs.values())


@pytest.mark.parametrize("name", command.STUDIES)
def test_every_study_can_be_run(name):
    package = command.STUDIES[name].package
    study = importlib.import_module(f"robustnmf_studies.{package}.study").STUDY
    assert isinstance(study, Study)
    assert study.name == package


def test_results_of_another_version_of_the_code_are_told_and_computed_again(monkeypatch):
    assert reproduce("fig4", "--out", "out").exit_code == 0
    monkeypatch.setattr("robustnmf_studies.common.study.code_version", lambda *_: "another")
    drawn = reproduce("fig4", "--out", "out", "--plots-only")
    assert "1 points were computed by another version of the code and are drawn" in drawn.stdout
    result = reproduce("fig4", "--out", "out")
    assert "points: 1 computed\n1 points were computed by another version" in result.stdout


def test_help_loads_no_numerics():
    code = (
        "import sys; from robustnmf_studies.commands import reproduce; "
        "print([name for name in ('numpy', 'pandas', 'jinja2') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_folder_of_others_is_bad_usage():
    Path("out").mkdir()
    Path("out", "mine.txt").touch()
    result = reproduce("fig4", "--out", "out")
    assert result.exit_code == 2
    assert result.stderr.startswith("error: --out: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["fig9"], ["--runs", "0"], ["--jobs", "many"]])
def test_bad_arguments_are_told_in_one_line(arguments):
    result = RUNNER.invoke(app, ["reproduce", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_missing_data_is_a_failure_in_one_line():
    result = RUNNER.invoke(app, ["reproduce", "fig2", "--data", "nowhere.npz", "--quick"])
    assert result.exit_code == 1
    assert "nowhere.npz" in result.stderr
    assert result.stderr.count("\n") == 1


def test_plots_only_of_nothing_is_a_failure_in_one_line():
    result = reproduce("--out", "empty", "--plots-only")
    assert result.exit_code == 1
    assert "no numbers in empty" in result.stderr


TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": ""}


def test_bar_shows_the_time_left(monkeypatch):
    def fake(study, target, out, options, progress):
        progress("computing", 1.0, 4.0)
        progress("computing", 2.0, 4.0)
        raise ValueError("enough")

    monkeypatch.setattr("robustnmf_studies.common.study.run_study", fake)
    result = reproduce("fig4", "--out", "out", env=TERMINAL)
    assert "computing" in result.stderr
    assert "left" in result.stderr
    assert reproduce("fig4", "--quiet", env=TERMINAL).stderr.count("\n") == 1


def test_help_tells_what_it_does():
    result = RUNNER.invoke(app, ["reproduce", "--help"])
    assert result.exit_code == 0
    for words in ("fig2|fig3|fig4|all|beyond", "--quick", "--plots-only", "--data", "Examples:"):
        assert words in result.stdout
