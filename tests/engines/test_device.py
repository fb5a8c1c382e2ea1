"""Rows that stay in an array of another package, on its device."""

from importlib.util import find_spec

import array_api_strict
import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal

from robustnmf._common.bits import packed, unpacked
from robustnmf._common.places import Place, cast, on_host, with_rows, write_rows
from robustnmf._core.engine import Engine
from robustnmf._engines import adopted, device, engine_for
from robustnmf._engines.device import DeviceEngine, DeviceSettings
from robustnmf._engines.placed import HostRows, placed

DEVICE = array_api_strict.Device("device1")
X = np.random.default_rng(0).random((50, 4))


def there(A):
    return array_api_strict.asarray(A, device=DEVICE)


@pytest.fixture
def data(monkeypatch):
    monkeypatch.setattr(device, "DEVICE", DeviceSettings(entries=16, host_entries=16))
    found = engine_for(there(X))
    assert isinstance(found, DeviceEngine)
    return found


def test_it_has_all_that_an_engine_has():
    asked = {name for name in vars(Engine) if not name.startswith("_")}
    assert asked <= set(dir(DeviceEngine))


def test_numpy_and_what_other_engines_serve_is_not_for_it():
    for other in (X, X.tolist(), X[0, 0], [X, X]):
        assert placed(other) is None
    given = adopted(torch.asarray(X))
    assert adopted(given) is given


def test_blocks_are_views_where_they_can_be():
    given = torch.asarray(X)
    (block,) = engine_for(given).map(lambda rows, X, weights: X)
    assert block.data_ptr() == given.data_ptr()


def test_a_pass_reads_and_writes_what_is_kept(data):
    W = data.keep(X[:, :2])
    new = data.room_for(W)

    def double(rows, X, weights, W):
        assert X.device == W.device == DEVICE
        return array_api_strict.sum(X), 2 * W

    total = data.fold(double, lambda a, b: a + b, read=(W,), write=(new,))
    assert total.device == DEVICE
    np.testing.assert_allclose(float(total), X.sum())
    assert_array_equal(data.collect(new), 2 * X[:, :2])
    assert_array_equal(data.collect(W), X[:, :2])
    assert_array_equal(data.take(new, np.array([1, 7])), 2 * X[[1, 7], :2])
    assert data.sum_rows(len, lambda a, b: a + b, new) == 50
    assert len(data.map(lambda *block: None)) > 2


def test_rows_as_arrays_of_numpy(data):
    (sample,) = data.sample(np.array([2, 5])).map(lambda rows, X, weights: on_host(X))
    assert_array_equal(sample, X[[2, 5]])
    rows = HostRows(placed(there(X)))
    assert_array_equal(rows[2:5], X[2:5])
    assert_array_equal(rows[np.array([4, 1])], X[[4, 1]])


@pytest.mark.skipif(find_spec("jax") is None, reason="no JAX here")
def test_arrays_that_cannot_be_assigned_to():
    import jax.numpy as jax

    A = jax.asarray(X, dtype=jax.float32)
    changed = with_rows(A, jax.asarray([0, 2]), jax.zeros((2, 4)))
    assert_array_equal(on_host(changed)[[0, 2]], 0)
    assert_array_equal(on_host(A), X.astype(np.float32))


@pytest.mark.parametrize("m", [1, 7, 8, 9, 24])
@pytest.mark.parametrize("put", [there, torch.asarray])
def test_flags_are_packed_as_numpy_packs_them(put, m):
    flags = np.random.default_rng(m).random((5, m)) < 0.5
    bits = packed(put(flags))
    assert_array_equal(on_host(bits), np.packbits(flags, axis=1))
    assert_array_equal(on_host(unpacked(bits, m)), flags)
    assert_array_equal(unpacked(packed(flags), m), flags)


def test_the_way_there_and_back():
    place = Place.of(there(X))
    given = torch.asarray(X)
    moved = place.put(given)
    assert Place.of(moved) == place
    assert_array_equal(on_host(moved), X)
    # What is put elsewhere does not share memory with what it was made of.
    copied = Place.of(given).put(X)
    copied[0, 0] = 9
    assert X[0, 0] != 9
    assert cast(given, np.float32).dtype == torch.float32
    single = Place.of(array_api_strict.zeros(1, device=array_api_strict.Device("no_float64")))
    assert not single.has_double
    assert single.put(X).dtype == array_api_strict.float32


def test_rows_are_written_to_arrays_of_all_kinds():
    for out in (
        np.zeros((3, 4)),
        torch.zeros((3, 4), dtype=torch.float64),
        there(np.zeros((3, 4))),
    ):
        write_rows(out, slice(1, 3), there(X[:2]))
        assert_array_equal(on_host(out)[1:], X[:2])
