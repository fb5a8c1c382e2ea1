"""Whether two things are the same, whatever they are."""

import dataclasses

import numpy as np
from numpy.testing import assert_array_equal
from scipy import sparse


def assert_same(a, b, at=""):
    """Equal to the last bit, and of the same types."""
    assert type(a) is type(b) or isinstance(a, np.float64), at
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, at
        assert_array_equal(a, b, err_msg=at)
    elif sparse.issparse(a):
        for name in ("data", "indices", "indptr"):
            assert_same(getattr(a, name), getattr(b, name), f"{at}.{name}")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), at
        for key in a:
            assert_same(a[key], b[key], f"{at}[{key}]")
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), at
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{at}[{i}]")
    elif dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{at}.{field.name}")
    else:
        assert a == b, at
