"""Pictures to restore, and noise to write into them."""

import numpy as np
import pytest

from robustnmf.datasets import corrupt
from scenes import draw_scene


@pytest.fixture(scope="session")
def scene():
    return draw_scene()


@pytest.fixture
def pollute():
    """Write impulses into a picture; return it and where it changed by more than 20 levels."""

    def write(picture, kind, amount, seed=0):
        dirty, _ = corrupt(picture.reshape(1, -1), kind, amount, high=255, random_state=seed)
        dirty = dirty.reshape(picture.shape)
        return dirty, np.abs(dirty.astype(float) - picture) > 20

    return write
