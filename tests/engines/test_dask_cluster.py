"""Fits on a real cluster: processes of their own, which may be killed."""

import os
import pickle
import signal
import time
import warnings

import dask
import dask.array as da
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from robustnmf import RobustNMF
from robustnmf._engines.dask import engine, lifeline
from robustnmf._engines.dask.running import Remote

distributed = pytest.importorskip("distributed")

N, M, PARTS = 600, 30, 6


@pytest.fixture(scope="module")
def cluster():
    with (
        # What its own code warns of is not ours.
        warnings.catch_warnings(action="ignore"),
        dask.config.set({"distributed.comm.timeouts.connect": "60s"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=60,
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster, client


@pytest.fixture(autouse=True)
def two_workers(cluster):
    workers, client = cluster
    try:
        client.wait_for_workers(2, timeout=20)
    except TimeoutError:
        # Whoever starts dead workers again sometimes misses that one died at its start.
        workers.scale(0)
        workers.scale(2)
        client.wait_for_workers(2, timeout=60)


def rows(n=N):
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(n, 3)) @ rng.exponential(size=(3, M))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)


def parts(X):
    return da.from_array(X, chunks=(len(X) // PARTS, M))


def long_fit(data, passes=30):
    rng = np.random.default_rng(1)
    start = rng.random((len(data), 3)), rng.random((3, M))
    with warnings.catch_warnings(action="ignore"):
        return RobustNMF(3, init=start, max_iter=passes, tol=0).fit(data)


def at_each_pass(monkeypatch, action):
    """Let something happen before each pass of a fit, counted from 1."""
    passes, secure = [], lifeline.secure

    def watched(*args):
        passes.append(None)
        action(len(passes))
        secure(*args)

    monkeypatch.setattr(engine, "secure", watched)


def wait_until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    assert true()


@pytest.mark.parametrize("lam", [0.04, "auto"])
def test_a_cluster_gives_the_same_answer(lam):
    X = rows()
    # The start is random, and drawn by the workers.
    expected, model = (RobustNMF(3, lam=lam, random_state=0).fit(data) for data in (X, parts(X)))
    assert_allclose(model.components_, expected.components_, rtol=1e-6, atol=1e-8)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-8)
    found = dask.compute(*model.decompose(parts(X)))
    assert_array_equal(found[2], expected.detect(X))
    assert_allclose(found[3], expected.denoise(X), rtol=1e-6, atol=1e-8)


def test_it_is_the_same_to_the_last_digits_from_the_same_start():
    X = rows()
    expected, model = long_fit(X), long_fit(parts(X).persist())
    assert_allclose(model.components_, expected.components_, rtol=1e-8)


@pytest.mark.parametrize(("when", "most_passes"), [(8, 1000), (12, 4)])
def test_a_fit_outlives_a_worker(cluster, monkeypatch, when, most_passes):
    X = rows()
    expected = long_fit(X)
    monkeypatch.setattr(lifeline, "MOST_PASSES", most_passes)
    killed = []

    def kill(passes):
        if passes == when:
            worker = next(iter(cluster[0].workers.values()))
            killed.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    at_each_pass(monkeypatch, kill)
    model = long_fit(parts(X))
    assert killed
    assert model.n_iter_ == 30
    assert_allclose(model.components_, expected.components_, rtol=1e-8)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-10)


def test_nothing_grows_with_the_passes_and_nothing_is_left(cluster, monkeypatch):
    monkeypatch.setattr(lifeline, "MOST_PASSES", 4)
    scheduler, known = cluster[0].scheduler, []
    at_each_pass(monkeypatch, lambda passes: known.append(len(scheduler.tasks)))
    long_fit(parts(rows()), passes=40)
    assert max(known[25:]) <= 1.2 * max(known[10:25])
    wait_until(lambda: not scheduler.tasks and not cluster[1].list_datasets())


def test_only_sums_come_to_the_client(monkeypatch):
    fetched, values = [], Remote.values

    def watched(self, handles):
        found = values(self, handles)
        fetched[-1] += sum(len(pickle.dumps(one)) for one in found)
        return found

    monkeypatch.setattr(Remote, "values", watched)
    at_each_pass(monkeypatch, lambda passes: fetched.append(0))
    per_pass = []
    for n in (N, 10 * N):
        long_fit(parts(rows(n)), passes=8)
        per_pass.append(max(fetched[2:8]))
        fetched.clear()
    # k×m and k×k numbers, and one; whatever n is.
    assert per_pass[0] == pytest.approx(per_pass[1], abs=64)
    assert per_pass[1] < 8 * (3 * M + 3 * 3 + 1) + 1000


def test_tasks_have_names_that_a_dashboard_shows(cluster):
    scheduler = cluster[0].scheduler
    RobustNMF(3, random_state=0).fit(parts(rows()))
    assert {"robustnmf-pass", "robustnmf-sum", "robustnmf-plan"} <= set(scheduler.task_prefixes)


def test_errors_of_workers_are_those_of_the_caller():
    X = rows()
    X[301, 2] = -1
    with pytest.raises(ValueError, match=r"Negative values.*X\[301, 2\]"):
        RobustNMF(3).fit(parts(X))
