"""The kinds of arrays that are not NumPy's, for tests of what holds for all of them."""

from collections.abc import Callable
from contextlib import contextmanager, nullcontext
from importlib.util import find_spec
from typing import Any, NamedTuple

import array_api_strict
import numpy as np
import pytest
import torch
from scipy import sparse

from robustnmf._common.places import Place, on_host


class Kind(NamedTuple):
    """A package of arrays, and a device."""

    put: Callable[..., Any]
    """Makes an array of one of NumPy's."""

    def holds(self, A):
        """Whether an array is of this kind, and on this device."""
        return Place.of(A) == Place.of(self.put(np.zeros(1)))


def _strict(device):
    return lambda A: array_api_strict.asarray(A, device=array_api_strict.Device(device))


def _jax(A):
    import jax.numpy

    return jax.numpy.asarray(A)


@contextmanager
def _double():
    import jax

    with jax.enable_x64(True):
        yield


KINDS = {
    # A device that NumPy cannot see: whatever goes through it unasked, or is made elsewhere, fails.
    "strict": Kind(_strict("device1")),
    "torch": Kind(torch.asarray),
}
if find_spec("jax"):
    KINDS["jax"] = Kind(_jax)
ALL = [pytest.param(name, marks=pytest.mark.slow if name == "jax" else ()) for name in KINDS]


@contextmanager
def at_hand(name):
    """A kind of array, ready for use."""
    with _double() if name == "jax" else nullcontext():
        yield KINDS[name]


every_kind = pytest.mark.parametrize("kind", ALL, indirect=True)
# What JAX takes long to compile is tested with the others.
most_kinds = pytest.mark.parametrize("kind", ["strict", "torch"], indirect=True)


def assert_same(found, expected, rtol=1e-8):
    """Compare an array of any kind with one of NumPy's, or a sparse matrix."""
    expected = expected.toarray() if sparse.issparse(expected) else np.asarray(expected)
    found = on_host(found)
    assert found.dtype == expected.dtype
    scale = np.abs(expected).max(initial=0) if expected.dtype.kind == "f" else 0
    np.testing.assert_allclose(found, expected, rtol=rtol, atol=rtol * scale)
