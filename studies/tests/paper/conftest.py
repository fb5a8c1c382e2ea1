"""Numbers for which every claim holds, and a reproduction small enough for a test."""

import functools
import math
from dataclasses import replace

import pandas as pd
import pytest

from robustnmf_studies.common.study import Options, run_study
from robustnmf_studies.paper.settings import LAMS, TENS, Plan, Settings
from robustnmf_studies.paper.study import STUDY, prepare

RUNS = 4
BOTH = ("paper", "optimum")
PLAIN = (("nmf", "paper"), ("nmf", "optimum"), ("pca", "optimum"))
TINY_PLAN = Plan(
    runs=2,
    sweep=(10, 50),
    lams=(0.02, 0.04),
    portion_pixels=(25, 50),
    portion_lams=(0.02, 0.04),
    ranks=(5, 10),
    trace_faces=(50,),
    images=("camera", "moon"),
)
TINY_SETTINGS = Settings(iterations=5, trace_iterations=10, max_iter=10, picture=64, tol=1e-3)


def _faces():
    points = {(n, p, 0.04) for n in (50, 100) for p in TENS}
    points |= {(n, p, 0.04) for n in TENS for p in (50, 100)}
    points |= {(n, 50, lam) for n in (50, 100) for lam in LAMS}
    for n, pixels, lam in sorted(points):
        step = math.log2(lam / 0.04)
        precision = 0.97 - 0.04 * math.exp(-n / 15) + 0.005 * step
        recall = 0.8 - 0.25 * math.exp(-(n - 10) / 15) - 0.05 * step
        errors = {"robust": 380e3 + 6e3 * pixels}
        references = ()
        if lam == 0.04:
            errors |= {"nmf": 400e3 + 10e3 * pixels, "refit": 350e3 + 3e3 * pixels}
            references = ("oracle", "pcp", "median")
        for run in range(RUNS):
            jitter = 1 + 1e-5 * run
            columns = {"n": n, "pixels": pixels, "lam": lam, "run": run}
            found = {"precision": precision * jitter, "recall": recall * jitter}
            found["f1"] = 2 * precision * recall / (precision + recall)
            for mode in BOTH:
                for method, error in errors.items():
                    yield columns | found | {"method": method, "mode": mode, "msre": error * jitter}
            found = dict.fromkeys(("precision", "recall", "f1"), 0.9) | {"msre": 300e3}
            for method in references:
                yield columns | found | {"method": method, "mode": "reference"}


def _curves():
    for method, mode in (*PLAIN, ("oracle", "optimum")):
        for n in (50, 100):
            for threshold in (10, 20, 40, 80, 160, 240):
                f1 = 0.5 * math.exp(-abs(math.log2(threshold / 80)))
                columns = {"n": n, "run": 0, "method": method, "mode": mode, "threshold": threshold}
                yield columns | {"precision": 0.8, "recall": 0.4, "f1": f1}


def _traces():
    for n in (50, 100):
        for iteration in (1, 10, 100, 1000):
            shares = {
                f"{m}_{t:g}": 0.95 for m in ("precision", "recall") for t in (0, 0.001, 0.01, 0.1)
            }
            common = {"n": n, "run": 0, "iteration": iteration, "objective": 1e6 + 1e6 / iteration}
            yield {**common, "solver": "mu", "mode": "paper", **shares}
            yield {**common, "solver": "hals", "mode": "optimum"}


def _falls():
    fall = {
        "iterations": 1000,
        "largest_rise": -1e-6,
        "first": 1e8,
        "at_stated": 1.001e6,
        "last": 1e6,
        "late_fall_stated": 1e-6,
        "late_fall_last": 1e-7,
    }
    for n in (50, 100):
        for run in range(RUNS):
            columns = {"n": n, "run": run} | fall
            yield columns | {"mode": "paper", "solver": "mu", "negative_share": 0.0}
            yield columns | {"mode": "optimum", "solver": "hals", "negative_share": None}


def ideal_rows():
    """Return tables in which the paper is right about everything."""
    modes = [(m, mode) for m in ("robust", "refit") for mode in BOTH]
    return {
        "faces": list(_faces()),
        "curves": list(_curves()),
        "traces": list(_traces()),
        "falls": list(_falls()),
        "portion": [
            {"pixels": p, "lam": lam, "run": 0, "f1": 1 - 0.1 * abs(math.log2(lam * p))}
            for p in (25, 50, 100)
            for lam in (0.01, 0.02, 0.04)
        ],
        "shrinkage": [
            {"n": 100, "pixels": 50, "run": 0, "method": method, "mode": mode, "size": size}
            | {"count": 10, "true": size, "estimate": size * (0.5 if method == "robust" else 0.99)}
            for method, mode in modes
            for size in (50.0, 100.0, 200.0)
        ],
        "sensitivity": [
            {"n": n, "run": 0, "method": m, "mode": mode, "msre_clean": 1.0, "msre_polluted": 1.5}
            for n in (50, 100)
            for m, mode in PLAIN
        ],
        "pictures": [
            {"image": i, "run": 0, "method": m, "mode": mode, "psnr": psnr, "ssim": psnr / 50}
            for i in ("camera", "moon")
            for mode in BOTH
            for m, psnr in (("nmf", 20.0), ("robust", 25.0), ("refit", 26.0))
        ],
        "ranks": [
            {"k": k, "run": 0, "method": m, "mode": "optimum", "precision": 0.9, "recall": 0.8}
            | {"msre": 500e3}
            for k in (5, 10)
            for m in ("nmf", "robust", "refit")
        ],
        "constraint": [{"image": "camera", "run": 0, "negative_share": 0.0}],
    }


@pytest.fixture
def ideal():
    """Rows by table, to be changed at will."""
    return ideal_rows()


@pytest.fixture
def ideal_numbers(ideal):
    return {name: pd.DataFrame(rows) for name, rows in ideal.items()}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    """A whole reproduction on the built-in faces, in seconds."""
    few = functools.partial(prepare, plan=TINY_PLAN, settings=TINY_SETTINGS)
    out = tmp_path_factory.mktemp("tiny") / "results"
    return run_study(replace(STUDY, prepare=few), "all", out, Options(data="builtin", jobs=1))
