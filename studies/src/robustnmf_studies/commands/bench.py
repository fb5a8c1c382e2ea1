"""`robustnmf bench`: how fast it is, beside the alternatives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from robustnmf.cli.common import (
    common_options,
    console,
    force_option,
    print_json,
    print_path,
    progress_bar,
    refuse_overwriting,
)
from robustnmf_studies.bench.registry import BENCHMARKS

if TYPE_CHECKING:
    from robustnmf_studies.bench.results import Result

DEFAULT_OUT = "robustnmf-bench.json"


@click.command(short_help="Measure speed and memory beside the alternatives.")
@click.argument("names", nargs=-1, type=click.Choice(list(BENCHMARKS)), metavar="[NAME]...")
@click.option("--quick", is_flag=True, help="Smaller data and fewer rounds: under five minutes.")
@click.option("--repeat", type=click.IntRange(1), help="Rounds. [default: 3, quick: 2]")
@click.option(
    "-d",
    "--data",
    metavar="PATH",
    help="Real faces for the small problem: .npz, .mat, a folder of .pgm, 'olivetti' or 'builtin'. "
    "[default: made-up ones]",
)
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Results as JSON. Only the default file is replaced without --force.",
)
@force_option
@click.option("--list", "as_list", is_flag=True, help="Show what can be named, and stop.")
@common_options
@click.pass_context
def bench(
    ctx: click.Context,
    names: tuple[str, ...],
    quick: bool,
    repeat: int | None,
    data: str | None,
    out: Path,
    force: bool,
    as_list: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure speed and memory beside the alternatives, and check the targets.

    Every comparison runs both sides in turn, in the same process and from the same start; the
    ratio is taken within each round. Runs all comparisons but the convergence study, or those
    that are named.

    \b
    Examples:
      robustnmf bench --quick
      robustnmf bench noise-off defaults --repeat 5
      robustnmf bench tuning --out tuning.json
      robustnmf bench --list
    """  # noqa: D301
    if as_list:
        _print_names(as_json=as_json)
        return
    ours = ctx.get_parameter_source("out") is ParameterSource.DEFAULT
    refuse_overwriting(out, "--out", force=force or ours)

    with progress_bar(quiet=quiet) as progress:
        # Loading the numerics takes seconds.
        from dataclasses import asdict, replace

        from robustnmf_studies.bench import plan as plans
        from robustnmf_studies.bench.results import write_result
        from robustnmf_studies.bench.run import run_benchmarks

        plan = plans.QUICK if quick else plans.FULL
        plan = replace(plan, data=data, repeat=repeat or plan.repeat)
        result = run_benchmarks(
            list(dict.fromkeys(names)),
            plan,
            progress=progress,
            finished=lambda sofar: write_result(sofar, out),
        )
    if as_json:
        print_json(asdict(result))
    elif not quiet:
        _print_result(result)
        print_path("results", out)


def _print_names(*, as_json: bool) -> None:
    names = {name: benchmark.words for name, benchmark in BENCHMARKS.items()}
    if as_json:
        print_json(names)
        return
    width = max(map(len, names))
    for name, words in names.items():
        click.echo(f"{name:<{width}}  {words}")


def _print_result(result: Result) -> None:
    from rich.table import Table

    from robustnmf_studies.bench.tables import notes, tables
    from robustnmf_studies.common.frames import rows_of

    screen = console()
    found = tables(result)
    for frame in (found[name] for name in ("comparisons", "growth", "others", "tuning")):
        rows = rows_of(frame)
        if not rows:
            continue
        table = Table(title=frame.attrs["title"], title_justify="left", title_style="bold")
        for i, heading in enumerate(frame.columns):
            # Words may wrap, but not after every one of them.
            table.add_column(heading, min_width=26 if i == 0 and len(rows[0][0]) > 26 else None)
        for row in rows:
            table.add_row(*row)
        screen.print(table)
    for note in notes(result):
        screen.print(note, soft_wrap=True)
    machine = result.about["machine"]
    screen.print(
        f"{machine['processor']}, {machine['threads']} threads, "
        f"{machine['gemm_gflops']['float64']:.0f} GFLOP/s, {machine['triad_gbytes']:.1f} GB/s; "
        f"{result.about['seconds']['all']:.0f} s",
        soft_wrap=True,
    )
