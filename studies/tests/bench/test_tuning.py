"""The tuning of the solver."""

import numpy as np
import pandas as pd

from robustnmf._solvers import hals, sample
from robustnmf._solvers.settings import HalsSettings, HeadStartSettings
from robustnmf_studies.bench import tuning


def test_tuning_ranks_and_leaves_the_solver_as_it_was(tiny, tell, monkeypatch):
    none = tuning.Setting(
        HalsSettings(1, 1, 0.0, 1.0, 1.0, 1.0), HeadStartSettings(least_rows=10**9, iterations=0)
    )
    monkeypatch.setattr(tuning, "settings", lambda: [tuning.NOW, none])
    rows = tuning.ranking(tiny, "all", tell)
    assert (hals.HALS, sample.HEAD_START) == tuning.NOW
    assert {row.key for row in rows} == {"tuning.present", "tuning.setting"}
    means = [np.log(row.values).mean() for row in rows]
    assert means == sorted(means)
    for row in rows:
        assert [gap["gap"] for gap in row.details["gaps"]] == list(tuning.GAPS)
        assert len(row.values) == 4 * tiny.tuning_seeds
        assert min(row.values) >= 1


def test_tuning_runs_the_setting_it_names(tiny, tell, monkeypatch):
    used = []
    other = tuning.NOW._replace(hals=tuning.NOW.hals._replace(sweeps_w=99))
    monkeypatch.setattr(tuning, "settings", lambda: [other])
    run = tuning.run
    monkeypatch.setattr(
        tuning, "run", lambda *args, **more: used.append(hals.HALS.sweeps_w) or run(*args, **more)
    )
    tuning.ranking(tiny, "all", tell)
    assert set(used) == {99}


def test_ranking_counts_what_never_arrives_as_twice_the_longest_run():
    other = tuning.NOW._replace(hals=tuning.NOW.hals._replace(sweeps_w=99))
    traces = pd.DataFrame(
        [
            # On problem 0 both arrive, the other setting first; on problem 1 it never does.
            (0, 0, 1, 1.0, 9.0), (0, 0, 2, 2.0, 1.0), (1, 0, 1, 0.5, 1.0),
            (0, 1, 1, 1.0, 5.0), (0, 1, 2, 3.0, 5.0), (1, 1, 1, 4.0, 6.0),
        ],
        columns=["setting", "problem", "iteration", "seconds", "objective"],
    )  # fmt: skip
    first, second = tuning.rank(traces, [tuning.NOW, other])
    assert (first.key, first.values) == ("tuning.present", [4.0, 1.0])
    assert (second.key, second.values) == ("tuning.setting", [1.0, 8.0])
    assert first.details["gaps"][0] == {
        "gap": 1e-2, "reached": 2, "of": 2, "iterations": 1.5, "seconds": 1.5
    }  # fmt: skip
    assert second.details["gaps"][0]["reached"] == 1


def test_tuning_tries_the_present_setting_first():
    tried = tuning.settings()
    assert tried[0] == tuning.NOW
    assert len(set(tried)) == len(tried) > 10
