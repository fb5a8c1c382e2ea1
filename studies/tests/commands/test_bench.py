import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from robustnmf.cli.app import app
from robustnmf_studies.bench import iteration, machine
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.bench.registry import BENCHMARKS
from robustnmf_studies.bench.results import read_results

RUNNER = CliRunner()
TINY = Plan(
    repeat=2, small=Size(30, 24, 3), large=Size(60, 40, 3), converge=Size(50, 30, 3), steps=1
)


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("robustnmf_studies.bench.plan.QUICK", TINY)
    measured = machine.describe(side=50, entries=10_000)
    monkeypatch.setattr(machine, "describe", lambda: measured)


def bench(*arguments, **kwargs):
    return RUNNER.invoke(app, ["bench", *arguments], **kwargs)


def test_list():
    result = bench("--list")
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(BENCHMARKS)
    assert list(json.loads(bench("--list", "--json").stdout)) == list(BENCHMARKS)
    assert not list(Path().iterdir())


def test_one_comparison_leaves_a_table_and_a_file():
    result = bench("noise-off", "--quick", env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    assert "scikit-learn cd" in result.stdout
    assert result.stdout.splitlines()[-1] == "results: robustnmf-bench.json"
    rows = read_results("robustnmf-bench.json").rows
    assert [row.key for row in rows] == ["noise-off.small", "noise-off.large"]
    assert len(rows[1].values) == 2


def test_json_and_repeat():
    result = bench("noise-off", "--quick", "--repeat", "1", "--json", "--out", "mine.json")
    answer = json.loads(result.stdout)
    assert answer == json.loads(Path("mine.json").read_text(encoding="utf-8"))
    assert answer["about"]["plan"]["repeat"] == 1
    assert len(answer["rows"][1]["values"]) == 1


def test_own_file_is_replaced_but_no_other():
    Path("robustnmf-bench.json").write_text("old")
    Path("mine.json").write_text("old")
    assert bench("noise-off", "--quick", "--quiet").output == ""
    assert read_results("robustnmf-bench.json").rows
    result = bench("noise-off", "--quick", "--out", "mine.json")
    assert result.exit_code == 2
    assert result.stderr == "error: --out: mine.json exists: add --force to replace it\n"
    assert Path("mine.json").read_text() == "old"


def test_what_is_finished_is_kept_when_the_next_one_fails(monkeypatch):
    def fail(plan, case, tell):
        raise ValueError("out of luck")

    monkeypatch.setattr(iteration, "growth", fail)
    result = bench("noise-off", "growth", "--quick")
    assert result.exit_code == 1
    assert result.stderr == "error: out of luck\n"
    assert len(read_results("robustnmf-bench.json").rows) == 2


@pytest.mark.parametrize(
    "arguments", [["speed"], ["--repeat", "0"], ["--out", "no/such/folder.json"]]
)
def test_bad_arguments_are_told_in_one_line(arguments):
    result = bench(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_table_fits_a_narrow_terminal():
    result = bench("noise-off", "--quick", env={"COLUMNS": "80"})
    table = [line for line in result.stdout.splitlines() if line.startswith(("┏", "┃", "│", "└"))]
    assert table
    assert max(map(len, table)) <= 80


def test_help_loads_no_numerics():
    code = (
        "import sys; from robustnmf_studies.commands import bench; "
        "print([name for name in ('numpy', 'pandas', 'sklearn') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
