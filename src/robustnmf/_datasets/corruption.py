"""Noise at known entries: what a method should find, and what it may not use."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robustnmf._common.checks import as_generator, check_choice, check_share, is_whole
from robustnmf._common.levels import top_level

Mask = NDArray[np.bool_]


class _Limits(NamedTuple):
    """The range of the values written; for data of kind `dtype`."""

    low: float
    high: float
    dtype: np.dtype[Any]


# Each kind of impulse: the old values and the limits give the new values, in float64.
_Impulse = Callable[[NDArray[Any], _Limits, np.random.Generator], NDArray[Any]]


def _salt(old: NDArray[Any], limits: _Limits, rng: np.random.Generator) -> NDArray[Any]:
    return np.full(old.shape, limits.high)


def _salt_pepper(old: NDArray[Any], limits: _Limits, rng: np.random.Generator) -> NDArray[Any]:
    return np.where(rng.random(old.shape) < 0.5, limits.low, limits.high)


def _random(old: NDArray[Any], limits: _Limits, rng: np.random.Generator) -> NDArray[Any]:
    if np.issubdtype(limits.dtype, np.integer):
        # Rounded uniform floats would give the two end values half their share.
        return rng.integers(int(limits.low), int(limits.high), old.shape, endpoint=True)
    return rng.uniform(limits.low, limits.high, old.shape)


def _spikes(old: NDArray[Any], limits: _Limits, rng: np.random.Generator) -> NDArray[Any]:
    size = (limits.high - limits.low) * rng.uniform(0.5, 1.0, old.shape)
    new = np.maximum(old + np.where(rng.random(old.shape) < 0.5, -size, size), 0.0)
    if np.issubdtype(limits.dtype, np.integer):
        # Integers saturate, as a sensor does: wrapping round would turn white into black.
        new = np.minimum(np.rint(new), np.iinfo(limits.dtype).max)
    return new


_IMPULSES: dict[str, _Impulse] = {
    "salt": _salt,
    "salt_pepper": _salt_pepper,
    "random": _random,
    "spikes": _spikes,
}
KINDS = (*_IMPULSES, "occlusion")
_COUNT_HINT = "For a number of entries per sample pass an int."
_SIDE_HINT = "For the side of a square in pixels pass an int."


def corrupt(
    X: ArrayLike,
    kind: str = "salt",
    amount: int | float = 0.05,
    *,
    low: float = 0.0,
    high: float | None = None,
    image_shape: tuple[int, int] | None = None,
    random_state: int | np.random.Generator | None = None,
) -> tuple[NDArray[Any], Mask]:
    """Write noise into known entries of every sample.

    Parameters
    ----------
    X : array-like of shape (n_samples, ...)
        Clean, nonnegative data, one sample a row. It is not written to.
    kind : {"salt", "salt_pepper", "random", "spikes", "occlusion"}, default="salt"
        What is written:

        - ``"salt"``: `high`, as in the paper;
        - ``"salt_pepper"``: `low` or `high`, by the toss of a coin for each entry;
        - ``"random"``: values spread evenly over `low` to `high`;
        - ``"spikes"``: the old value plus or minus a size spread evenly over half to the whole
          of ``high - low``. Below zero the result is cut to zero; above, only integers are cut,
          at the largest value of their kind;
        - ``"occlusion"``: one square of `high` in each picture, anywhere within it. For a black
          square pass ``high=0``.
    amount : int or float, default=0.05
        An int is exactly this number of entries in every sample; a float in [0, 1) this share
        of them, rounded. For ``"occlusion"``, an int is the side of the square in pixels, a
        float its share of the picture's area.
    low, high : float, optional
        Limits of the values written. By default `low` is 0, and `high` is 1 for floats that do
        not exceed 1, else 255.
    image_shape : tuple of (height, width), optional
        Needed by ``"occlusion"`` when the pictures are flattened to rows.
    random_state : int, Generator or None, default=None
        An int gives the same noise each time.

    Returns
    -------
    X_corrupted : ndarray
        A copy of `X` with the noise in it; same shape and dtype.
    mask : ndarray of bool
        True where an entry was written, also where the value written happens to equal the old
        one, so that every sample has the same number. ``mask & (X != X_corrupted)`` leaves
        only the entries that changed.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.full((2, 8), 100, dtype=np.uint8)
    >>> X_corrupted, mask = corrupt(X, "salt", 3, random_state=0)
    >>> mask.sum(axis=1)
    array([3, 3])
    >>> np.unique(X_corrupted[mask])
    array([255], dtype=uint8)
    """
    clean = _check_data(X)
    check_choice("kind", kind, KINDS)
    limits = _check_limits(clean, low, high)
    rng = as_generator(random_state)

    if kind == "occlusion":
        height, width = _check_image_shape(clean, image_shape)
        mask = _squares(len(clean), height, width, _side(amount, height, width), rng)
        write: _Impulse = _salt
    else:
        n_entries = math.prod(clean.shape[1:])
        mask = _scattered(len(clean), n_entries, _count(amount, n_entries), rng)
        write = _IMPULSES[kind]

    mask = mask.reshape(clean.shape)
    corrupted = clean.copy()
    corrupted[mask] = write(clean[mask], limits, rng).astype(clean.dtype)
    return corrupted, mask


def _scattered(n_samples: int, n_entries: int, count: int, rng: np.random.Generator) -> Mask:
    """Mark `count` entries of each row, every choice equally likely."""
    mask = np.zeros((n_samples, n_entries), dtype=bool)
    # The positions of the smallest of independent random keys are a draw without replacement.
    keys = rng.random((n_samples, n_entries))
    positions = np.argpartition(keys, min(count, n_entries - 1), axis=1)[:, :count]
    np.put_along_axis(mask, positions, True, axis=1)
    return mask


def _squares(n: int, height: int, width: int, side: int, rng: np.random.Generator) -> Mask:
    """Mark one square in each picture, every position within it equally likely."""
    top = rng.integers(0, height - side, (n, 1), endpoint=True)
    left = rng.integers(0, width - side, (n, 1), endpoint=True)
    rows, columns = np.arange(height), np.arange(width)
    in_rows = (rows >= top) & (rows < top + side)
    in_columns = (columns >= left) & (columns < left + side)
    return in_rows[:, :, None] & in_columns[:, None, :]


def _count(amount: int | float, n_entries: int) -> int:
    if is_whole(amount):
        if not 0 <= amount <= n_entries:
            raise ValueError(
                f"amount must be from 0 to {n_entries}, the number of entries a sample has; "
                f"got {amount}"
            )
        return int(amount)
    return round(check_share("amount", amount, _COUNT_HINT) * n_entries)


def _side(amount: int | float, height: int, width: int) -> int:
    if is_whole(amount):
        side = int(amount)
    else:
        side = round(math.sqrt(check_share("amount", amount, _SIDE_HINT) * height * width))
    if not 0 <= side <= min(height, width):
        raise ValueError(
            f"amount={amount} gives a square of side {side}, which does not fit into "
            f"pictures of {height}x{width}: ask for less"
        )
    return side


def _check_data(X: ArrayLike) -> NDArray[Any]:
    if hasattr(X, "tocsr"):
        raise TypeError("X is sparse, and noise would fill it: pass X.toarray()")
    clean = np.asarray(X)
    if clean.dtype.kind not in "uif":
        raise TypeError(f"X has dtype {clean.dtype}: pass integers or floats")
    if clean.ndim < 2 or 0 in clean.shape[1:]:
        raise ValueError(
            f"X has shape {clean.shape}: one sample a row is needed; "
            "for one sample pass X.reshape(1, -1)"
        )
    if not np.isfinite(clean).all():
        raise ValueError("X holds NaN or infinity: write the noise first, then remove entries")
    if clean.size and clean.min() < 0:
        raise ValueError(f"X holds {clean.min()}: values must not be negative")
    return clean


def _check_limits(clean: NDArray[Any], low: float, high: float | None) -> _Limits:
    high = top_level(clean, "high") if high is None else high
    if not 0 <= low <= high < math.inf:
        raise ValueError(f"low={low} and high={high}: need 0 <= low <= high, both finite")
    whole = np.issubdtype(clean.dtype, np.integer)
    largest = np.iinfo(clean.dtype).max if whole else float(np.finfo(clean.dtype).max)
    for name, value in (("low", low), ("high", high)):
        if value > largest or (whole and value != int(value)):
            raise ValueError(
                f"{name}={value} does not fit into data of dtype {clean.dtype}: "
                "pass another value, or X.astype(float)"
            )
    return _Limits(low, high, clean.dtype)


def _check_image_shape(clean: NDArray[Any], shape: tuple[int, int] | None) -> tuple[int, int]:
    if shape is None and clean.ndim == 3:
        return clean.shape[1], clean.shape[2]
    n_entries = math.prod(clean.shape[1:])
    if shape is None or len(shape) != 2 or min(shape) < 1 or math.prod(shape) != n_entries:
        raise ValueError(
            f"image_shape={shape} does not say how the {n_entries} entries of a sample make "
            "a picture: pass (height, width)"
        )
    return shape
