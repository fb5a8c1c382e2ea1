"""What `robustnmf denoise` does with one file."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import click

from robustnmf._common.progress import Share, part
from robustnmf.cli._denoise_plan import EXTRAS, Job


@dataclass(frozen=True)
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


def denoise_pages(job: Job, options: dict[str, Any], progress: Share) -> FileResult:
    """Restore the pictures of a file one by one."""
    # Loading the numerics takes seconds.
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
        pages=len(results),
        shape=results[0].image.shape,
        dtype=str(results[0].image.dtype),
        corrupt=sum(int(result.mask.sum()) for result in results) - missing,
        missing=missing,
        pixels=sum(result.mask.size for result in results),
        seconds=round(time.perf_counter() - began, 3),
        **_names(job),
    )


def denoise_together(
    job: Job, dataset: str | None, options: dict[str, Any], progress: Share
) -> FileResult:
    """Restore the pictures of a file, which show one scene, by what they have in common."""
    from contextlib import closing
    from math import prod

    from robustnmf._picture_files.stacks.opened import open_stack
    from robustnmf._picture_files.stacks.outputs import StackOutputs
    from robustnmf._picture_files.views import before_after, write_array
    from robustnmf.image import denoise_stack

    began, written = time.perf_counter(), job.written
    with closing(open_stack(job.source, dataset)) as stack, StackOutputs(stack, written) as outputs:
        axis, shape, dtype = stack.channel_axis, stack.pictures.shape, stack.pictures.dtype
        denoise_stack(
            stack.pictures,
            channel_axis=axis,
            return_details=True,
            out=outputs.targets,
            progress=progress,
            **options,
        )
        # Where the file is to be replaced, it must not be open.
        stack.close()
    if job.compare:
        job.compare.parent.mkdir(exist_ok=True)
        write_array(job.compare, [before_after(**outputs.first, channel_axis=axis)])
    return FileResult(
        pages=shape[0],
        shape=tuple(shape[1:]),
        dtype=str(dtype),
        corrupt=outputs.corrupt - outputs.missing,
        missing=outputs.missing,
        pixels=prod(shape),
        seconds=round(time.perf_counter() - began, 3),
        **_names(job),
    )


def _names(job: Job) -> dict[str, Any]:
    named = {name: path for name in ("out", *EXTRAS) if (path := job.written.get(name))}
    return {"file": click.format_filename(job.source)} | {
        name: click.format_filename(path) for name, path in named.items()
    }
