"""What `import robustnmf` gives, and what it must not cost."""

import subprocess
import sys

import pytest

import robustnmf
import robustnmf.image


def modules_after(code):
    script = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    heavy = {"sklearn", "numba", "scipy", "matplotlib", "skimage", "pandas", "click", "rich"}
    assert not heavy & modules_after("import robustnmf")


def test_importing_the_estimators_loads_scikit_learn_and_no_extra():
    loaded = modules_after("from robustnmf import RobustNMF, WeightedNMF, robust_nmf")
    assert "sklearn" in loaded
    # pandas and rich are loaded by scikit-learn itself where they are installed.
    extras = {"matplotlib", "skimage", "polars", "click", "dask", "distributed"}
    assert not ({"numba"} | extras) & loaded


def test_a_picture_does_not_wait_for_scikit_learn():
    code = """
import numpy as np
from robustnmf.image import denoise_image
denoise_image(np.zeros((16, 16), np.uint8))
"""
    assert not {"sklearn", "pandas", "skimage", "matplotlib"} & modules_after(code)


def test_public_names_of_pictures():
    assert sorted(dir(robustnmf.image)) == sorted(robustnmf.image.__all__)
    for name in robustnmf.image.__all__:
        assert getattr(robustnmf.image, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        robustnmf.image.nonsense  # noqa: B018


def test_public_names():
    assert sorted(dir(robustnmf)) == sorted(robustnmf.__all__)
    for name in robustnmf.__all__:
        assert getattr(robustnmf, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        robustnmf.nonsense  # noqa: B018
