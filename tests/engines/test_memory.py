import operator
import os
import subprocess
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from robustnmf._engines import engine_for, sparse_rows, stack_rows
from robustnmf._engines import memory as memory_module
from robustnmf._engines import threads as threads_module
from robustnmf._engines.memory import MemoryEngine

KINDS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "uint8": lambda X: X.astype(np.uint8),
    "bool": lambda X: X > 3,
    "float32": lambda X: X.astype(np.float32),
    "csr_matrix": sparse.csr_matrix,
    "csr_array": sparse.csr_array,
    "strided": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
}


@pytest.mark.parametrize("kind", KINDS)
@given(n=st.integers(1, 30), block_rows=st.integers(1, 40))
def test_blocks_are_dense_rows_in_order(kind, n, block_rows):
    X = KINDS[kind](np.arange(5.0 * n).reshape(n, 5) % 7)
    data = MemoryEngine(X, block_rows=block_rows)
    blocks = data.map(lambda rows, X, weights: (rows, X, weights))
    assert [b[0].start for b in blocks] == list(range(0, n, block_rows))
    together = np.concatenate([b[1] for b in blocks])
    assert together.dtype == np.float64
    assert all(b[1].flags.c_contiguous and b[2] is None for b in blocks)
    assert_array_equal(together, X.toarray() if sparse.issparse(X) else X)


def test_right_data_are_handed_over_without_a_copy():
    X = np.ones((10, 3))
    X.flags.writeable = False
    blocks = MemoryEngine(X, block_rows=4).map(lambda rows, X, weights: X)
    assert all(np.shares_memory(b, X) for b in blocks)


@pytest.mark.parametrize("kind", ["uint8", "sparse"])
def test_other_data_are_never_expanded_whole(kind):
    rng = np.random.default_rng(0)
    X = (rng.random((20_000, 500)) < 0.02).astype(np.uint8)
    X = sparse.csr_array(X) if kind == "sparse" else X
    data = MemoryEngine(X)
    tracemalloc.start()
    data.map(lambda rows, X, weights: float(X.sum()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.15 * 8 * X.shape[0] * X.shape[1]


def test_powers_of_two_change_no_digits():
    X = np.array([[1.1e-300, 3.3e-300], [0.0, np.nan]])
    (block,) = MemoryEngine(X, exponent=996).map(lambda rows, X, weights: X)
    assert_array_equal(np.ldexp(block, -996), X)


def test_weights_come_along():
    X, weights = np.ones((4, 3)), sparse.csr_array(np.diag([5.0, -2.0, 1.0, 0.0])[:, :3])
    blocks = MemoryEngine(X, weights, block_rows=3).map(lambda rows, X, weights: weights)
    assert_array_equal(np.concatenate(blocks), weights.toarray())
    assert blocks[0].dtype == np.float64


@pytest.mark.parametrize("most_bytes", [0, 2**20])
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample_is_the_rows_asked_for(monkeypatch, kind, most_bytes):
    monkeypatch.setattr(memory_module, "SAMPLE_BYTES", most_bytes)
    X = KINDS[kind](np.arange(60.0).reshape(20, 3) % 7)
    weights = np.linspace(0, 1, 60).reshape(20, 3)
    rows = np.array([1, 4, 5, 17])
    sample = MemoryEngine(X, weights, exponent=3).sample(rows)
    assert sample.shape == (4, 3)
    ((_, block, w),) = sample.map(lambda *block: block)
    assert_array_equal(block, 8.0 * (X.toarray() if sparse.issparse(X) else X)[rows])
    assert_array_equal(w, weights[rows])


@given(n=st.integers(1, 5_000), m=st.integers(1, 3_000))
def test_blocks_are_even_and_not_too_large(n, m):
    data = MemoryEngine(np.broadcast_to(np.float64(1.0), (n, m)))
    blocks = -(-n // data.block_rows)
    assert data.block_rows <= max(16, 2**18 // m)
    # The last block may be short, but by no more than a row for each of the others.
    assert blocks * data.block_rows - n <= blocks


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9))
def test_sparse_rows_are_those_of_scipy(seed, n, m):
    A = np.random.default_rng(seed).poisson(0.5, size=(n, m)).astype(float)
    ours, theirs = sparse_rows(A), sparse.csr_array(A)
    for name in ("data", "indices", "indptr"):
        assert_array_equal(getattr(ours, name), getattr(theirs, name))


def test_few_results_are_made_ahead(monkeypatch):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 2)
    begun = []
    stream = threads_module.ordered_stream(lambda i: begun.append(i) or i, range(1000))
    assert [next(stream) for _ in range(3)] == [0, 1, 2]
    stream.close()
    assert len(begun) < 20


@pytest.mark.parametrize("way", [threads_module.ordered_map, threads_module.ordered_stream])
def test_an_error_ends_the_work(monkeypatch, way):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 3)
    begun = []

    def work(i):
        begun.append(i)
        time.sleep(1e-3)
        if i == 5:
            raise KeyError("five")

    with pytest.raises(KeyError, match="five"):
        list(way(work, range(1000)))
    assert len(begun) < 50


def test_work_within_work_does_not_wait_for_itself(monkeypatch):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 2)
    square = threads_module.ordered_map
    rows = square(lambda i: square(lambda j: i * j, range(20)), range(20))
    assert rows == [[i * j for j in range(20)] for i in range(20)]


def test_work_within_a_stream_is_not_shared_out(monkeypatch):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 2)

    def threads_of(_):
        own = threading.get_ident()
        return {own}, set(threads_module.ordered_map(lambda _: threading.get_ident(), range(20)))

    stream = threads_module.ordered_stream(threads_of, range(20))
    assert all(own == all_ for own, all_ in stream)


def test_streams_within_work_of_several_callers_come_to_an_end(monkeypatch):
    # Were all threads of the pool to wait for one of the pool, this would never end.
    monkeypatch.setattr(threads_module, "thread_count", lambda: 2)

    def work(_):
        time.sleep(0.01)
        return list(threads_module.ordered_stream(lambda i: 2 * i, range(10)))

    found = []
    callers = [
        threading.Thread(
            target=lambda: found.append(threads_module.ordered_map(work, range(6))), daemon=True
        )
        for _ in range(4)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(20)
    assert found == [[list(range(0, 20, 2))] * 6] * 4


def test_results_keep_the_order_of_the_rows_whatever_the_threads(monkeypatch):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 4)
    seen = set()

    def slow_first(rows, X, weights):
        seen.add(threading.get_ident())
        time.sleep(0.02 if rows.start == 0 else 0.001)
        return rows.start

    assert MemoryEngine(np.ones((8, 1)), block_rows=1).map(slow_first) == list(range(8))
    assert len(seen) > 1


def test_thread_count_honours_the_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert threads_module.thread_count() == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "")
    assert threads_module.thread_count() >= 1


def test_fits_on_several_threads_leave_blas_as_they_found_it():
    script = """
import time
from concurrent.futures import ThreadPoolExecutor
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from robustnmf._engines import single_threaded_blas

def threads():
    return [lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"]

def fit(seconds):
    with single_threaded_blas:
        time.sleep(seconds)
        return threads()

before = threads()
with ThreadPoolExecutor(4) as pool:
    inside = list(pool.map(fit, [0.03, 0.01, 0.02, 0.01, 0.03, 0.01]))
print(set(before), set(sum(inside, [])), set(threads()))

# And inside a limit of the caller's own.
with threadpool_limits(2, user_api="blas"):
    print(set(fit(0)), set(threads()))
print(set(threads()))
"""
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "{2} {1} {2}\n{1} {2}\n{2}\n"


def test_stacking_sparse_blocks():
    parts = [
        sparse.random_array((n, 7), density=d, format="csr", rng=n, dtype=np.float32)
        for n, d in ((3, 0.3), (1, 0), (50, 0.5), (5, 0.1))
    ]
    stacked = stack_rows(iter(parts), 7)
    assert_array_equal(stacked.toarray(), sparse.vstack(parts).toarray())
    assert stacked.dtype == np.float32
    assert stacked.indices.dtype == stacked.indptr.dtype == np.int32
    assert stacked.data.size == stacked.nnz  # no room left over


def test_stacking_holds_nothing_twice():
    def blocks():
        for seed in range(100):
            yield sparse.random_array((100, 100), density=0.5, format="csr", rng=seed)

    tracemalloc.start()
    stacked = stack_rows(blocks(), 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.6 * (stacked.data.nbytes + stacked.indices.nbytes)


def test_a_stream_gives_results_as_they_are_wanted(monkeypatch):
    monkeypatch.setattr(threads_module, "thread_count", lambda: 1)
    done = []
    data = MemoryEngine(np.ones((4, 1)), block_rows=1)
    stream = data.stream(lambda rows, X, weights: done.append(rows.start) or rows.start)
    assert next(stream) == 0
    assert done == [0]
    assert list(stream) == [1, 2, 3]


def test_a_pass_reads_and_writes_what_is_kept_for_the_rows():
    X, W = np.arange(14.0).reshape(7, 2), np.arange(7.0)[:, None]
    data = MemoryEngine(X, block_rows=3)
    kept, new = data.keep(W), data.room_for(W)

    def function(rows, X, weights, W):
        return float(X.sum()), W + rows.start

    assert data.fold(function, operator.add, read=(kept,), write=(new,)) == X.sum()
    assert_array_equal(data.collect(new)[:, 0], [0, 1, 2, 6, 7, 8, 12])
    # The same array may be read and written.
    data.fold(function, operator.add, read=(kept,), write=(kept,))
    assert_array_equal(kept, new)
    assert_array_equal(data.combine(np.subtract, new, kept), np.zeros((7, 1)))
    assert [len(W) for W in data.stream(lambda rows, X, weights, W: W, (kept,))] == [3, 3, 1]


def test_an_engine_is_chosen_for_what_it_is_given():
    X = np.ones((3, 2), dtype=np.float32)
    data = engine_for(X)
    assert isinstance(data, MemoryEngine)
    assert data.dtype == np.float32
    assert engine_for(X, dtype=np.float64, exponent=3).map(lambda rows, X, weights: X.max()) == [8]


def test_ctrl_c_waits_for_what_others_have_begun(monkeypatch):
    """Nothing is worked on any more when the caller hears of it."""
    monkeypatch.setattr(threads_module, "thread_count", lambda: 2)
    main, begun, ended = threading.get_ident(), threading.Event(), threading.Event()
    wait, interrupted = threads_module.wait, []

    def work(_):
        if threading.get_ident() == main:
            assert begun.wait(10)
        else:
            begun.set()
            time.sleep(0.2)
            ended.set()

    def interrupt(futures):
        if begun.is_set() and not interrupted:
            interrupted.append(True)
            raise KeyboardInterrupt
        return wait(futures)

    monkeypatch.setattr(threads_module, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        threads_module.ordered_map(work, range(2))
    assert ended.is_set()


def test_ctrl_c_while_blas_is_limited_leaves_it_as_it_was(monkeypatch):
    limits = threads_module._SingleThreadedBlas()
    before = threads_module._blas_threads()
    monkeypatch.setattr(threads_module, "_blas_threads", lambda: 2)

    def interrupt(futures):
        monkeypatch.undo()
        raise KeyboardInterrupt

    monkeypatch.setattr(threads_module, "wait", interrupt)
    with pytest.raises(KeyboardInterrupt):
        limits.__enter__()
    assert (limits._users, limits._asked, limits._nested) == (0, None, None)
    assert threads_module._blas_threads() == before
