"""What `import robustnmf` gives, and what it must not cost."""

import subprocess
import sys

import pytest

import robustnmf


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
    assert not {"numba", "matplotlib", "skimage", "polars", "click"} & loaded


def test_public_names():
    assert sorted(dir(robustnmf)) == sorted(robustnmf.__all__)
    for name in robustnmf.__all__:
        assert getattr(robustnmf, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        robustnmf.nonsense  # noqa: B018
