"""Rows a batch at a time: all of them, once, in order or in the order that was asked for."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from robustnmf._engines import adopted, batches, rows_of
from robustnmf._engines.batches import BLOCK_ROWS
from robustnmf._engines.threads import read_ahead

N, M = 1300, 5


@pytest.fixture
def X():
    return np.random.default_rng(0).random((N, M)).astype(np.float32)


KINDS = {
    "array": lambda X: X,
    "F order": np.asfortranarray,
    "csr": sparse.csr_array,
    "blocks": lambda X: adopted([X[:7], X[7:8], X[8:900], X[900:]]),
}


def all_of(found):
    return np.concatenate([A for batch in found for A in batch.map(lambda rows, X, weights: X)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [7, 100, 1300, 5000])
@pytest.mark.parametrize("first", [0, 3, 8, 1299, 1300])
def test_all_rows_come_once_in_their_order(kind, size, first, X):
    found = list(batches(KINDS[kind](X), size, dtype=np.float64, exponent=2, first=first))
    sizes = [batch.shape[0] for batch in found]
    assert sizes == [min(size, len(X) - i) for i in range(first, len(X), size)]
    assert all(batch.dtype == np.float64 and batch.shape[1] == M for batch in found)
    if found:
        assert_array_equal(all_of(found), 4.0 * X[first:])


@pytest.mark.parametrize("kind", ["array", "F order", "csr"])
def test_rows_in_memory_come_in_any_order(kind, X):
    order = np.random.default_rng(1).permutation(N)
    found = batches(KINDS[kind](X), 300, dtype=np.float32, order=order)
    assert_array_equal(all_of(found), X[order])


def test_a_batch_has_work_for_several_threads(X):
    (batch,) = batches(X, N, dtype=np.float32)
    blocks = batch.map(lambda rows, X, weights: len(X))
    assert len(blocks) == -(-N // BLOCK_ROWS) > 2
    # Few rows where they are long: blocks are to stay in the cache.
    (batch,) = batches(np.ones((100, 100_000), np.float32), 100, dtype=np.float32)
    assert max(batch.map(lambda rows, X, weights: len(X))) < 5


@pytest.mark.parametrize("kind", KINDS)
def test_some_rows_as_an_array(kind, X):
    rows = np.array([0, 6, 7, 8, 1299])
    found = rows_of(KINDS[kind](X), rows, np.float64)
    assert found.dtype == np.float64
    assert_array_equal(found, X[rows])


class TestReadAhead:
    def test_errors_come_in_their_turn(self):
        def items():
            yield 1
            yield 2
            raise OSError("the disk is gone")

        reading = read_ahead(items())
        assert [next(reading), next(reading)] == [1, 2]
        with pytest.raises(OSError, match="the disk is gone"):
            next(reading)

    def test_one_more_is_fetched_and_no_more(self):
        fetched = []

        def items():
            for i in range(100):
                fetched.append(i)
                yield i

        reading = read_ahead(items())
        assert next(reading) == 0
        reading.close()
        assert len(fetched) <= 2
