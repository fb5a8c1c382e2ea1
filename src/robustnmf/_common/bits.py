"""Flags as bits, eight of them in a number; in arrays of any kind."""

from __future__ import annotations

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._common.places import Place, is_numpy

# What the bits of a number count, the first one first.
_WORTH = [128 >> i for i in range(8)]


def packed(flags: Array) -> Array:
    """Return flags as bits; each row begins with a number of its own.

    Examples
    --------
    >>> packed(np.array([[False, True, False]]))
    array([[64]], dtype=uint8)
    """
    if is_numpy(flags):
        return np.packbits(flags, axis=1)
    xp, device = Place.of(flags)
    n, m = flags.shape
    rest = xp.zeros((n, -m % 8), dtype=xp.bool, device=device)
    eights = xp.reshape(xp.concat([flags, rest], axis=1), (n, -1, 8))
    worth = xp.asarray(_WORTH, dtype=xp.uint8, device=device)
    bits: Array = xp.sum(xp.astype(eights, xp.uint8) * worth, axis=2, dtype=xp.uint8)
    return bits


def unpacked(bits: Array, n_features: int) -> Array:
    """Return the flags that stand in bits.

    Examples
    --------
    >>> unpacked(np.array([[0b01000000]], np.uint8), 3)
    array([[False,  True, False]])
    """
    if is_numpy(bits):
        return np.unpackbits(bits, axis=1, count=n_features).view(bool)
    xp, device = Place.of(bits)
    worth = xp.asarray(_WORTH, dtype=xp.uint8, device=device)
    is_set = xp.bitwise_and(bits[:, :, None], worth) != 0
    flags: Array = xp.reshape(is_set, (bits.shape[0], -1))[:, :n_features]
    return flags
