"""`robustnmf reproduce`: the paper's experiments, its figures and its claims."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from robustnmf.cli._common import BadUsage, common_options, console, print_json

if TYPE_CHECKING:
    from robustnmf.experiments import Reproduction

DEFAULT_OUT = "robustnmf-reproduction"
TARGETS = ("fig2", "fig3", "fig4", "all")
# Where nobody sees a bar, a line is written each time this much of the work is done.
_LOG_EVERY = 0.05


@click.command()
@click.argument("target", type=click.Choice(TARGETS), default="all", metavar="[fig2|fig3|fig4|all]")
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    default=DEFAULT_OUT,
    show_default=True,
    help="Folder to write to. What an earlier run left there is not computed again.",
)
@click.option(
    "-d",
    "--data",
    metavar="PATH",
    help="The ORL faces: .npz, .mat, a folder of .pgm, 'olivetti' (download) or 'builtin'. "
    "[default: ROBUSTNMF_DATA, else a download, else the faces of scikit-image]",
)
@click.option("--quick", is_flag=True, help="Fewer runs and points: some minutes at most.")
@click.option("--runs", type=click.IntRange(1), help="Repetitions. [default: 10, quick: 2]")
@click.option("--jobs", type=click.IntRange(1), help="Processes. [default: one for each core]")
@click.option(
    "--iterations",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Of the paper's rules.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed.")
@click.option("--plots-only", is_flag=True, help="Compute nothing; draw the numbers again.")
@common_options
def reproduce(
    target: str,
    out: Path,
    data: str | None,
    quick: bool,
    runs: int | None,
    jobs: int | None,
    iterations: int,
    seed: int,
    plots_only: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Run the paper's experiments, draw its figures, check its claims.

    Leaves a report (report.html), the figures and all numbers in a folder. Can be stopped at any
    time: the next run goes on where this one ended.

    \b
    Examples:
      robustnmf reproduce --quick
      robustnmf reproduce all --out orl --data orl_32x32.npz
      robustnmf reproduce fig2 --out orl --plots-only
    """  # noqa: D301
    with _work_bar(quiet=quiet) as progress:
        # Loading the numerics takes seconds.
        from dataclasses import replace

        from robustnmf.experiments import FULL, QUICK, Settings
        from robustnmf.experiments import reproduce as run
        from robustnmf.experiments.storage import Storage

        try:
            Storage(out).check()
        except OSError as error:
            raise BadUsage(f"--out: {error}") from error
        plan = QUICK if quick else FULL
        result = run(
            target,
            out,
            data=data,
            plan=plan if runs is None else replace(plan, runs=runs),
            settings=Settings(iterations=iterations, seed=seed),
            n_jobs=jobs,
            plots_only=plots_only,
            progress=progress,
        )
    if as_json:
        print_json(_as_json(result))
    elif not quiet:
        _print_claims(result)


@contextmanager
def _work_bar(*, quiet: bool) -> Iterator[Callable[[str, float, float], None]]:
    """Show a bar with the time left; where nobody looks at a screen, lines now and then."""
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    screen = console(stderr=True)
    with Progress(
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
        TextColumn("gone,"),
        # Points differ in size, so the pace of the last few says little.
        TimeRemainingColumn(elapsed_when_finished=False),
        TextColumn("left"),
        console=screen,
        transient=True,
        speed_estimate_period=600,
        disable=quiet or not screen.is_interactive,
    ) as bar:
        task = bar.add_task("starting", total=None)
        log = None if quiet or screen.is_interactive else _Log(screen)

        def tell(what: str, done: float, total: float) -> None:
            bar.update(task, description=what, completed=done, total=total)
            if log is not None:
                log.tell(what, done / total)

        yield tell


class _Log:
    """Progress as lines, for files."""

    def __init__(self, screen: Any) -> None:
        self._screen = screen
        self._began = time.monotonic()
        self._last = 0.0

    def tell(self, what: str, share: float) -> None:
        """Write a line if enough has been done since the last one."""
        if what != "computing":
            return
        if share < min(self._last + _LOG_EVERY, 1.0) or self._last >= 1:
            return
        self._last = share
        gone = time.monotonic() - self._began
        left = gone * (1 - share) / share
        self._screen.print(
            f"{100 * share:3.0f} % done after {gone / 60:.1f} min, about {left / 60:.1f} min left",
            soft_wrap=True,
        )


def _as_json(result: Reproduction) -> dict[str, Any]:
    from robustnmf.experiments.claims import as_records

    return {
        "report": str(result.report),
        "folder": str(result.folder),
        "computed": result.computed,
        "reused": result.reused,
        "about": result.about,
        "claims": as_records(result.judged),
    }


def _print_claims(result: Reproduction) -> None:
    from rich.table import Table

    screen = console()
    table = Table(title="The paper's claims", title_justify="left", title_style="bold")
    table.add_column("claim")
    table.add_column("as in the paper", no_wrap=True)
    table.add_column("at the optimum", no_wrap=True)
    none = "-" if screen.options.ascii_only else "–"
    for claim, findings in result.judged:
        verdicts = (
            findings[mode].verdict if mode in findings else none for mode in ("paper", "optimum")
        )
        table.add_row(claim.sentence, *verdicts)
    screen.print(table)
    screen.print(f"data: {result.about.get('data', 'unknown')}", soft_wrap=True)
    reused = f", {result.reused} were there already" if result.reused else ""
    screen.print(f"points: {result.computed} computed{reused}")
    click.echo(f"report: {click.format_filename(result.report)}")
