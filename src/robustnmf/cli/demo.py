"""`robustnmf demo`: the method on a hundred faces."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from robustnmf.cli.common import (
    BadUsage,
    common_options,
    console,
    force_option,
    print_json,
    print_path,
    progress_bar,
    refuse_overwriting,
)

if TYPE_CHECKING:
    from robustnmf._demo import DemoResult

DEFAULT_OUT = "robustnmf-demo.png"


@click.command()
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Picture to write. Only the default one is replaced without --force.",
)
@force_option
@common_options
@click.pass_context
def demo(ctx: click.Context, out: Path, force: bool, as_json: bool, quiet: bool) -> None:
    """Corrupt a hundred faces, find the noise, restore them.

    Fits plain NMF and RobustNMF in three ways to faces in which one pixel of twelve was made
    black or white, says how much of that each finds and repairs, and leaves a picture. Takes
    some seconds.

    \b
    Examples:
      robustnmf demo
      robustnmf demo --out faces.png --force
      robustnmf demo --json > demo.json
    """  # noqa: D301
    # The name that we chose ourselves is ours to replace, so that the demo can be run again.
    ours = ctx.get_parameter_source("out") is ParameterSource.DEFAULT
    refuse_overwriting(out, "--out", force=force or ours)

    # Loading the numerics takes seconds, which is what the bar is for.
    with progress_bar(quiet=quiet) as progress:
        from robustnmf._demo import check_out, run_demo

        try:
            check_out(out)
        except (ValueError, OSError) as error:
            raise BadUsage(f"--out: {error}") from error
        result = run_demo(out, progress=progress)

    if as_json:
        print_json(dataclasses.asdict(result))
    elif not quiet:
        _print_table(result)
        print_path("picture", result.picture)


def _print_table(result: DemoResult) -> None:
    from rich.table import Table

    settings = result.settings
    table = Table(
        title=f"{settings['amount']} wrong pixels in each of 100 faces",
        title_justify="left",
        title_style="bold",
    )
    table.add_column("method")
    for heading in ("precision", "recall", "error of W H", "restored", "seconds"):
        table.add_column(heading, justify="right")
    screen = console()
    none = "-" if screen.options.ascii_only else "–"
    for row in result.rows:
        figures = (row.precision, row.recall, row.error, row.error_restored, row.seconds)
        table.add_row(
            row.method, *(none if figure is None else f"{figure:.2f}" for figure in figures)
        )
    screen.print(table)
    screen.print(
        "error: squared difference from the clean face, summed over its pixels (0 to 1);\n"
        f"       the corrupted faces themselves have {result.error_corrupted:.2f}\n"
        "restored: the same when only the pixels found are replaced"
    )
