"""`robustnmf clean`: a table with wrong cells in, a clean one out."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import click

from robustnmf._common.checks import is_auto
from robustnmf._core.penalties import PENALTIES
from robustnmf._tables.registry import FORMATS
from robustnmf._tables.settings import NEGATIVES, SCALES, CleaningSettings
from robustnmf.cli._clean_outputs import as_record, check_outputs, print_result, write_outputs
from robustnmf.cli._clean_rows import clean_rows, come_one_by_one
from robustnmf.cli._clean_streams import STREAM, Streams
from robustnmf.cli.common import (
    BadUsage,
    common_options,
    force_option,
    print_json,
    print_note,
    progress_bar,
)


class NumberOrAuto(click.ParamType):
    """A number, or the word auto."""

    def __init__(self, number: type, name: str) -> None:
        self.number, self.name = number, name

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the word."""
        if is_auto(value) or isinstance(value, self.number):
            return value
        try:
            found = self.number(value)
        except ValueError:
            found = 0
        if not found > 0:
            self.fail(f"{value!r} is neither auto nor a number above 0", param, ctx)
        return found


_FILE = click.Path(path_type=Path)
# A blank and nothing are hard to type.
_THOUSANDS = {".": ".", ",": ",", "'": "'", "space": " ", "none": ""}


@click.command(short_help="Find and mend the wrong cells of a table.")
@click.argument("data", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "-o",
    "--out",
    type=click.Path(allow_dash=True, path_type=Path),
    help="The clean table, in the format of its suffix; - is standard output. "
    "[default: DATA with -clean before its suffix]",
)
@click.option("--report", type=_FILE, help="A page that shows what was found (.html).")
@click.option(
    "--changes",
    type=_FILE,
    help="Every cell that is flagged or filled: row, column, old, new, probability, reason "
    "(.csv, .json, .xlsx, ...).",
)
@click.option("--dry-run", is_flag=True, help="Judge, but write no clean table.")
@click.option("--mask", type=_FILE, help="1 where a cell is flagged.")
@click.option("--noise", type=_FILE, help="By how much each flagged cell is off.")
@click.option("--parts", type=_FILE, help="The parts that were learned, one a row.")
@click.option("--weights", type=_FILE, help="How much of each part each row holds.")
@click.option(
    "-k",
    "--components",
    type=NumberOrAuto(int, "INTEGER|auto"),
    default=CleaningSettings.n_components,
    show_default=True,
    help="How many parts to learn, with a number for --lam or for --parts; auto, unlike the 10 of "
    "RobustNMF, as a table may have fewer columns.",
)
@click.option(
    "--lam",
    type=NumberOrAuto(float, "NUMBER|auto"),
    default=CleaningSettings.lam,
    show_default=True,
    help="auto judges cells by those that go with them; a number is the price of noise (λ), "
    "at which cells are judged by the parts alone: smaller flags more. The 0.04 of RobustNMF has "
    "to be asked for, as tables are seldom sums of parts.",
)
@click.option(
    "--penalty",
    type=click.Choice(list(PENALTIES)),
    default=CleaningSettings.penalty,
    show_default=True,
    help="What noise costs.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=CleaningSettings.random_state,
    show_default=True,
    help="Random seed; fixed, unlike that of RobustNMF, as the same file has to give the same "
    "answer.",
)
@click.option(
    "--max-iter",
    type=click.IntRange(1),
    default=CleaningSettings.max_iter,
    show_default=True,
    help="Most iterations.",
)
@click.option(
    "--save-model",
    type=_FILE,
    help="Keep what was learned in this file, to clean other tables by it (.robustnmf).",
)
@click.option(
    "--model",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Learn nothing: judge each row by itself, by what --save-model kept of another table. "
    "Text that comes through a pipe is cleaned row by row, as it comes.",
)
@click.option("--use", multiple=True, metavar="COLUMN", help="Use this column; may be repeated.")
@click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave it alone; may be repeated.")
@click.option("--index", metavar="COLUMN", help="It names the rows. [default: told by the table]")
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default=CleaningSettings.scale,
    show_default=True,
    help="Bring columns to one unit; auto does so if their usual sizes differ more than tenfold.",
)
@click.option(
    "--negative",
    type=click.Choice(NEGATIVES),
    default=CleaningSettings.negative,
    show_default=True,
    help="What negative cells are: judged like others, refused, part of a column that is shifted, "
    "or all wrong.",
)
@click.option(
    "--missing",
    multiple=True,
    metavar="TEXT",
    help="A cell with this text has no value, such as -999; may be repeated. [also: empty, NA, ?]",
)
@click.option("--keep-missing", is_flag=True, help="Leave missing cells as they are.")
@click.option(
    "--format", "kind", type=click.Choice(list(FORMATS)), help="Of DATA. [default: suffix]"
)
@click.option("--dataset", metavar="NAME", help="The array or sheet, in files with several.")
@click.option("--delimiter", metavar="TEXT", help="Between cells of text. [default: told by it]")
@click.option("--decimal", type=click.Choice([".", ","]), help="[default: told by the text]")
@click.option(
    "--thousands",
    type=click.Choice(list(_THOUSANDS)),
    help="Between groups of three digits. [default: told by the text]",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of text.")
@click.option(
    "--header/--no-header", default=None, help="Of text and sheets. [default: told by them]"
)
@force_option
@common_options
@click.pass_context
def clean(
    context: click.Context,
    data: Path,
    out: Path | None,
    kind: str | None,
    as_json: bool,
    quiet: bool,
    force: bool,
    **options: Any,
) -> None:
    """Find the wrong cells of a table, and replace those that are surely wrong.

    DATA is a file of numbers in rows and columns, of any format that --format lists; - is
    standard input. All other cells come back as they were, letter for letter. Words, dates,
    codes and counters are carried along, missing cells are filled. What is only suspicious is
    flagged, and left as it is.

    \b
    Examples:
      robustnmf clean sales.csv
      robustnmf clean sales.csv -o clean.csv --report report.html
      robustnmf clean sales.csv --dry-run --changes changes.csv
      robustnmf clean sensors.xlsx --ignore year --missing -999 --mask wrong.csv
      robustnmf clean counts.npy -k 20 --lam 0.04 -o clean.npy --force
      robustnmf clean - --format tsv < raw.tsv > clean.tsv
      robustnmf clean 2024.csv --dry-run --save-model sales.robustnmf
      robustnmf clean 2025.csv --model sales.robustnmf
      tail -n +1 -f today.csv | robustnmf clean - --model sales.robustnmf
    """  # noqa: D301
    if options["model"] is not None:
        _refuse_beside_model(context)
        # Text is what most pipes carry, and what a model can be asked about row by row.
        kind = "csv" if kind is None and str(data) == STREAM else kind
    streams = Streams(data, out, kind)
    check_outputs(streams, options, as_json=as_json, force=force)
    _check_reading(options)
    if come_one_by_one(streams, options):
        clean_rows(streams, options, _reading(options), quiet=quiet)
        return
    with streams, progress_bar(quiet=quiet) as progress:
        progress("loading", 0.0)
        # Loading the numerics takes seconds.
        from robustnmf._common.diagnosis import TrustWarning
        from robustnmf._tables.selection import ColumnError
        from robustnmf.tables import clean_table, read_table

        table = read_table(streams.source, format=streams.kind, **_reading(options))
        try:
            table.select(options["use"], options["ignore"], options["index"])
        except ColumnError as error:
            raise BadUsage(str(error)) from error
        with warnings.catch_warnings():
            # The result says it too, and is printed below.
            warnings.simplefilter("ignore", TrustWarning)
            result = clean_table(table, **_settings(options), progress=progress)
        progress("writing", 0.9)
        written = write_outputs(result, streams, options)
        progress("done", 1.0)
    if not quiet:
        for note in result.notes:
            print_note(note)
        if not result.diagnosis.trusted:
            print_note(
                f"the result is {result.diagnosis}; "
                "only what is beyond doubt was replaced, all else is flagged"
            )
    if as_json:
        print_json(as_record(result, written))
    elif not quiet:
        print_result(result, written, to_stderr=streams.to_stdout)


# What a model says already.
_SAID_BY_MODEL = (
    "components",
    "lam",
    "penalty",
    "seed",
    "max_iter",
    "use",
    "ignore",
    "scale",
    "negative",
    "save_model",
    "parts",
    "weights",
)


def _refuse_beside_model(context: click.Context) -> None:
    """Refuse options that a model makes meaningless."""
    for name in _SAID_BY_MODEL:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = "--" + name.replace("_", "-")
            raise BadUsage(
                f"--model says how cells are judged, and of which columns: leave out {option}"
            )


def _check_reading(options: dict[str, Any]) -> None:
    """Refuse before the work how no text can be read."""
    if options["decimal"] is not None and options["decimal"] == options["thousands"]:
        raise BadUsage("--decimal and --thousands cannot be the same sign: leave one out")
    if options["delimiter"] is not None:
        # A tab is hard to type.
        options["delimiter"] = options["delimiter"].replace("\\t", "\t")
        if len(options["delimiter"]) != 1:
            raise BadUsage(
                "--delimiter must be one character, such as ';' or '\\t'; "
                f"got {options['delimiter']!r}"
            )


def _reading(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `read_table`."""
    names = ("dataset", "delimiter", "decimal", "header", "encoding", "missing")
    return {name: options[name] for name in names} | {
        "thousands": _THOUSANDS.get(options["thousands"])
    }


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of `clean_table`."""
    names = ("lam", "penalty", "scale", "negative", "max_iter", "model", "save_model")
    return {name: options[name] for name in names} | {
        "n_components": options["components"],
        "fill_missing": not options["keep_missing"],
        "random_state": options["seed"],
    }
