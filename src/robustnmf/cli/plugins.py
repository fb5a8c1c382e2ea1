"""Commands that other installed packages add to the program.

A package adds one by an entry point in the group ``robustnmf.commands``, whose name is the
command's and whose object is a click command. It is loaded for ``--help`` as well, so its module
must be quick to import. `robustnmf.cli.common` holds what commands share.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

import click

GROUP = "robustnmf.commands"
# Commands that people will look for, and the package that brings them.
KNOWN = {"bench": "robustnmf-studies", "reproduce": "robustnmf-studies"}


def plugin_names() -> list[str]:
    """Return the names of the commands that other packages add."""
    return sorted(_found())


def load_plugin(name: str) -> click.Command | None:
    """Return a command of another package, or None if there is none of this name.

    A known command whose package is not there, or broken, becomes one that says so in one line,
    whatever its arguments are.
    """
    found = _found().get(name)
    if found is None:
        return _failing(name, f"pip install {KNOWN[name]}") if name in KNOWN else None
    try:
        command: click.Command = found.load()
    except ImportError as error:
        # One broken package must not take the help of all commands with it.
        return _failing(name, f"its package cannot be loaded: {error}")
    return command


def _found() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _failing(name: str, why: str) -> click.Command:
    def tell() -> None:
        raise click.ClickException(f"{name} is not installed: {why}")

    anything = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}
    return click.Command(name, callback=tell, context_settings=anything, short_help=why)
