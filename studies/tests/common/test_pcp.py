import numpy as np

from robustnmf_studies.common.pcp import principal_component_pursuit


def test_low_rank_and_sparse_parts_are_recovered():
    # Within the conditions of the theorem: low rank, few errors at random entries.
    rng = np.random.default_rng(0)
    low_rank = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 60))
    sparse = np.zeros((80, 60))
    wrong = rng.random((80, 60)) < 0.05
    sparse[wrong] = rng.choice([-10.0, 10.0], wrong.sum())
    found = principal_component_pursuit(low_rank + sparse)
    np.testing.assert_allclose(found.low_rank, low_rank, atol=1e-3)
    np.testing.assert_allclose(found.sparse, sparse, atol=1e-3)
    assert ((np.abs(found.sparse) > 1e-2) == wrong).all()


def test_parts_add_up_to_the_data():
    X = np.random.default_rng(1).random((20, 30))
    found = principal_component_pursuit(X)
    assert np.linalg.norm(X - found.low_rank - found.sparse) <= 1e-6 * np.linalg.norm(X)


def test_no_other_split_has_a_lower_cost():
    X = np.random.default_rng(2).random((15, 12))
    lam = 1 / np.sqrt(15)
    found = principal_component_pursuit(X, tol=1e-9)

    def cost(low_rank):
        return np.linalg.norm(low_rank, "nuc") + lam * np.abs(X - low_rank).sum()

    best = cost(found.low_rank)
    rng = np.random.default_rng(3)
    for size in (1e-3, 1e-2, 1e-1):
        assert cost(found.low_rank + size * rng.normal(size=X.shape)) > best * (1 - 1e-4)


def test_zeros_stay_zeros():
    found = principal_component_pursuit(np.zeros((4, 5)))
    assert not found.low_rank.any()
    assert not found.sparse.any()
