"""Commands that other packages add."""

from importlib.metadata import EntryPoint

import click
import pytest
from click.testing import CliRunner

from robustnmf.cli import plugins
from robustnmf.cli.app import app


@click.command(short_help="Count to three.")
def count():
    click.echo("1 2 3")


@pytest.fixture
def installed(monkeypatch):
    """Choose which entry points there are."""

    def install(**points):
        found = [EntryPoint(name, value, plugins.GROUP) for name, value in points.items()]
        monkeypatch.setattr(plugins, "entry_points", lambda group: found)

    return install


@pytest.fixture
def counting(monkeypatch):
    """A module that has a command."""
    import sys
    from types import SimpleNamespace

    monkeypatch.setitem(sys.modules, "counting", SimpleNamespace(count=count))


def run(*arguments):
    return CliRunner().invoke(app, arguments)


def test_a_command_of_another_package_is_listed_and_runs(installed, counting):
    installed(count="counting:count")
    assert "Count to three." in run("--help").output
    assert run("count").output == "1 2 3\n"


@pytest.mark.parametrize("arguments", [(), ("--help",), ("all", "--quick", "-o", "x")])
@pytest.mark.parametrize("name", plugins.KNOWN)
def test_without_the_studies_their_commands_say_what_to_install(installed, name, arguments):
    installed()
    told = run(name, *arguments)
    assert told.exit_code == 1
    assert told.stderr == f"error: {name} is not installed: pip install robustnmf-studies\n"
    assert name not in run("--help").output


def test_a_broken_package_says_so_and_spares_the_help(installed):
    installed(count="no_such_package:count")
    assert "no_such_package" in run("--help").output
    told = run("count")
    assert told.exit_code == 1
    assert "its package cannot be loaded: No module named 'no_such_package'" in told.stderr


def test_our_own_commands_are_not_replaced(installed, counting):
    installed(clean="counting:count")
    assert "1 2 3" not in run("clean").output
