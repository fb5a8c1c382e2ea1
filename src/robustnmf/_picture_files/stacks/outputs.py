"""All that is written about a stack, while the answers come, a few pictures at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from math import prod
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._engines import Written, flattened
from robustnmf._picture_files.names import TIFF, kind_of
from robustnmf._picture_files.stacks.npy import new_npy
from robustnmf._picture_files.stacks.opened import InOrder, StackFile
from robustnmf._picture_files.stacks.tiff import new_tiff


class StackOutputs:
    """Takes restored pictures and their masks, and writes what was asked for.

    Files appear when the body of the context has ended well, and none is begun before the first
    picture is there.

    Parameters
    ----------
    stack : StackFile
        What is restored.
    paths : mapping of str to Path
        Where to write the stack ("out") and, if they are named, "mask" and "noise".

    Attributes
    ----------
    targets : dict
        For ``denoise_stack(..., out=targets)``.
    first : dict of ndarray
        The first picture: "measured", "restored" and "mask".
    corrupt, missing : int
        Pixels that were replaced, channels counted.
    """

    def __init__(self, stack: StackFile, paths: Mapping[str, Path]) -> None:
        self._stack, self._paths = stack, paths
        self._files, self._open = ExitStack(), dict[str, Written]()
        shape, dtype = stack.pictures.shape, np.dtype(stack.pictures.dtype)
        self._given = flattened(stack.pictures, "stack")
        # Floats alone can be missing.
        self._is_needed = dtype.kind == "f" or "noise" in paths
        self.targets = {
            "image": _Taker(stack.pictures, dtype, self._take_image),
            "mask": _Taker(stack.pictures, np.dtype(bool), self._take_mask),
        }
        self.first: dict[str, Array] = {"measured": self._measured(slice(0, 1))[0]}
        self.corrupt = self.missing = 0
        noise = np.result_type(dtype, np.float32)
        self._makers: dict[str, Callable[[Path], Any]] = {
            "out": stack.copied,
            "mask": lambda path: new_array(path, shape, np.uint8),
            "noise": lambda path: new_array(path, shape, noise),
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.clear()
        self._files.__exit__(kind, error, trace)

    def _take_image(self, pictures: slice, image: Array) -> None:
        if pictures.start == 0:
            self.first["restored"] = image[0]
        self._write("out", pictures, image)
        if not self._is_needed:
            return
        measured = self._measured(pictures)
        gaps = np.isnan(measured)
        self.missing += int(gaps.sum())
        if "noise" in self._paths:
            dtype = np.result_type(measured.dtype, np.float32)
            self._write("noise", pictures, np.where(gaps, 0, measured.astype(dtype) - image))

    def _take_mask(self, pictures: slice, mask: Array) -> None:
        if pictures.start == 0:
            self.first["mask"] = mask[0]
        self.corrupt += int(mask.sum())
        if "mask" in self._paths:
            self._write("mask", pictures, np.uint8(255) * mask)

    def _write(self, name: str, pictures: slice, values: Array) -> None:
        if name not in self._open:
            path = self._paths[name]
            path.parent.mkdir(exist_ok=True)
            self._open[name] = Written(self._files.enter_context(self._makers[name](path)))
        self._open[name].put(pictures, values)

    def _measured(self, pictures: slice) -> Array:
        return self._given.read(pictures).reshape(-1, *self._stack.pictures.shape[1:])


class _Taker:
    """Hands on what is assigned to it; it is like an array in all else that is asked."""

    def __init__(self, like: Any, dtype: Any, take: Callable[[slice, Array], None]) -> None:
        self.shape, self.dtype = tuple(like.shape), dtype
        self.chunks, self.shards = (getattr(like, name, None) for name in ("chunks", "shards"))
        self._take = take

    def __setitem__(self, pictures: slice, values: Array) -> None:
        self._take(pictures, values)


@contextmanager
def new_array(path: Path, shape: tuple[int, ...], dtype: Any) -> Iterator[Any]:
    """Give what takes pictures for a new file, TIFF or NPY."""
    if kind_of(path) != TIFF:
        with new_npy(path, shape, dtype) as new:
            yield new
        return
    with new_tiff(path, prod(shape) * np.dtype(dtype).itemsize) as writer:
        yield InOrder(
            shape, dtype, lambda _, page: writer.write(page, contiguous=False, metadata=None)
        )
