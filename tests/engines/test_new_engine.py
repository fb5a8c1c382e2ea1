"""One more engine is one file and one line: here is the file, and the line is patched in.

The engine serves a list of arrays, each some of the rows, and keeps all that belongs to rows in
such lists, too: an array for all rows exists only where somebody asks for it.
"""

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from robustnmf import RobustNMF, WeightedNMF, robust_nmf
from robustnmf._core.engine import Engine
from robustnmf._engines import adopted, choice, engine_for


class Pieces:
    """Arrays of the same width, one below the other."""

    def __init__(self, arrays):
        widths = {array.shape[1] for array in arrays}
        if len(widths) > 1:
            raise ValueError(f"X: pieces must have the same features; got {sorted(widths)}")
        self.arrays = arrays
        self.shape = (sum(map(len, arrays)), widths.pop())
        self.dtype = np.result_type(*arrays)

    def __reduce__(self):
        raise TypeError("data that lie elsewhere need not have a pickle")


class Kept:
    """An array of the rows, in parts; what it is, nobody else knows."""

    def __init__(self, parts):
        self.parts = list(parts)


class PiecesEngine:
    def __init__(self, X, weights=None, *, dtype, exponent=0, block_entries=None):
        self.shape, self.dtype = X.shape, np.dtype(dtype)
        self._pieces, self._weights, self._exponent = X, weights, exponent
        ends = np.cumsum([len(array) for array in X.arrays])
        starts = [0, *ends[:-1]]
        self._rows = [slice(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]

    @staticmethod
    def adopt(X):
        if isinstance(X, Pieces):
            return X
        matrices = isinstance(X, list) and X and all(getattr(A, "ndim", 0) == 2 for A in X)
        return Pieces(X) if matrices else None

    def map(self, function):
        return list(self.stream(function))

    def stream(self, function, read=()):
        return (function(*block) for block in self._blocks(read))

    def fold(self, function, merge, *, read=(), write=()):
        sums = []
        for i, block in enumerate(self._blocks(read)):
            found = function(*block)
            if write:
                found, *new = found
                for A, rows in zip(write, new, strict=True):
                    A.parts[i] = rows
            sums.append(found)
        return reduce(merge, sums)

    def sample(self, rows):
        X = np.concatenate(self._pieces.arrays)[rows]
        weights = None if self._weights is None else self._weights[rows]
        return PiecesEngine(Pieces([X]), weights, dtype=self.dtype, exponent=self._exponent)

    def keep(self, A):
        return A if isinstance(A, Kept) else self.make(lambda rows: A[rows])

    def make(self, function):
        return Kept(map(function, self._rows))

    def take(self, A, rows):
        return self.collect(A)[rows]

    def room_for(self, A):
        return Kept([None] * len(A.parts))

    def combine(self, function, *arrays):
        return Kept(function(*blocks) for blocks in zip(*(A.parts for A in arrays), strict=True))

    def sum_rows(self, function, merge, *arrays):
        return reduce(merge, self.combine(function, *arrays).parts)

    def collect(self, A):
        return np.concatenate(A.parts)

    def beside(self, A):
        return A

    def _blocks(self, read):
        for i, rows in enumerate(self._rows):
            X = np.ldexp(self._pieces.arrays[i].astype(self.dtype), self._exponent)
            q = None if self._weights is None else self._weights[rows].astype(self.dtype)
            yield rows, X, q, *(A.parts[i] for A in read)


@pytest.fixture(autouse=True)
def one_line(monkeypatch):
    monkeypatch.setattr(choice, "ENGINES", [PiecesEngine])


@pytest.fixture
def X():
    rng = np.random.default_rng(0)
    clean = rng.exponential(size=(90, 3)) @ rng.exponential(size=(3, 40))
    return np.where(rng.random(clean.shape) < 0.05, clean + 20, clean)


def pieces(X):
    return [X[:40], X[40:41], X[41:]]


def test_it_has_all_that_an_engine_has():
    asked = {name for name in vars(Engine) if not name.startswith("_")}
    assert asked <= set(dir(PiecesEngine))
    # The line goes where arrays are not concerned.
    assert adopted(np.ones((2, 2))) is None
    assert type(engine_for(Pieces([np.ones((2, 2))]))) is PiecesEngine


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"solver": "mu", "tol": 1e-3},
        {"penalty": "squared_l0", "lam": 0.5},
        {"refit": "wnmf"},
        {"init": "nndsvda"},
        {"lam": "auto"},
        {"lam": "auto", "n_components": "auto"},
    ],
    ids=str,
)
@pytest.mark.parametrize("unit", [1.0, 1e90])
def test_an_estimator_takes_its_data_like_arrays(X, options, unit):
    if "lam" in options and options["lam"] != "auto":
        options = options | {"lam": options["lam"] * unit**2}
    X = unit * X
    model = RobustNMF(**{"n_components": 3, "random_state": 0, "max_iter": 2000} | options)
    whole = model.fit(X)
    expected, kept = whole.decompose(X), whole.components_
    found = model.fit(pieces(X)).decompose(pieces(X))
    assert_allclose(model.components_, kept, rtol=1e-4, atol=1e-6 * kept.max())
    assert_array_equal(found.mask, expected.mask)
    assert_allclose(found.restored, expected.restored, rtol=1e-4, atol=1e-4 * unit)
    assert sparse.issparse(found.noise)
    assert model.n_features_in_ == X.shape[1]


def test_missing_entries_and_weights(X):
    X[3, 4] = X[50, 7] = np.nan
    model = RobustNMF(3, random_state=0, max_iter=2000)
    assert_allclose(
        model.fit(pieces(X)).denoise(pieces(X)), model.fit(X).denoise(X), rtol=1e-3, atol=1e-3
    )
    weights = np.random.default_rng(1).random(X.shape)
    weighted = WeightedNMF(3, random_state=0, max_iter=2000)
    expected = weighted.fit_transform(X, weights=weights)
    assert_allclose(weighted.fit_transform(pieces(X), weights=weights), expected, rtol=1e-3)


def test_the_function_takes_them_too(X):
    found, expected = (robust_nmf(data, 3, random_state=0)[1] for data in (pieces(X), X))
    assert_allclose(found, expected, rtol=1e-6)


def test_they_are_checked_like_arrays(X):
    model = RobustNMF(3, random_state=0).fit(pieces(X))
    with pytest.raises(ValueError, match="X has 39 features, but RobustNMF is expecting 40"):
        model.transform(pieces(X[:, 1:]))
    with pytest.raises(ValueError, match=r"must have the same features; got \[39, 40\]"):
        model.transform([X, X[:, 1:]])
    X[41, 2] = -1
    with pytest.raises(ValueError, match=r"Negative values.*X\[41, 2\]"):
        model.fit(pieces(X))
