"""What all commands share: their options, their console, their way to report.

Results go to the standard output; progress and errors to the standard error, so that a script
can read the one without the other. Rich leaves out colours where ``NO_COLOR`` is set or nobody
is looking.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from robustnmf._common.notices import set_quiet
from robustnmf._common.progress import Step, work_bar
from robustnmf._common.text import visible

if TYPE_CHECKING:
    from rich.console import Console

Function = TypeVar("Function", bound=Callable[..., Any])

# Where these flags are kept, for the program and its commands alike.
DEBUG = "robustnmf.debug"
VERBOSE = "robustnmf.verbose"


class BadUsage(click.ClickException):
    """A mistake in the arguments whose message already says what to do instead."""

    exit_code = 2


def _remember_debug(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    # Either place will do, before the command or after it; the other must not unset it.
    if value:
        ctx.meta[DEBUG] = True


def _remember_verbose(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[VERBOSE] = True


def _silence_notices(ctx: click.Context, param: click.Parameter, value: bool) -> bool:
    set_quiet(value)
    return value


debug_option = click.option(
    "--debug",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember_debug,
    help="Show the traceback of an error.",
)


def common_options(function: Function) -> Function:
    """Add --json, --quiet, --verbose and --debug, which every command has."""
    for option in (
        debug_option,
        click.option(
            "-v",
            "--verbose",
            is_flag=True,
            expose_value=False,
            callback=_remember_verbose,
            help="Say on standard error what is being done.",
        ),
        click.option(
            "-q",
            "--quiet",
            is_flag=True,
            callback=_silence_notices,
            help="Print nothing but errors.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print the results as JSON."),
    ):
        function = option(function)
    return function


force_option = click.option("-f", "--force", is_flag=True, help="Replace files that exist already.")


def console(*, stderr: bool = False) -> Console:
    """Make a console on the stream as it is now; tests and pipes exchange it."""
    # Rich takes longer to load than the help takes to print.
    from rich.console import Console
    from rich.text import Text

    class Plain(Console):
        """Takes no text for markup, and sends no control character on to the terminal."""

        def render_str(self, text: str, **options: Any) -> Text:
            return super().render_str(visible(text, keep="\n"), **options)

    return Plain(stderr=stderr, highlight=False, markup=False, emoji=False)


def print_error(message: str) -> None:
    """Print one line, however long, to the standard error."""
    from rich.text import Text

    line = Text.assemble(("error: ", "bold red"), visible(message))
    console(stderr=True).print(line, soft_wrap=True)


def one_line(error: Exception) -> str:
    """Return what to tell of an error in one line."""
    message = " ".join(str(error).split())
    # These carry messages for the user. Any other is a fault of ours, to be looked into.
    if isinstance(error, ValueError | OSError | ImportError) and message:
        return message
    return f"{type(error).__name__}: {message} (--debug shows where)"


def print_note(message: str) -> None:
    """Print one line of advice to the standard error."""
    from rich.text import Text

    line = Text.assemble(("note: ", "bold yellow"), visible(message))
    console(stderr=True).print(line, soft_wrap=True)


def is_verbose() -> bool:
    """Whether the user wants to hear of every step."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(VERBOSE))


def print_path(label: str, path: str | Path, *, err: bool = False) -> None:
    """Print where a file is, on a line of its own."""
    click.echo(f"{label}: {visible(str(path))}", err=err)


def print_json(result: Any) -> None:
    """Print a result for programs to read."""
    # NaN and infinity are no JSON: better to fail here than in the reader.
    click.echo(json.dumps(result, indent=2, default=str, allow_nan=False))


def progress_bar(*, quiet: bool, lasting: str | None = None) -> AbstractContextManager[Step]:
    """Show a bar while the body runs, and with ``--verbose`` a line for every step.

    `lasting` names the step that may take hours, as `robustnmf._common.progress.work_bar` says.
    """
    return work_bar(console(stderr=True), quiet=quiet, verbose=is_verbose(), lasting=lasting)


def refuse_overwriting(path: Path, option: str, *, force: bool) -> None:
    """Raise a usage error if the file cannot be written, or exists and the user does not insist."""
    if not path.resolve().parent.is_dir():
        name = click.format_filename(path)
        raise BadUsage(f"{option}: the folder of {name} does not exist: create it first")
    if path.exists() and not force:
        name = click.format_filename(path)
        raise BadUsage(f"{option}: {name} exists: add --force to replace it")
