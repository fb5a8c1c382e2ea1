"""The benchmark of stacks, on a few small pictures."""

import sys

import numpy as np
import pytest

from robustnmf_studies.bench.registry import BENCHMARKS
from robustnmf_studies.bench.stacks import AMOUNT, measure, video

CASES = [case.name for case in BENCHMARKS["stacks"].cases if case.weight]


def test_the_stack_is_the_same_each_time_and_dirty(tiny):
    frames = video(tiny.stack)
    assert (frames.shape, frames.dtype) == (tiny.stack, np.uint8)
    np.testing.assert_array_equal(frames, video(tiny.stack))
    np.testing.assert_array_equal(frames, video(tiny.stack, "float32"))
    assert np.isin(frames, [0, 255]).mean() == pytest.approx(AMOUNT, abs=0.03)


@pytest.mark.parametrize("case", CASES)
def test_each_case_has_its_row(case, tiny, tell):
    if case != "speed" and sys.platform != "linux":
        pytest.skip("elsewhere the peak cannot be forgotten")
    rows = measure(tiny, case, tell)
    assert rows[0].key == f"stacks.{case}"
    assert rows[0].verdict.endswith("*")  # not the size that the target is set for
    for row in rows:
        # So few small pictures may find room in what was freed before.
        assert min(row.values) >= 0
        assert case != "speed" or min(row.values) > 0
