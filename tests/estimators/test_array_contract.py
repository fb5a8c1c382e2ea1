"""scikit-learn's own checks of estimators on arrays of other packages."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
from sklearn.utils.estimator_checks import (
    check_array_api_input_and_values,
    estimator_checks_generator,
)

from robustnmf import MiniBatchRobustNMF, RobustNMF, WeightedNMF

# The checks look at kinds, places and shapes: a few iterations show these as well as many.
FEW = {"n_components": 3, "max_iter": 20}
ESTIMATORS = [
    RobustNMF(**FEW),
    RobustNMF(penalty="squared_l0", **FEW),
    RobustNMF(solver="mu", **FEW),
    RobustNMF(refit="wnmf", **FEW),
    RobustNMF(init="nndsvda", n_init=2, **FEW),
    RobustNMF(lam="auto", **FEW),
    RobustNMF(n_components="auto", max_iter=20),
    MiniBatchRobustNMF(3, max_iter=2),
    MiniBatchRobustNMF(3, max_iter=1, penalty="squared_l0", batch_size=20),
    MiniBatchRobustNMF(3, max_iter=2, lam="auto"),
    WeightedNMF(**FEW),
    WeightedNMF(solver="mu", **FEW),
]


def at_hand(namespace, device):
    """Whether there is a package, and the device that a check asks for."""
    if not find_spec(namespace.partition(".")[0]):
        return False
    if namespace != "torch" or device in (None, "cpu"):
        return True
    import torch

    return device == "cuda" and torch.cuda.is_available()


def checks():
    for estimator in ESTIMATORS:
        for given, check in estimator_checks_generator(estimator):
            name = getattr(check, "func", check).__name__
            asked = getattr(check, "keywords", {})
            places = [
                (asked[key].xp, asked[key].device)
                for key in asked
                if key.endswith("_ns_and_device")
            ]
            places = places or [(asked.get("array_namespace", ""), asked.get("device_name"))]
            if "array_api" in name and all(at_hand(*place) for place in places):
                yield pytest.param(given, check, id=f"{given}-{name}-{places}")


@pytest.fixture(autouse=True)
def switched_on(monkeypatch):
    # scikit-learn asks for it whenever it looks at an array. SciPy would have to know of it before
    # it is imported, and is not needed here.
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("namespace", "device"), [("torch", "cpu"), ("array_api_strict", "device1")]
)
def test_values(namespace, device):
    for estimator in (RobustNMF(**FEW), WeightedNMF(**FEW)):
        check_array_api_input_and_values("", estimator, namespace, device_name=device)


def test_all_of_it_with_scipy_switched_on_from_the_start():
    code = """
import warnings
import torch
from sklearn import config_context
from robustnmf import RobustNMF
X = torch.rand((30, 10), dtype=torch.float64)
with config_context(array_api_dispatch=True):
    model = RobustNMF(2, random_state=0).fit(X)
    assert isinstance(model.denoise(X), torch.Tensor)
"""
    environment = os.environ | {"SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-W", "error", "-c", code], env=environment, check=True)
