"""What all commands share: their options, their console, their way to report.

Results go to the standard output; progress and errors to the standard error, so that a script
can read the one without the other. Rich leaves out colours where ``NO_COLOR`` is set or nobody
is looking.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.console import Console

Function = TypeVar("Function", bound=Callable[..., Any])

# Where the debug flag is kept, for the program and its commands alike.
DEBUG = "robustnmf.debug"


class BadUsage(click.ClickException):
    """A mistake in the arguments whose message already says what to do instead."""

    exit_code = 2


def _remember_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    # Either place will do, before the command or after it; the other must not unset it.
    if value:
        ctx.meta[DEBUG] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)


def common_options(function: Function) -> Function:
    """Add --json, --quiet and --debug, which every command has."""
    for option in (
        debug_option,
        click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors."),
        click.option("--json", "as_json", is_flag=True, help="Print the results as JSON."),
    ):
        function = option(function)
    return function


def console(*, stderr: bool = False) -> Console:
    """Make a console on the stream as it is now; tests and pipes exchange it."""
    # Rich takes longer to load than the help takes to print.
    from rich.console import Console

    return Console(stderr=stderr, highlight=False)


def print_error(message: str) -> None:
    """Print one line, however long, to the standard error."""
    from rich.text import Text

    line = Text.assemble(("error: ", "bold red"), message)
    console(stderr=True).print(line, soft_wrap=True)


def print_json(result: Any) -> None:
    """Print a result for programs to read."""
    # NaN and infinity are no JSON: better to fail here than in the reader.
    click.echo(json.dumps(result, indent=2, default=str, allow_nan=False))


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, float], None]]:
    """Show a bar with the time gone by while the body runs, where someone can see it.

    Yields
    ------
    callable
        To be called with what begins now and the share of the work that lies behind.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    screen = console(stderr=True)
    with Progress(
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        console=screen,
        transient=True,
        disable=quiet or not screen.is_interactive,
    ) as bar:
        task = bar.add_task("starting", total=1.0)
        yield lambda what, share: bar.update(task, description=what, completed=share)


def refuse_overwriting(path: Path, option: str, *, force: bool) -> None:
    """Raise a usage error if the file exists, unless the user insists."""
    if path.exists() and not force:
        name = click.format_filename(path)
        raise BadUsage(f"{option}: {name} exists: add --force to replace it")
