"""Flagged entries do not count, wherever the rows are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from robustnmf._common.bits import packed
from robustnmf._engines import Unflagged, engine_for, kept

DTYPES = st.sampled_from([np.float32, np.float64])


def masked(X, flags, where, **options):
    """Return an engine of rows in memory, or of blocks of them, and its plain twin with weights."""
    blocks = X if where == "memory" else [X[:3], X[3:]]
    plain = engine_for(blocks, **options)
    bits = plain.keep(packed(flags))
    return engine_for(blocks, Unflagged(bits), **options), engine_for(
        blocks, (~flags).astype(float), **options
    )


def all_seen(data, W):
    """Return what functions are given in each kind of pass."""
    kept_rows = data.keep(W)
    sums = data.fold(lambda rows, X, q, W: (X * q).T @ W, np.add, read=(kept_rows,))
    blocks = [*data.map(lambda *block: block), *data.stream(lambda *block: block, (kept_rows,))]
    return [sums, *(part for block in blocks for part in block)]


@pytest.mark.parametrize("where", ["memory", "blocks"])
@given(st.integers(0, 2**20), st.integers(4, 30), st.integers(1, 19), DTYPES)
def test_they_are_weights_of_zero(where, seed, n, m, dtype):
    rng = np.random.default_rng(seed)
    X, flags, W = rng.random((n, m)), rng.random((n, m)) < 0.3, rng.random((n, 2))
    found, expected = masked(X, flags, where, dtype=dtype, exponent=2, block_entries=7 * m)
    assert (found.shape, found.dtype) == (X.shape, dtype)
    rows = np.unique(rng.integers(0, n, 5))
    for a, b, levels in (
        (found, expected, W),
        (found.sample(rows), expected.sample(rows), W[rows]),
    ):
        for A, B in zip(all_seen(a, levels), all_seen(b, levels), strict=True):
            assert getattr(A, "dtype", None) == getattr(B, "dtype", None)
            assert_array_equal(A, B)


def test_what_is_written_is_kept_in_a_file(monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", 10)
    rng = np.random.default_rng(0)
    X, flags = rng.random((20, 9)), rng.random((20, 9)) < 0.3
    data, _ = masked(X, flags, "blocks", dtype=float)
    sums = data.make(lambda rows: np.empty(rows.stop - rows.start))
    data.fold(lambda rows, X, q: (None, (X * q).sum(axis=1)), lambda a, b: None, write=(sums,))
    assert isinstance(sums, kept.FileRows)
    assert_array_equal(sums[:], (X * ~flags).sum(axis=1))
