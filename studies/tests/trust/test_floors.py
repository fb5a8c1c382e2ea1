"""The quick run keeps above its floors: what was reached is not lost unseen.

The bounds lie a little inside what is measured: the draws are fixed, but libraries differ in the
last digits between machines.
"""

import math

import pandas as pd
import pytest

from robustnmf_studies.common.frames import pick
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Options, run_study
from robustnmf_studies.trust import damage
from robustnmf_studies.trust.errors import FORESEEN, UNFORESEEN
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.numbers import error_left, frame_of
from robustnmf_studies.trust.study import STUDY

LEAST, MOST = "at least", "at most"
# Figures of the quick run of ``trust-tuning`` with seed 0, and the bounds that they have to keep.
FLOORS = {
    "tables, F1, foreseen kinds": (LEAST, 0.70),
    "tables, F1, unforeseen kinds": (LEAST, 0.68),
    "tables, precision": (LEAST, 0.86),
    "tables, repair error": (MOST, 0.21),
    "tables, error left": (MOST, 0.24),
    "tables, harm": (MOST, 0.02),
    "tables without errors, changed at worst": (MOST, 0.01),
    "nothing to learn, changed at worst": (MOST, 0.001),
    "matrices, salt, F1": (LEAST, 0.87),
    "matrices, spikes, F1": (LEAST, 0.88),
    "matrices, stripes, F1": (LEAST, 0.60),
    "matrices, bad samples, F1": (LEAST, 0.92),
    "matrices without errors, variance changed at worst": (MOST, 0.01),
}


def measured(numbers):
    """Return the figures that have a floor."""
    tables, clean, barren, matrices = (
        pick(frame_of(numbers, name), method=OURS)
        for name in ("tables", "clean_tables", "barren", "matrices")
    )
    f1 = matrices.groupby("kind")["f1"].mean()
    return {
        "tables, F1, foreseen kinds": pick(tables, kind=FORESEEN)["f1"].mean(),
        "tables, F1, unforeseen kinds": pick(tables, kind=UNFORESEEN)["f1"].mean(),
        "tables, precision": tables["precision"].mean(),
        "tables, repair error": tables["repair"].mean(),
        "tables, error left": error_left(tables.groupby("method")).get(OURS, math.nan),
        "tables, harm": tables["harm"].mean(),
        "tables without errors, changed at worst": clean["changed"].max(),
        "nothing to learn, changed at worst": barren["changed"].max(),
        "matrices, salt, F1": f1.get(damage.SALT, math.nan),
        "matrices, spikes, F1": f1.get(damage.SPIKES, math.nan),
        "matrices, stripes, F1": f1.get(damage.STRIPES, math.nan),
        "matrices, bad samples, F1": f1.get(damage.SAMPLES, math.nan),
        "matrices without errors, variance changed at worst": (
            frame_of(numbers, "clean_matrices")["variance_auto_rank"].max()
        ),
    }


def broken(numbers):
    """Return the floors that a run falls through, in words; what was not measured is one."""
    found = []
    for name, value in measured(numbers).items():
        side, bound = FLOORS[name]
        # Written so that NaN is broken.
        if not (value >= bound if side == LEAST else value <= bound):
            found.append(f"{name}: {value:.4g}, must be {side} {bound:g}")
    return found


@pytest.mark.slow
def test_the_quick_run_keeps_above_its_floors(tmp_path):
    options = Options(quick=True, jobs=1)
    outcome = run_study(STUDY, "trust-tuning", tmp_path / "out", options)
    numbers = Storage(outcome.folder).read_tables()
    assert set(measured(numbers)) == set(FLOORS)
    assert broken(numbers) == []


def test_a_floor_that_gives_way_is_named():
    rows = [{"method": OURS, "kind": "zero", "f1": 0.01, "precision": 0.9, "harm": False}]
    found = broken({"tables": pd.DataFrame(rows)})
    assert any(
        line.startswith("tables, F1, foreseen kinds: 0.01, must be at least") for line in found
    )
    assert not any(line.startswith("tables, precision") for line in found)
    assert not any(line.startswith("tables, harm") for line in found)


def test_what_was_not_measured_gives_way():
    assert len(broken({})) == len(FLOORS)
