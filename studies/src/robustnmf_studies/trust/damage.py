"""Ten ways to spoil a matrix, with the entries that were spoiled."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from robustnmf.datasets import corrupt
from robustnmf_studies.trust.matrices import RealMatrix

SALT, SALT_PEPPER, RANDOM, SPIKES = "salt", "salt_pepper", "random", "spikes"
DROPOUTS, SATURATION, BURSTS = "dropouts", "saturation", "bursts"
OCCLUSION, STRIPES, SAMPLES = "occlusion", "stripes", "bad samples"
KINDS = (
    SALT, SALT_PEPPER, RANDOM, SPIKES, DROPOUTS, SATURATION, BURSTS, OCCLUSION, STRIPES, SAMPLES,
)  # fmt: skip
RATES = (0.02, 0.10, 0.30)

Mask = NDArray[np.bool_]
Data = NDArray[np.float64]
# Share of a sample that one burst covers, and its least length.
_BURST_SHARE, _BURST_LENGTH = 0.04, 4


def spoil(
    matrix: RealMatrix, kind: str, rate: float, rng: np.random.Generator
) -> tuple[Data, Mask]:
    """Spoil a matrix.

    Parameters
    ----------
    matrix : RealMatrix
        The truth. It is not written to.
    kind : str
        One of `KINDS`; "occlusion" needs samples that are pictures.
    rate : float
        Share of the entries, of each sample where the kind allows.
    rng : Generator
        Of all random choices.

    Returns
    -------
    dirty : ndarray
        Nonnegative.
    mask : ndarray of bool
        The entries that differ from the truth.

    Examples
    --------
    >>> import numpy as np
    >>> from robustnmf_studies.trust.matrices import load_matrix
    >>> dirty, mask = spoil(load_matrix("digits"), "stripes", 0.1, np.random.default_rng(0))
    >>> int((mask.mean(axis=0) > 0.5).sum())
    6
    """
    if kind not in KINDS:
        raise ValueError(f"kind={kind!r} is not known; choose one of {', '.join(KINDS)}")
    if not 0 < rate < 1:
        raise ValueError(f"rate={rate} must be a share between 0 and 1")
    if kind == OCCLUSION and matrix.layout is None:
        raise ValueError(f"kind='occlusion' needs pictures, which {matrix.name} does not hold")
    if kind in _DAMAGES:
        dirty = _DAMAGES[kind](matrix.X, rate, rng)
    else:
        high = float(matrix.X.max())
        dirty, _ = corrupt(
            matrix.X, kind, float(rate), high=high, image_shape=matrix.layout, random_state=rng
        )
    return dirty, dirty != matrix.X


def kinds_for(matrix: RealMatrix) -> tuple[str, ...]:
    """Return the kinds that make sense for a matrix."""
    return tuple(kind for kind in KINDS if kind != OCCLUSION or matrix.layout is not None)


def _dropouts(X: Data, rate: float, rng: np.random.Generator) -> Data:
    """Entries that read zero, as many of those that do not as there should be."""
    alive = np.flatnonzero(X > 0)
    dirty = X.copy()
    dirty.flat[rng.choice(alive, min(len(alive), round(rate * X.size)), replace=False)] = 0
    return dirty


def _saturation(X: Data, rate: float, rng: np.random.Generator) -> Data:
    """The largest values read as the largest that the instrument knows."""
    return np.minimum(X, np.quantile(X, 1 - rate))


def _bursts(X: Data, rate: float, rng: np.random.Generator) -> Data:
    """Runs of neighbouring entries of a sample, raised together."""
    dirty = X.copy()
    n, m = X.shape
    length = max(_BURST_LENGTH, round(_BURST_SHARE * m))
    span = float(X.max() - X.min())
    hit = np.zeros(X.shape, dtype=bool)
    wanted = round(rate * X.size)
    while (left := wanted - int(hit.sum())) > 0:
        # Rows in turn, so that none has much more than its share.
        for i in rng.permutation(n)[: -(-left // length)]:
            start = int(rng.integers(0, m - length, endpoint=True))
            run = slice(start, start + length)
            rise = span * rng.uniform(0.5, 1.0)
            dirty[i, run] = np.where(hit[i, run], dirty[i, run], X[i, run] + rise)
            hit[i, run] = True
    return dirty


def _stripes(X: Data, rate: float, rng: np.random.Generator) -> Data:
    """Whole features that are dead, stuck at the top, or noise."""
    dirty = X.copy()
    n, m = X.shape
    high = float(X.max())
    for j in rng.choice(m, max(1, round(rate * m)), replace=False):
        fault = rng.integers(3)
        dirty[:, j] = (0.0, high, rng.uniform(0, high, n))[fault]
    return dirty


def _bad_samples(X: Data, rate: float, rng: np.random.Generator) -> Data:
    """Whole samples that are noise."""
    dirty = X.copy()
    n, m = X.shape
    bad = rng.choice(n, max(1, round(rate * n)), replace=False)
    dirty[bad] = rng.uniform(0, float(X.max()), (len(bad), m))
    return dirty


# The others are those of `robustnmf.datasets.corrupt`.
_DAMAGES: dict[str, Callable[[Data, float, np.random.Generator], Data]] = {
    DROPOUTS: _dropouts,
    SATURATION: _saturation,
    BURSTS: _bursts,
    STRIPES: _stripes,
    SAMPLES: _bad_samples,
}
