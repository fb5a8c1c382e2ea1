"""What the tests of all studies share."""

from pathlib import Path

import pytest


@pytest.fixture
def docs():
    """The folder of the documentation, which is the library's."""
    folder = Path(__file__).parents[2] / "docs"
    if not folder.is_dir():
        pytest.skip("the source distribution of the studies holds no documentation")
    return folder
