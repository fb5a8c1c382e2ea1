import os
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from robustnmf import cli
from robustnmf._common.notices import notify
from robustnmf._version import __version__
from robustnmf.cli.app import app
from robustnmf.cli.common import common_options, progress_bar
from robustnmf.cli.stopping import Terminated

RUNNER = CliRunner()


@pytest.fixture
def command(monkeypatch):
    """Put a command `try` into the program that does what the test says."""

    def put(function):
        monkeypatch.setitem(app.commands, "try", click.command("try")(function))

    return put


def fail_with(error):
    def function():
        raise error

    return function


def test_help_shows_commands_and_an_example():
    result = RUNNER.invoke(app, ["--help"])
    assert result.exit_code == 0
    assert "demo" in result.output
    assert "robustnmf demo" in result.output


@pytest.mark.parametrize("name", [None, *app.commands])
def test_examples_stand_on_lines_of_their_own(name):
    help_ = RUNNER.invoke(app, [*([name] if name else []), "--help"]).stdout
    assert "\\b" not in help_
    examples = [line for line in help_.splitlines() if line.strip().startswith("robustnmf ")]
    assert all(line.count("robustnmf ") == 1 for line in examples)
    assert examples


def test_no_command_is_bad_usage_and_shows_the_help():
    result = RUNNER.invoke(app, [])
    assert result.exit_code == 2
    assert "Commands:" in result.output


def test_version():
    result = RUNNER.invoke(app, ["--version"])
    assert (result.exit_code, result.output) == (0, f"robustnmf {__version__}\n")


@pytest.mark.parametrize("arguments", [["nonsense"], ["demo", "--nonsense"], ["--nonsense"]])
def test_bad_usage_is_told_in_one_line(arguments):
    result = RUNNER.invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert "--help" in result.stderr


def test_failure_is_one_line_without_traceback(command):
    command(fail_with(ValueError(f"lam=-1 must be positive:\n  pass {'a larger ' * 30}value")))
    result = RUNNER.invoke(app, ["try"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("error: lam=-1 must be positive: pass a larger")
    assert result.stderr.count("\n") == 1


def test_unforeseen_failure_names_its_kind_and_the_way_to_see_more(command):
    command(fail_with(KeyError("x")))
    result = RUNNER.invoke(app, ["try"])
    assert result.exit_code == 1
    assert result.stderr == "error: KeyError: 'x' (--debug shows where)\n"


def test_square_brackets_in_a_message_are_kept(command):
    # Rich would take them for a style.
    command(fail_with(ImportError("pip install 'robustnmf[image]'")))
    assert "'robustnmf[image]'" in RUNNER.invoke(app, ["try"]).stderr


def test_debug_lets_the_traceback_through(command):
    error = ValueError("look here")
    command(fail_with(error))
    result = RUNNER.invoke(app, ["--debug", "try"])
    assert result.exception is error
    assert result.exit_code == 1


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (Terminated, 143)])
def test_interruption_is_a_failure_without_traceback(command, error, code):
    command(fail_with(error()))
    result = RUNNER.invoke(app, ["try"])
    assert result.exit_code == code
    assert result.stderr.strip().endswith("error: stopped")


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_missing_extra_is_named(monkeypatch, missing, capsys):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(SystemExit) as caught:
        cli.main()
    message = "error: the command line needs the 'cli' extra: pip install 'robustnmf[cli]'"
    # A text in SystemExit is printed to the standard error, and the exit code is 1.
    assert caught.value.code == message


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_missing_click_as_the_user_sees_it():
    done = run(
        "import sys; sys.modules['click'] = None; import robustnmf.cli; robustnmf.cli.main()"
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "pip install 'robustnmf[cli]'" in done.stderr


def test_the_package_is_a_program_too():
    done = subprocess.run(
        [sys.executable, "-m", "robustnmf", "--version"], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("robustnmf ")


@pytest.mark.parametrize("name", list(app.commands))
def test_help_loads_nothing_heavy(name):
    done = run(
        """
import sys, robustnmf.cli
sys.argv = ["robustnmf", "NAME", "--help"]
try:
    robustnmf.cli.main()
except SystemExit as end:
    assert end.code == 0, end.code
heavy = {"numpy", "scipy", "sklearn", "skimage", "matplotlib", "numba", "rich.console"}
sys.exit(f"loaded: {heavy & set(sys.modules)}" if heavy & set(sys.modules) else 0)
""".replace("NAME", name)
    )
    assert done.returncode == 0, done.stderr
    assert f"Usage: robustnmf {name}" in done.stdout


def test_cleaning_a_table_waits_for_no_factorization(tmp_path):
    """Cells that are judged by one another need none: a small table is done in half a second."""
    rows = [f"{i % 7 + i / 10:.1f},{i % 5 + i / 10:.1f},{i / 10:.1f}" for i in range(40)]
    (tmp_path / "a.csv").write_text("\n".join(["a,b,c", *rows]))
    done = run(
        f"""
import sys, robustnmf.cli
sys.argv = ["robustnmf", "clean", {str(tmp_path / "a.csv")!r}]
try:
    robustnmf.cli.main()
except SystemExit as end:
    assert end.code == 0, end.code
heavy = {{"sklearn", "numba", "joblib", "pandas", "scipy.stats", "scipy.sparse"}}
sys.exit(f"loaded: {{heavy & set(sys.modules)}}" if heavy & set(sys.modules) else 0)
"""
    )
    assert done.returncode == 0, done.stderr


def test_every_command_has_the_same_manners():
    for name, one in app.commands.items():
        options = {option for param in one.params for option in param.opts}
        if name != "completion":
            assert {"--json", "--quiet", "-q", "--verbose", "-v", "--debug"} <= options, name
        if "--out" in options and name != "reproduce":
            assert {"-o", "--force", "-f"} <= options, name


def test_verbose_is_off_unless_asked_for(command):
    def tell():
        with progress_bar(quiet=False) as progress:
            progress("cutting [bold] onions", 0.25)
            progress("cutting [bold] onions", 0.5)

    command(common_options(lambda **_: tell()))
    assert RUNNER.invoke(app, ["try"]).stderr == ""
    # Once for each step.
    assert RUNNER.invoke(app, ["try", "-v"]).stderr == "cutting [bold] onions (25 %)\n"


def test_quiet_silences_notices_of_the_library(command, monkeypatch):
    def tell():
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        notify("compiling")

    command(common_options(lambda **_: tell()))
    assert RUNNER.invoke(app, ["try", "--quiet"]).stderr == ""
    assert RUNNER.invoke(app, ["try"]).stderr == "robustnmf: compiling\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(shell):
    result = RUNNER.invoke(app, ["completion", shell])
    assert result.exit_code == 0
    assert "_ROBUSTNMF_COMPLETE" in result.stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [("robustnmf cl", "clean"), ("robustnmf clean --rep", "--report")],
)
def test_words_are_completed(words, expected):
    done = subprocess.run(
        [sys.executable, "-c", "import robustnmf.cli; robustnmf.cli.main()"],
        env=os.environ
        | {
            "_ROBUSTNMF_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert expected in done.stdout, done.stderr


def test_a_reader_that_goes_away_is_no_news(command):
    command(fail_with(BrokenPipeError()))
    result = RUNNER.invoke(app, ["try"])
    assert (result.exit_code, result.stderr) == (1, "")
