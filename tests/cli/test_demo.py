import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import robustnmf._demo
from robustnmf._demo import DemoResult, DemoRow
from robustnmf.cli.app import app

RUNNER = CliRunner()


def fake_run_demo(out, *, progress):
    """The demo's answer without its work."""
    for share in (0.0, 0.5, 1.0):
        progress("fitting RobustNMF", share)
    Path(out).write_bytes(b"new")
    rows = (
        DemoRow("plain NMF", None, None, 8.87, None, 0.5),
        DemoRow("RobustNMF", 0.75, 0.84, 6.56, 3.07, 0.7),
        DemoRow("RobustNMF+WNMF", 0.75, 0.84, 6.14, 3.31, 0.9),
    )
    return DemoResult(rows, 15.0, {"amount": 50}, Path(out))


@pytest.fixture(autouse=True)
def fake(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(robustnmf._demo, "run_demo", fake_run_demo)


def demo(*arguments, **kwargs):
    return RUNNER.invoke(app, ["demo", *arguments], **kwargs)


def test_prints_the_table_then_the_path():
    result = demo()
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    (plain,) = (line for line in lines if "plain NMF" in line)
    assert plain.count("–") == 3
    (robust,) = (line for line in lines if "RobustNMF " in line)
    assert [figure in robust for figure in ("0.75", "0.84", "6.56", "3.07", "0.70")] == [True] * 5
    assert lines[-1] == "picture: robustnmf-demo.png"
    assert max(map(len, lines)) <= 80


def test_default_picture_is_replaced():
    Path("robustnmf-demo.png").write_bytes(b"old")
    assert demo().exit_code == 0
    assert Path("robustnmf-demo.png").read_bytes() == b"new"


# The default name too, once the user has typed it.
@pytest.mark.parametrize("name", ["mine.png", "robustnmf-demo.png"])
def test_named_picture_is_replaced_only_by_force(name):
    Path(name).write_bytes(b"old")
    result = demo("--out", name)
    assert result.exit_code == 2
    assert result.stderr == f"error: --out: {name} exists: add --force to replace it\n"
    assert Path(name).read_bytes() == b"old"

    assert demo("--out", name, "--force").exit_code == 0
    assert Path(name).read_bytes() == b"new"


@pytest.mark.parametrize("name", ["picture.doc", "nowhere/picture.png", "."])
def test_impossible_names_are_bad_usage(name):
    result = demo("--out", name)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_json_is_all_there_is_on_standard_output():
    result = demo("--json", "--out", "a.png")
    answer = json.loads(result.stdout)
    assert answer["picture"] == "a.png"
    assert answer["rows"][0]["precision"] is None
    assert answer["rows"][1]["recall"] == 0.84


def test_quiet_prints_nothing():
    result = demo("--quiet")
    assert (result.exit_code, result.output) == (0, "")
    assert Path("robustnmf-demo.png").exists()


def test_debug_may_follow_the_command(monkeypatch):
    def fail(out, progress):
        raise RuntimeError("inside")

    monkeypatch.setattr(robustnmf._demo, "run_demo", fail)
    assert demo().stderr == "error: RuntimeError: inside (--debug shows where)\n"
    assert type(demo("--debug").exception) is RuntimeError


# Rich takes this for a terminal with colours.
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "NO_COLOR": ""}


def test_bar_is_shown_on_a_terminal_only():
    shown = demo(env=TERMINAL)
    assert "fitting RobustNMF" in shown.stderr
    assert "0:00:00" in shown.stderr
    assert demo("--quiet", env=TERMINAL).output == ""
    assert demo(env=TERMINAL | {"TERM": "dumb"}).stderr == ""


def test_colours_are_left_out_on_request():
    red = "\x1b[1;31m"
    assert red in demo("--nonsense", env=TERMINAL).stderr
    assert red not in demo("--nonsense", env=TERMINAL | {"NO_COLOR": "1"}).stderr
    assert "\x1b" not in demo("--nonsense").stderr


def test_table_needs_no_more_than_ascii():
    result = CliRunner(charset="ascii").invoke(app, ["demo"])
    assert result.exit_code == 0
    assert "RobustNMF" in result.stdout
