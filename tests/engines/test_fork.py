"""Processes that are forked while others work."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

START = """
import os, signal, threading, time, warnings
import numpy
from threadpoolctl import threadpool_info
from robustnmf._engines import threads as module
from robustnmf._engines.threads import ordered_map, single_threaded_blas

# Python warns of forks beside threads; here they are the point.
warnings.simplefilter("ignore")

def threads():
    return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}

def forked(work):
    child = os.fork()
    if child == 0:
        # Who waits for a thread that is not there waits forever.
        signal.alarm(20)
        try:
            work()
        except BaseException as error:
            print(repr(error), flush=True)
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]
"""


def run(script):
    environment = os.environ | {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-c", START + script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_child_forked_while_a_thread_holds_the_lock_can_work():
    script = """
limit = module._limit_blas
begun = threading.Event()

def slowly():
    begun.set()
    time.sleep(0.5)
    return limit()

def fit():
    with single_threaded_blas:
        time.sleep(1.5)

def work():
    assert ordered_map(abs, [-1, -2]) == [1, 2]
    # And BLAS is as the parent had it before it began.
    assert threads() == {2}, threads()

module._limit_blas = slowly
thread = threading.Thread(target=fit)
thread.start()
begun.wait()
# In the middle of taking the limit, and while it is held.
print(forked(work))
time.sleep(0.6)
module._limit_blas = limit
print(forked(work))
thread.join()
assert threads() == {2}
"""
    assert run(script) == "0\n0\n"


def test_a_child_forked_inside_the_limit_can_leave_it():
    script = """
def work():
    assert ordered_map(abs, [-1, -2]) == [1, 2]

with single_threaded_blas:
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        work()
if child == 0:
    work()
    assert threads() == {2}, threads()
    os._exit(0)
print(os.waitpid(child, 0)[1], threads())
"""
    assert run(script) == "0 {2}\n"


def test_children_forked_beside_a_fit_can_fit():
    script = """
from robustnmf import RobustNMF
X = numpy.random.default_rng(0).random((60, 8))

def fit(_=None):
    RobustNMF(2, lam=0.04, max_iter=5, tol=0, random_state=0).fit(X)

fit()
stop = threading.Event()

def busy():
    while not stop.is_set():
        fit()

thread = threading.Thread(target=busy)
thread.start()
print([forked(fit) for _ in range(12)])
stop.set()
thread.join()
"""
    assert run(script) == f"{[0] * 12}\n"
