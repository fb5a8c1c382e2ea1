"""Fits in processes that are killed, or told to stop, at any moment."""

import subprocess
import sys

import pytest

pytest.importorskip("fcntl", reason="signals and forks are of POSIX")

# One process loads the library and forks a child for each fit, which is killed after a while.
BEGIN = """
import os, random, signal, sys, time, warnings
import numpy as np
from robustnmf import RobustNMF, WeightedNMF

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
name, seed = sys.argv[2:]
model, data = CASES[name]
moments = random.Random(int(seed))

def fit(answer, **kept):
    began = time.perf_counter()
    W = model.fit_transform(data, **kept)
    objective, n_iter = model.objective_, model.n_iter_
    np.savez(answer, W=W, H=model.components_, took=time.perf_counter() - began,
             reported=[objective, n_iter, *model.history_["objective"]])

# Here, so that the children need not load what is compiled; and again, to see how long that takes.
fit(folder + "/undisturbed.npz")
fit(folder + "/undisturbed.npz")
undisturbed = np.load(folder + "/undisturbed.npz")
checkpoint, kills = folder + "/checkpoint", 0
while True:
    child = forked(
        lambda: fit(folder + "/resumed.npz", checkpoint=checkpoint, checkpoint_every=0)
    )
    # Later and later, so that an end is reached with slow disks, too.
    time.sleep(moments.uniform(0, (0.3 + 0.15 * kills) * undisturbed["took"]))
    os.kill(child, signal.SIGKILL)
    code = ended(child)
    if code == 0 or os.path.exists(folder + "/resumed.npz") and not os.path.exists(checkpoint):
        break
    assert code == -signal.SIGKILL, code
    kills += 1
resumed = np.load(folder + "/resumed.npz")
same = all((undisturbed[key] == resumed[key]).all() for key in ("W", "H", "reported"))
print(kills, same, os.path.exists(checkpoint))
"""
)


def run(code, *arguments):
    ended = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.split()


@pytest.mark.parametrize("name", ["memory", "stream", "gaps", "auto"])
def test_a_fit_that_is_killed_ends_with_the_same_answer(name, tmp_path):
    kills, same, left = run(KILL, tmp_path, name, 0)
    assert int(kills) >= 2
    assert (same, left) == ("True", "False")
