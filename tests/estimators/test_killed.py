"""Fits in processes that are killed, or told to stop, at any moment."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("fcntl", reason="signals and forks are of POSIX")

# One process loads the library and forks a child for each fit, which is killed after a while.
BEGIN = """
import os, random, signal, sys, time, warnings
import numpy as np
from robustnmf import RobustNMF, WeightedNMF
from robustnmf._engines import kept

# W of the rows lies in files.
kept.IN_MEMORY = 1000
warnings.simplefilter("ignore")
folder = sys.argv[1]
rng = np.random.default_rng(0)
clean = rng.exponential(size=(1500, 4)) @ rng.exponential(size=(4, 100))
X = np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)
gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
blocks = [X[:700], X[700:]]
CASES = {
    "memory": (RobustNMF(4, random_state=0, tol=1e-6, n_init=2, refit="wnmf"), X),
    "stream": (RobustNMF(4, random_state=0, tol=1e-6), blocks),
    "gaps": (WeightedNMF(4, random_state=0, tol=1e-6), gaps),
    "auto": (RobustNMF(4, lam="auto", random_state=0), blocks),
}

def forked(work):
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = work() or 0
        finally:
            os._exit(code)
    return child

def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""

KILL = (
    BEGIN
    + """
*names, seed = sys.argv[2:]
moments = random.Random(int(seed))

def fit(model, data, answer, **kept):
    began = time.perf_counter()
    W = model.fit_transform(data, **kept)
    objective, n_iter = model.objective_, model.n_iter_
    np.savez(folder + "/half.npz", W=W, H=model.components_, took=time.perf_counter() - began,
             reported=[objective, n_iter, *model.history_["objective"]])
    os.replace(folder + "/half.npz", answer)

for name in names:
    model, data = CASES[name]
    answers = [f"{folder}/{name} {how}.npz" for how in ("undisturbed", "resumed")]
    # Here, so that no child has to load what is compiled; and again, to see how long that takes.
    fit(model, data, answers[0])
    fit(model, data, answers[0])
    undisturbed = np.load(answers[0])
    kept, kills = {"checkpoint": folder + "/checkpoint", "checkpoint_every": 0}, 0
    while True:
        child = forked(lambda: fit(model, data, answers[1], **kept))
        # Later and later, so that an end is reached with slow disks, too.
        time.sleep(moments.uniform(0, (0.3 + 0.15 * kills) * undisturbed["took"]))
        os.kill(child, signal.SIGKILL)
        code = ended(child)
        if code == 0 or os.path.exists(answers[1]) and not os.path.exists(kept["checkpoint"]):
            break
        assert code == -signal.SIGKILL, code
        kills += 1
    resumed = np.load(answers[1])
    same = all((undisturbed[key] == resumed[key]).all() for key in ("W", "H", "reported"))
    print(kills, same, os.path.exists(kept["checkpoint"]))
"""
)


STOP = (
    BEGIN
    + """
import threading
from threadpoolctl import threadpool_info

name, keeping = sys.argv[2:]
model, data = CASES[name]
checkpoint = folder + "/checkpoint" if keeping == "kept" else None
moments = random.Random(0)

def in_the_background():
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    names = map(os.readlink, (f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")
                              if os.path.exists(f"/proc/self/fd/{fd}")))
    return blas, sum("robustnmf-" in name for name in names)

def stopped(work, within):
    began = []
    def stop():
        began.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(moments.uniform(0, within), stop)
    try:
        timer.start()
        work()
        # At the end of the work, or after it.
        timer.join()
        time.sleep(0.05)
        return 0
    except KeyboardInterrupt as error:
        assert time.perf_counter() - began[0] < 5
        # The exception is held here, and with it all that it remembers.
        while in_the_background()[0] != before[0]:
            assert time.perf_counter() - began[0] < 5
        return 1

began = time.perf_counter()
model.fit(data)
expected = model.components_
began = time.perf_counter()
model.fit(data)
took = time.perf_counter() - began
W = model.transform(data)
before = in_the_background()
fitted = model.__class__(2, random_state=0).fit(np.ones((5, 3)))
known = dict(vars(fitted))
for turn in range(12):
    fitted.set_params(**model.get_params())
    known = dict(vars(fitted))
    untouched = False
    if stopped(lambda: fitted.fit(data, checkpoint=checkpoint), took):
        untouched = vars(fitted).keys() == known.keys() and all(
            vars(fitted)[key] is known[key] for key in known
        )
        # Whoever comes when all is done comes too late.
        assert untouched or (fitted.components_ == expected).all()
        print(untouched)
    # The machine may have been busy with something else when that was measured.
    took *= 1 if untouched else 0.6
assert in_the_background() == before, (in_the_background(), before)
assert (fitted.fit(data, checkpoint=checkpoint).components_ == expected).all()
out = np.empty((len(X), 4))
if hasattr(fitted, "detect"):
    for turn in range(5):
        stopped(lambda: fitted.transform(data, out=out), took / 4)
    assert (fitted.transform(data, out=out) == W).all()
assert in_the_background() == before
"""
)


def run(code, *arguments, threads=1):
    ended = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": "2"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


@pytest.mark.parametrize("names", [("memory", "gaps"), ("stream", "auto")], ids=str)
def test_a_fit_that_is_killed_ends_with_the_same_answer(names, tmp_path):
    told = run(KILL, tmp_path, *names, 0)
    assert len(told) == 3 * len(names)
    assert all(int(kills) >= 2 for kills in told[::3])
    assert told[1::3] == ["True"] * len(names)
    assert told[2::3] == ["False"] * len(names)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize(("name", "kept"), [("memory", "kept"), ("stream", "not kept")])
def test_ctrl_c_leaves_the_model_untouched_and_nothing_behind(name, kept, tmp_path):
    assert run(STOP, tmp_path, name, kept, threads=2).count("True") >= 3
