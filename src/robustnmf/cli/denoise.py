"""`robustnmf denoise`: dirty pictures in, clean ones out."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

import click

from robustnmf._common.progress import Share, part
from robustnmf._common.text import visible
from robustnmf.cli._denoise_plan import EXTRAS, Job, make_plan
from robustnmf.cli.common import (
    DEBUG,
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


@dataclasses.dataclass(frozen=True)
class FileResult:
    """What became of one file; a row of the table, and of the JSON."""

    file: str
    out: str | None = None
    pages: int = 0
    shape: tuple[int, ...] = ()
    dtype: str = ""
    corrupt: int = 0
    missing: int = 0
    pixels: int = 0
    seconds: float = 0.0
    mask: str | None = None
    noise: str | None = None
    compare: str | None = None
    error: str | None = None


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
    help="How many components --mode paper learns; not RobustNMF's 10, but as in the study.",
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

    \b
    Examples:
      robustnmf denoise photo.png
      robustnmf denoise scan.tif -o clean.tif --mask wrong.png --compare compare.png
      robustnmf denoise photos/ -o clean/
      robustnmf denoise *.jpg --json
    """  # noqa: D301
    jobs = make_plan(inputs, out, extras, force=force)
    options = {
        "mode": mode,
        "patch_size": patch_size,
        "n_components": components,
        "random_state": seed,
    }
    results = []
    with progress_bar(quiet=quiet) as show:
        show("loading", 0.0)
        for i, job in enumerate(jobs):
            progress = part(partial(show, job.source.name), i / len(jobs), (i + 1) / len(jobs))
            progress(0.0)
            results.append(_try(job, options, progress, debug=bool(ctx.meta.get(DEBUG))))
    failed = [result for result in results if result.error]
    if as_json:
        print_json([dataclasses.asdict(result) for result in results])
    elif not quiet and len(failed) < len(results):
        _print_table(results)
    for result in failed:
        print_error(f"{result.file}: {result.error}")
    if failed:
        ctx.exit(1)


def _try(job: Job, options: dict[str, Any], progress: Share, *, debug: bool) -> FileResult:
    """Denoise one file; what goes wrong with it must not keep the others from being done."""
    try:
        return _denoise_file(job, options, progress)
    except (ValueError, TypeError, OSError, MemoryError) as error:
        if debug:
            raise
        return FileResult(click.format_filename(job.source), error=one_line(error))


def _denoise_file(job: Job, options: dict[str, Any], progress: Share) -> FileResult:
    # Loading the numerics takes seconds.
    import time

    import numpy as np

    from robustnmf._picture_files.opened import read_picture
    from robustnmf._picture_files.views import before_after, write_array
    from robustnmf.image import denoise_image

    began = time.perf_counter()
    picture = read_picture(job.source)
    n_pages = len(picture.pages)
    results = [
        denoise_image(
            page.pixels,
            channel_axis=page.channel_axis,
            return_details=True,
            progress=part(progress, i / n_pages, (i + 1) / n_pages),
            **options,
        )
        for i, page in enumerate(picture.pages)
    ]
    for written in job.written.values():
        written.parent.mkdir(exist_ok=True)
    picture.write(job.out, [result.image for result in results])
    if job.mask:
        write_array(job.mask, [np.uint8(255) * result.mask for result in results])
    if job.noise:
        write_array(job.noise, [result.noise for result in results])
    if job.compare:
        first = results[0]
        axis = picture.pages[0].channel_axis
        write_array(job.compare, [before_after(first.measured, first.image, first.mask, axis)])
    missing = sum(int(np.isnan(result.measured).sum()) for result in results)
    return FileResult(
        click.format_filename(job.source),
        click.format_filename(job.out),
        pages=len(results),
        shape=results[0].image.shape,
        dtype=str(results[0].image.dtype),
        corrupt=sum(int(result.mask.sum()) for result in results) - missing,
        missing=missing,
        pixels=sum(result.mask.size for result in results),
        seconds=round(time.perf_counter() - began, 3),
        **{name: click.format_filename(path) for name in EXTRAS if (path := job.written.get(name))},
    )


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
