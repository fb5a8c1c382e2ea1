"""Shared data and kinds of arrays."""

import os
from pathlib import Path

import numpy as np
import pytest


def low_rank(n=60, m=40, k=3, seed=0):
    """An exact nonnegative factorization with sparse factors."""
    rng = np.random.default_rng(seed)
    return rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, m))


def spoil(X, share=0.05, seed=1, size=10.0):
    """Add large errors at known entries; returns data and mask."""
    rng = np.random.default_rng(seed)
    mask = rng.random(X.shape) < share
    errors = size * X.mean() * (0.5 + rng.random(X.shape))
    return np.where(mask, X + errors, X), mask


@pytest.fixture
def clean_data():
    return low_rank()


@pytest.fixture
def dirty_data():
    """Data, true mask, clean data."""
    clean = low_rank()
    # Not so large that among so few samples one entry could claim a component for itself.
    X, mask = spoil(clean, size=5.0)
    return X, mask, clean


@pytest.fixture
def kind(request):
    """A kind of array that is not NumPy's; see `namespaces`."""
    # Only tests that ask for it wait for PyTorch.
    from namespaces import at_hand

    with at_hand(request.param) as found:
        yield found


@pytest.fixture(scope="session")
def faces():
    """100 faces, n×m in 0..255: of ORL where they are at hand, else those of scikit-image."""
    file = os.environ.get("ROBUSTNMF_DATA") or (
        Path(__file__).parents[2] / "shared" / "data" / "orl_32x32.npz"
    )
    if Path(file).is_file():
        images = np.load(file)["images"][::4]
    else:
        from skimage.data import lfw_subset

        images = np.round(255 * lfw_subset()[:100])
    return images.reshape(len(images), -1).astype(float)
