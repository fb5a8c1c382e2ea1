import numpy as np
import pytest

from robustnmf_studies.bench.pictures import AMOUNT, measure, photograph


@pytest.mark.parametrize("colour", [False, True])
def test_a_photograph_of_any_size(colour):
    dirty = photograph(600, 1100, colour=colour)
    assert dirty.shape == ((600, 1100, 3) if colour else (600, 1100))
    extreme = ((dirty == 0) | (dirty == 255)).mean()
    assert AMOUNT < extreme < 2.5 * AMOUNT
    np.testing.assert_array_equal(dirty, photograph(600, 1100, colour=colour))


@pytest.mark.parametrize("case", ["grey", "colour"])
def test_pixels_are_timed_beside_rivals(tiny, tell, case):
    ours, clock, *rivals = measure(tiny, case, tell)
    assert ours.key == f"pictures.{case}"
    assert clock.key == f"pictures.{case}-seconds"
    assert ours.median > 0
    assert {row.key.rpartition("-")[2] for row in rivals} >= {"median", "non"} - {"non"}
    assert all(row.ours == ours.ours and row.theirs > 0 for row in rivals)


@pytest.mark.slow
def test_the_first_picture_compiles(tiny, tell):
    (row,) = measure(tiny, "first", tell)
    assert row.details["second"] < row.median


def test_growth_of_pictures(tiny, tell):
    (row,) = measure(tiny, "growth", tell)
    assert np.isfinite(row.median)
    assert "megapixels" in row.note
