"""`robustnmf reproduce`: the paper's experiments, and studies of our own, each in one command."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from robustnmf.cli.common import (
    BadUsage,
    common_options,
    console,
    print_json,
    print_path,
    progress_bar,
)

if TYPE_CHECKING:
    import pandas as pd

    from robustnmf_studies.common.study import Results, Study


class Listed(NamedTuple):
    """A study's package, where its results go by default, and what it is, for the help."""

    package: str
    out: str
    words: str


_OUT = "robustnmf-reproduction"
# Apart from the studies themselves: asking for help must load nothing of them. Each package has a
# module ``study`` with its ``STUDY``, as `robustnmf_studies.common.study` says.
STUDIES = {
    "fig2": Listed("paper", _OUT, "the paper's figure 2: finding noise in faces"),
    "fig3": Listed("paper", _OUT, "the paper's figure 3: restoring faces"),
    "fig4": Listed("paper", _OUT, "the paper's figure 4: denoising pictures"),
    "all": Listed("paper", _OUT, "all of the paper"),
    "beyond": Listed("beyond", "robustnmf-beyond", "beyond the paper: nothing to tune"),
    "images": Listed("images", "robustnmf-images", "pictures, beside the alternatives"),
    "scaling": Listed("scaling", "robustnmf-scaling", "data that grow, in each engine"),
    "trust": Listed("trust", "robustnmf-trust", "data that nothing is tuned on"),
    "trust-tuning": Listed("trust", "robustnmf-trust-tuning", "the data to tune on"),
}
_HELP = "\n".join(f"  {name:<12} {study.words}" for name, study in STUDIES.items())


@click.command(epilog=f"\b\nStudies:\n{_HELP}")
@click.argument(
    "target", type=click.Choice(list(STUDIES)), default="all", metavar=f"[{'|'.join(STUDIES)}]"
)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path),
    help="Folder to write to. What an earlier run left there is not computed again. "
    f"[default: {_OUT}, or robustnmf- and the name of another study]",
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
def reproduce(target: str, out: Path | None, as_json: bool, quiet: bool, **asked: Any) -> None:
    """Run the paper's experiments, draw its figures, check its claims; or run another study.

    Leaves a report (report.html), the figures and all numbers in a folder. Can be stopped at any
    time: the next run goes on where this one ended.

    \b
    Examples:
      robustnmf reproduce --quick
      robustnmf reproduce all --out orl --data orl_32x32.npz
      robustnmf reproduce fig2 --out orl --plots-only
      robustnmf reproduce beyond --quick
    """  # noqa: D301
    with progress_bar(quiet=quiet, lasting="computing") as show:
        # Loading the numerics takes seconds.
        from robustnmf_studies.common.storage import Storage
        from robustnmf_studies.common.study import Options, run_study

        listed = STUDIES[target]
        folder = out or Path(listed.out)
        try:
            Storage(folder).check()
        except OSError as error:
            raise BadUsage(f"--out: {error}") from error

        def progress(what: str, done: float, total: float) -> None:
            show(what, done / total)

        module = importlib.import_module(f"robustnmf_studies.{listed.package}.study")
        study: Study = module.STUDY
        results = run_study(study, target, folder, Options(**asked), progress)
    if as_json:
        names = ("report", "folder", "computed", "reused", "stale", "about")
        found = {name: getattr(results, name) for name in names}
        print_json({**found, study.kind: study.records(results.judged)})
    elif not quiet:
        _print_verdicts(study.verdicts(results.judged), results)


def _print_verdicts(found: pd.DataFrame, results: Results) -> None:
    from rich.table import Table

    screen = console()
    table = Table(title=found.attrs["title"], title_justify="left", title_style="bold")
    for i, heading in enumerate(found.columns):
        table.add_column(heading, no_wrap=i > 0)
    for row in found.itertuples(index=False, name=None):
        cells = (cell.replace("–", "-") for cell in row) if screen.options.ascii_only else row
        table.add_row(*cells)
    screen.print(table)
    screen.print(f"data: {results.about.get('data', 'unknown')}", soft_wrap=True)
    reused = f", {results.reused} were there already" if results.reused else ""
    screen.print(f"points: {results.computed} computed{reused}")
    if results.stale:
        screen.print(_stale_words(results), soft_wrap=True)
    print_path("report", results.report)


def _stale_words(results: Results) -> str:
    count = f"{results.stale} points were computed by another version of the code"
    if results.computed:
        return f"{count}; those of this run were computed again, the others are left out"
    if results.reused:
        return f"{count}; they are left out"
    return f"{count} and are drawn as they are: run without --plots-only to compute them again"
