"""Answers that go where the caller wants them, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._engines import Written, closed_after, engine_for
from robustnmf._fitting.explained import Explained
from robustnmf._fitting.inference import Learned

Part = Callable[[Explained], Array]
"""Takes from a block what is asked for, as a dense array."""


def weights(block: Explained) -> Array:
    """Return W."""
    return block.W


def noise(block: Explained) -> Array:
    """Return E, in full."""
    E: Array = block.E.toarray()
    return E


def mask(block: Explained) -> Array:
    """Return which entries are corrupt."""
    return noise(block) != 0


def restorer(model: Learned, H: Array, *, keep_clean: bool = True) -> Part:
    """Return what restores a block."""

    def restored(block: Explained) -> Array:
        P = block.W @ H.astype(block.W.dtype, copy=False)
        if not keep_clean:
            return P
        replaced = block.replaceable.toarray() != 0
        return restore(model, block.X.astype(P.dtype, copy=False), P, mask(block), replaced)

    return restored


def restore(model: Learned, X: Array, P: Array, corrupt: Array, replaced: Array) -> Array:
    """Return rows with some entries, and the missing ones, replaced by what is expected of them."""
    return np.where(np.isnan(X) | replaced, model.bounded(X, P, corrupt), X)


def write(
    blocks: Iterable[Explained], parts: Mapping[str, tuple[Part, Any]], shapes: Mapping[str, Any]
) -> None:
    """Fill arrays with parts of all blocks; arrays that cannot hold them are refused first.

    Parameters
    ----------
    blocks : iterable of Explained
        Nothing is computed before it is iterated.
    parts : mapping
        By name, what is to be taken and the array that it goes to.
    shapes : mapping
        By name, which shape that array must have.
    """
    for name, (_, out) in parts.items():
        check_out(name, out, shapes[name])
    targets = [(part, Written(out)) for part, out in parts.values()]
    with closed_after(blocks) as given:
        for block in given:
            for part, target in targets:
                target.put(block.rows, part(block))


def product(W: Any, H: Array, out: Any) -> Any:
    """Fill an array, or a new one, with W H, and return it; W is in any place."""
    shape = (W.shape[0], H.shape[1])
    if out is None:
        out = np.empty(shape, H.dtype)
    check_out("out", out, shape)

    def multiply(rows: slice, W: Array, weights: None) -> tuple[slice, Array]:
        if not np.isfinite(W).all():
            raise ValueError(f"W has NaN or infinity in rows {rows.start} to {rows.stop - 1}")
        return rows, W @ H

    target = Written(out)
    with closed_after(engine_for(W, dtype=H.dtype).stream(multiply)) as given:
        for rows, part in given:
            target.put(rows, part)
    return out


def check_out(name: str, out: Any, shape: tuple[Any, ...]) -> None:
    """Refuse what cannot take an answer of this shape."""
    if not hasattr(out, "__setitem__") or not hasattr(out, "shape"):
        raise TypeError(
            f"{name} must be an array that rows can be written to (NumPy, memmap, Zarr, HDF5); "
            f"got {type(out).__name__}"
        )
    if tuple(out.shape) != shape:
        raise ValueError(f"{name} must have the shape {shape}; got {tuple(out.shape)}")
    if _is_read_only(out):
        raise ValueError(f"{name} cannot be written to; map or open it in mode 'r+'")


def _is_read_only(out: Any) -> bool:
    if isinstance(out, np.ndarray):
        return not out.flags.writeable
    # As Zarr says it, and as HDF5 does.
    file = getattr(out, "file", None)
    return getattr(out, "read_only", False) is True or getattr(file, "mode", None) == "r"
