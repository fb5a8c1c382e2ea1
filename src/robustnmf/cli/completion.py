"""`robustnmf completion`: names that the shell completes."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(short_help="Let the shell complete commands, options and files.")
@click.argument("shell", type=click.Choice(SHELLS), metavar="[bash|zsh|fish]")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes the shell complete commands, options and files.

    Put one of these lines where your shell reads it at its start:

    \b
    Examples:
      eval "$(robustnmf completion bash)"      # in ~/.bashrc
      eval "$(robustnmf completion zsh)"       # in ~/.zshrc
      robustnmf completion fish | source       # in ~/.config/fish/config.fish
    """  # noqa: D301
    from click.shell_completion import get_completion_class

    program = ctx.find_root().command
    made_for = get_completion_class(shell)
    assert made_for is not None
    # Bash is asked for its version first, which a script that is only printed does not need.
    if shell == "bash":
        made_for = type("Bash", (made_for,), {"_check_version": staticmethod(lambda: None)})
    click.echo(made_for(program, {}, "robustnmf", "_ROBUSTNMF_COMPLETE").source())
