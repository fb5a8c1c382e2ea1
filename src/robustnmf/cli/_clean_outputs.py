"""What `robustnmf clean` writes: checked before the work, written and shown after it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robustnmf._common.text import visible
from robustnmf._tables.registry import format_of
from robustnmf.cli._clean_streams import STREAM, Streams
from robustnmf.cli.common import BadUsage, console, print_path, refuse_overwriting

if TYPE_CHECKING:
    from robustnmf.tables import CleaningResult

# Cells that are told on the screen; the report has more.
_SHOWN = 8
_OUTPUTS = ("report", "changes", "mask", "noise", "parts", "weights")


def check_outputs(streams: Streams, options: dict[str, Any], *, as_json: bool, force: bool) -> None:
    """Refuse before the work what could not be written after it."""
    paths = {f"--{name}": options[name] for name in _OUTPUTS if options[name] is not None}
    if options["dry_run"]:
        if streams.to_stdout and not streams.from_stdin:
            raise BadUsage("--dry-run writes no table: leave out --out")
    elif streams.to_stdout:
        if as_json:
            raise BadUsage("--json and the table cannot both go to standard output: name an --out")
    else:
        paths = {"--out": streams.out} | paths
    if streams.kind is None:
        if streams.from_stdin:
            raise BadUsage("standard input has no suffix: say what it is, e.g. with --format csv")
        _refuse_unknown("DATA", streams.source)
    if options["save_model"] is not None:
        paths["--save-model"] = options["save_model"]
    taken: dict[Path, str] = {}
    for option, path in paths.items():
        refuse_overwriting(path, option, force=force)
        streams.guard(option, path)
        if option == "--report":
            if path.suffix.lower() not in (".html", ".htm"):
                raise BadUsage(f"--report: {path.name} is to be a page: end the name in .html")
        elif option == "--changes" and path.suffix.lower() == ".json":
            pass
        elif option == "--save-model":
            # It is no table, and its name may end in anything.
            pass
        elif option != "--out" or streams.kind_out is None:
            _refuse_unknown(option, path)
        other = taken.setdefault(path.resolve(), option)
        if other != option:
            raise BadUsage(f"{other} and {option} name the same file: {path}")


def _refuse_unknown(what: str, path: Path) -> None:
    try:
        format_of(path)
    except ValueError as error:
        raise BadUsage(f"{what}: {error}") from error


def write_outputs(
    result: CleaningResult, streams: Streams, options: dict[str, Any]
) -> dict[str, str]:
    """Write all that was asked for; return it by name."""
    from robustnmf.tables import write_table

    written = {}
    if not options["dry_run"]:
        write_table(result.data, streams.target, format=streams.kind_out)
        streams.deliver()
        written["out"] = STREAM if streams.to_stdout else str(streams.out)
    writers: dict[str, Callable[[Path], None]] = {
        "report": lambda path: result.write_report(path, streams.command()),
        "changes": result.write_changes,
        "mask": result.write_mask,
        "noise": result.write_noise,
        "parts": result.write_parts,
        "weights": result.write_weights,
    }
    for name in _OUTPUTS:
        if options[name] is not None:
            writers[name](options[name])
            written[name] = str(options[name])
    if options["save_model"] is not None:
        written["model"] = str(options["save_model"])
    return written


def as_record(result: CleaningResult, written: dict[str, str]) -> dict[str, Any]:
    """Return all that was found and the files that were written, for programs to read."""
    from robustnmf._tables import outputs

    return outputs.as_record(result) | {"files": written}


def print_result(result: CleaningResult, written: dict[str, str], *, to_stderr: bool) -> None:
    """Show the surest of the flagged cells, and what was written."""
    from rich.table import Table
    from rich.text import Text

    from robustnmf._tables.outputs import shown

    screen = console(stderr=to_stderr)
    table = Table(title=result.summary, title_justify="left", title_style="bold")
    for heading, justify in (
        ("row", "left"),
        ("column", "left"),
        ("value", "right"),
        ("expected", "right"),
        ("", "left"),
        ("why", "left"),
    ):
        table.add_column(heading, justify=justify)  # type: ignore[arg-type]
    cells = result.cells
    for cell in cells[:_SHOWN]:
        done = "replaced" if cell.replaced else "flagged"
        table.add_row(*(Text(visible(x)) for x in shown(result, cell)), done, cell.reason)
    if cells:
        screen.print(table)
        if len(cells) > _SHOWN:
            screen.print(
                f"the {_SHOWN} that are surest; --changes lists all, --report shows more",
                style="dim",
            )
    else:
        screen.print("no cell is flagged")
    if result.n_missing:
        screen.print(f"{result.n_filled:,} of {result.n_missing:,} missing cells were filled")
    for name, path in written.items():
        if path != STREAM:
            print_path("clean table" if name == "out" else name, path, err=to_stderr)
