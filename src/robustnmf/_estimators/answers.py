"""Answers that go where the caller wants them, a block of rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from array_api_compat import array_namespace, is_jax_array

from robustnmf._common.arrays import Array
from robustnmf._common.places import Place
from robustnmf._engines import Placed, Written, closed_after, dense, engine_for, joined
from robustnmf._fitting.data import result_dtype
from robustnmf._fitting.explained import Explained
from robustnmf._fitting.inference import Learned

Part = Callable[[Explained], Array]
"""Takes from a block what is asked for, as a dense array."""


def weights(block: Explained) -> Array:
    """Return W."""
    return block.W


def noise(block: Explained) -> Array:
    """Return E, in full."""
    return dense(block.E)


def mask(block: Explained) -> Array:
    """Return which entries are corrupt."""
    return noise(block) != 0


def restorer(model: Learned, H: Array, *, keep_clean: bool = True) -> Part:
    """Return what restores a block."""

    def restored(block: Explained) -> Array:
        place = Place.of(block.W)
        P = block.W @ place.xp.astype(place.put(H), block.W.dtype, copy=False)
        if not keep_clean:
            return P
        X = place.xp.astype(block.X, P.dtype, copy=False)
        return restore(model, X, P, mask(block), dense(block.replaceable) != 0)

    return restored


def restore(model: Learned, X: Array, P: Array, corrupt: Array, replaced: Array) -> Array:
    """Return rows with some entries, and the missing ones, replaced by what is expected of them."""
    xp = array_namespace(X)
    return xp.where(xp.isnan(X) | replaced, model.bounded(X, P, corrupt), X)


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

    def multiply(rows: slice, W: Array, weights: None) -> tuple[slice, Array]:
        xp = array_namespace(W)
        if not xp.all(xp.isfinite(W)):
            raise ValueError(f"W has NaN or infinity in rows {rows.start} to {rows.stop - 1}")
        return rows, W @ H

    blocks = engine_for(W, dtype=result_dtype(W)).stream(multiply)
    if isinstance(W, Placed) and out is None:
        return joined([part for _, part in blocks])
    if out is None:
        out = np.empty(shape, H.dtype)
    check_out("out", out, shape)
    target = Written(out)
    with closed_after(blocks) as given:
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
    if is_jax_array(out):
        raise TypeError(f"{name} is an array of JAX, which cannot be written to; leave it out")
    if _is_read_only(out):
        raise ValueError(f"{name} cannot be written to; map or open it in mode 'r+'")


def _is_read_only(out: Any) -> bool:
    if isinstance(out, np.ndarray):
        return not out.flags.writeable
    # As Zarr says it, and as HDF5 does.
    file = getattr(out, "file", None)
    return getattr(out, "read_only", False) is True or getattr(file, "mode", None) == "r"
