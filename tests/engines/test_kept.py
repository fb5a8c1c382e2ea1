"""Arrays of rows in files behave as arrays in memory do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from robustnmf._engines import kept
from robustnmf._engines.kept import FileRows, Shelf, room

WRITES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=6)


@pytest.mark.parametrize(("width", "dtype"), [((3,), np.float64), ((), np.float32)])
@given(writes=WRITES)
def test_it_holds_what_was_written(width, dtype, writes):
    rng = np.random.default_rng(0)
    rows, expected = FileRows((20, *width), dtype), np.zeros((20, *width), dtype)
    for a, b in writes:
        part = slice(min(a, b), max(a, b))
        new = rng.random(expected[part].shape)
        rows[part] = new
        expected[part] = new
        assert_array_equal(rows[part], expected[part])
    assert_array_equal(rows[:], expected)
    assert rows[:].dtype == dtype


def test_columns_of_all_rows():
    rows, expected = FileRows((9, 11), np.float32), np.random.default_rng(0).random((9, 11))
    rows[:] = expected
    for first, stop in ((0, 11), (3, 4), (8, 20), (5, 5)):
        assert_array_equal(rows[:, first:stop], expected.astype(np.float32)[:, first:stop])


@pytest.mark.parametrize("in_memory", [10, 10**6])
def test_things_on_a_shelf_stay_as_they_are(in_memory, monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", in_memory)
    shelf = Shelf()
    things = [bytes([i]) * i for i in range(20)]
    places = [shelf.put(thing) for thing in things]
    for i in (3, 0, 19, 7):
        assert shelf.get(places[i], i) == things[i]
    assert shelf.get(shelf.put(b"more"), 4) == b"more"


def test_only_large_arrays_lie_in_files(monkeypatch):
    assert type(room((10, 3), np.float64)) is np.ndarray
    monkeypatch.setattr(kept, "IN_MEMORY", 100)
    assert type(room((10, 3), np.float64)) is FileRows


def test_a_full_disk_is_told_with_what_to_do():
    resource = pytest.importorskip("resource", reason="limits on files are of POSIX")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    rows = FileRows((5000, 2), np.float64)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, limits[1]))
    try:
        with pytest.raises(OSError, match=r"what belongs to the rows in .*; make room .*TMPDIR"):
            rows[:] = np.ones((5000, 2))
        with pytest.raises(OSError, match="TMPDIR"):
            FileRows((5000, 2), np.float64)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert (rows[:1000] == 1).all()
