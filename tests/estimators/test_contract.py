"""scikit-learn's own checks of the whole estimator contract, with no expected failures."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from robustnmf import MiniBatchRobustNMF, RobustNMF, WeightedNMF

ESTIMATORS = [
    RobustNMF(),
    RobustNMF(penalty="squared_l0"),
    RobustNMF(solver="mu", max_iter=100),
    RobustNMF(refit="wnmf"),
    RobustNMF(n_components=2, init="nndsvda", n_init=2),
    RobustNMF(lam="auto"),
    RobustNMF(lam="auto", penalty="squared_l0"),
    RobustNMF(n_components="auto", lam="auto"),
    RobustNMF(n_components="auto"),
    MiniBatchRobustNMF(),
    MiniBatchRobustNMF(penalty="squared_l0", batch_size=7),
    MiniBatchRobustNMF(lam="auto"),
    WeightedNMF(),
    WeightedNMF(solver="mu", max_iter=100),
]


def of_numpy(asked):
    """Leave out what is about arrays of other packages: `test_array_contract` has it."""
    pairs = [pair for pair in asked.args[1] if "array_api" not in str(pair[1])]
    return pytest.mark.parametrize(("estimator", "check"), pairs, **asked.kwargs)


# The checks' own data are tiny and random, where 100 iterations of the slow rules may not do, and
# where lam="auto" rightly says that it cannot tell.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore::robustnmf._common.diagnosis.TrustWarning")
@of_numpy(parametrize_with_checks(ESTIMATORS))
def test_scikit_learn_contract(estimator, check):
    check(estimator)
