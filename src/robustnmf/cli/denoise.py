"""`robustnmf denoise`: dirty pictures in, clean ones out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from robustnmf._common.progress import Share, part
from robustnmf._common.text import visible
from robustnmf.cli._denoise_plan import EXTRAS, PICTURES, STACKS, Job, make_plan
from robustnmf.cli._denoise_work import FileResult, denoise_pages, denoise_together
from robustnmf.cli.common import (
    DEBUG,
    BadUsage,
    common_options,
    console,
    force_option,
    one_line,
    print_error,
    print_json,
    print_path,
    progress_bar,
)

_PATH = click.Path(path_type=Path)

# More than the pixels of any patch that is worth learning from.
_MAX_COMPONENTS = 4096


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="IN...")
@click.option(
    "-o",
    "--out",
    type=_PATH,
    help="The clean picture; of several, a folder. [default: IN with -clean before its suffix]",
)
@click.option("--mask", type=_PATH, help="Where pixels were replaced, in white (.png, .tif, .npy).")
@click.option("--noise", type=_PATH, help="By how much they were off (.npy, .tif).")
@click.option("--compare", type=_PATH, help="Before, after, and what was found (.png, .jpg).")
@click.option(
    "--stack",
    is_flag=True,
    help="The pictures of a file show one scene: restore them together, by what they share.",
)
@click.option("--dataset", metavar="NAME", help="The array, with --stack, in files with several.")
@click.option(
    "--mode",
    type=click.Choice(["restore", "paper"]),
    default="restore",
    show_default=True,
    help="Replace corrupt pixels only, or all by W H of the patches, as the paper does.",
)
@click.option(
    "--patch-size",
    type=click.IntRange(2),
    default=8,
    show_default=True,
    help="Height and width of patches, with --mode paper.",
)
@click.option(
    "-k",
    "--components",
    type=click.IntRange(1, _MAX_COMPONENTS),
    default=16,
    show_default=True,
    help="How many components --mode paper learns; not RobustNMF's 10, but as in the study. "
    "With --stack those of the stack, 10 by default.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed; fixed, unlike RobustNMF's, so that a picture always gives the same answer.",
)
@force_option
@common_options
@click.pass_context
def denoise(
    ctx: click.Context,
    inputs: tuple[str, ...],
    out: Path | None,
    stack: bool,
    dataset: str | None,
    mode: str,
    patch_size: int,
    components: int,
    seed: int,
    force: bool,
    as_json: bool,
    quiet: bool,
    **extras: Path | None,
) -> None:
    """Find the corrupt pixels of pictures and replace them.

    IN are PNG, JPEG, TIFF and NPY files, folders of them, or patterns. All other pixels stay as
    they are, and so do the format, size, bit depth and metadata. Pages of a TIFF are restored
    one by one. Fit for impulses, dead pixels and dead lines; not for grain or blur.

    With --stack they are restored together, as aligned pictures of one scene, and so are those
    along the first axis of NPY, HDF5 and Zarr arrays. Files may then be larger than the memory.

    \b
    Examples:
      robustnmf denoise photo.png
      robustnmf denoise scan.tif -o clean.tif --mask wrong.png --compare compare.png
      robustnmf denoise photos/ -o clean/
      robustnmf denoise frames.tif --stack --mask wrong.tif
      robustnmf denoise *.jpg --json
    """  # noqa: D301
    if stack:
        _refuse_alone(ctx, mode)
    elif dataset is not None:
        raise BadUsage("--dataset goes with --stack: add that, or leave it out")
    jobs = make_plan(inputs, out, extras, STACKS if stack else PICTURES, force=force)
    options: dict[str, Any] = {"random_state": seed}
    if not stack:
        options |= {"mode": mode, "patch_size": patch_size}
    if not stack or _is_given(ctx, "components"):
        options["n_components"] = components
    work = partial(denoise_together, dataset=dataset) if stack else denoise_pages
    results = []
    with progress_bar(quiet=quiet) as show:
        show("loading", 0.0)
        for i, job in enumerate(jobs):
            progress = part(partial(show, job.source.name), i / len(jobs), (i + 1) / len(jobs))
            progress(0.0)
            results.append(_try(work, job, options, progress, debug=bool(ctx.meta.get(DEBUG))))
    failed = [result for result in results if result.error]
    if as_json:
        print_json([dataclasses.asdict(result) for result in results])
    elif not quiet and len(failed) < len(results):
        _print_table(results)
    for result in failed:
        print_error(f"{result.file}: {result.error}")
    if failed:
        ctx.exit(1)


def _refuse_alone(ctx: click.Context, mode: str) -> None:
    """Refuse what is for pictures that are restored one by one."""
    if mode != "restore":
        raise BadUsage(f"--mode {mode} is for single pictures: leave out --stack, or --mode")
    if _is_given(ctx, "patch_size"):
        raise BadUsage("--patch-size is for --mode paper, and a stack has no patches: leave it out")


def _is_given(ctx: click.Context, name: str) -> bool:
    return ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


def _try(
    work: Callable[..., FileResult],
    job: Job,
    options: dict[str, Any],
    progress: Share,
    *,
    debug: bool,
) -> FileResult:
    """Denoise one file; what goes wrong with it must not keep the others from being done."""
    try:
        return work(job, options=options, progress=progress)
    except (ValueError, TypeError, OSError, MemoryError) as error:
        if debug:
            raise
        return FileResult(click.format_filename(job.source), error=one_line(error))


def _print_table(results: list[FileResult]) -> None:
    from rich.table import Table

    table = Table()
    for heading, side in (("file", "left"), ("size", "left"), ("replaced", "right")):
        table.add_column(heading, justify=side, overflow="fold")  # type: ignore[arg-type]
    table.add_column("seconds", justify="right")
    table.add_column("clean picture", overflow="fold")
    for result in results:
        file = visible(result.file)
        if result.error:
            table.add_row(file, "", "failed", "", "")
            continue
        pages = f", {result.pages} pages" if result.pages > 1 else ""
        size = "×".join(map(str, result.shape)) + pages
        share = 100 * (result.corrupt + result.missing) / result.pixels
        out = visible(result.out or "")
        table.add_row(file, size, f"{share:.2f} %", f"{result.seconds:.1f}", out)
    console().print(table)
    if len(results) == 1:
        for name in EXTRAS:
            path = getattr(results[0], name)
            if path:
                print_path(name, path)
