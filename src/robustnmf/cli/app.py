"""The program `robustnmf`: its commands, and how each of them ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

import click

from robustnmf._version import __version__
from robustnmf.cli.clean import clean
from robustnmf.cli.common import DEBUG, debug_option, one_line, print_error
from robustnmf.cli.completion import completion
from robustnmf.cli.demo import demo
from robustnmf.cli.denoise import denoise
from robustnmf.cli.plugins import load_plugin, plugin_names
from robustnmf.cli.stopping import INTERRUPTED, TERMINATED, Terminated


class Program(click.Group):
    """A group of commands that tells failures in one line and by exit code.

    0: done; 1: failed; 2: bad usage; 130: stopped by Ctrl-C, 143: or by a polite request to end, as
    shells have it. Other packages may add commands.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of our own commands and of those that other packages add."""
        return sorted({*super().list_commands(ctx), *plugin_names()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by name; what another package adds is loaded only now."""
        return super().get_command(ctx, cmd_name) or load_plugin(cmd_name)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command line and exit."""
        try:
            # Not standalone: then click hands all errors on instead of printing them its way.
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except click.UsageError as error:
            command = error.ctx.command_path if error.ctx else "robustnmf"
            print_error(f"{error.format_message()} Try '{command} --help'.")
            sys.exit(error.exit_code)
        except click.ClickException as error:
            print_error(error.format_message())
            sys.exit(error.exit_code)
        except click.Abort as stopped:
            print_error("stopped")
            sys.exit(TERMINATED if isinstance(stopped.__cause__, Terminated) else INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; turn an exception into one line unless the user debugs."""
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:
            # Who reads our output has seen enough, as `head` does. Python would complain once more
            # when it flushes the rest.
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(1)
        except Exception as error:
            if ctx.meta.get(DEBUG):
                raise
            raise click.ClickException(one_line(error)) from error


@click.group(
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="robustnmf", message="%(prog)s %(version)s")
@debug_option
@click.pass_context
def app(ctx: click.Context) -> None:
    """Find what is wrong in nonnegative data, and put it right.

    Learns parts from the data itself, tells entries that no mixture of parts explains, and
    replaces these.

    \b
    Try it:
      robustnmf demo
      robustnmf clean table.csv --report report.html
      robustnmf denoise photo.png --compare look.png
    """  # noqa: D301
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
        ctx.exit(2)


for command in (clean, completion, demo, denoise):
    app.add_command(command)
