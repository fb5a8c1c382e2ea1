"""The quick run keeps above its floors: what was reached is not lost unseen."""

import pandas as pd
import pytest

from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Options, run_study
from robustnmf_studies.trust.floors import FLOORS, LEAST, broken, measured
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.study import STUDY


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


def test_bounds_are_shares():
    for floor in FLOORS.values():
        assert 0 <= floor.bound <= 1
        assert floor.side in (LEAST, "at most")
