"""Every kernel: the fused version against the portable one, and both against the reference."""

import array_api_strict
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import nnls

import reference
from robustnmf._core.noise import SquaredL1
from robustnmf._core.rows import _newton
from robustnmf._kernels import cpu, kernels_for, portable
from robustnmf._kernels.cpu.sweep import _sweep_rows
from robustnmf._kernels.cpu.swept import FEW_COMPONENTS

SEEDS = st.integers(0, 2**32 - 1)
LAMBDAS = st.floats(-6, 6).map(lambda power: 10.0**power)
DTYPES = st.sampled_from([np.float32, np.float64])


def block(seed, dtype, missing=0.2):
    rng = np.random.default_rng(seed)
    b, m, k = rng.integers(1, 8), rng.integers(1, 40), rng.integers(1, 7)
    W, H = rng.random((b, k)), rng.random((k, m))
    X = W @ H * rng.lognormal(sigma=0.5, size=(b, m))
    X[rng.random((b, m)) < missing] = np.nan
    Q = rng.random((b, m))
    return (A.astype(dtype) for A in (X, W, H, Q))


def assert_same(fused, plain, dtype):
    tolerance = 1e-4 if dtype == np.float32 else 1e-10
    for a, b in zip(fused, plain, strict=True):
        assert_allclose(a, b, rtol=tolerance, atol=tolerance)


@given(SEEDS, DTYPES, LAMBDAS)
def test_clean_and_quadratic_agree(seed, dtype, lam):
    X, W, H, Q = block(seed, dtype)
    P, tau = W @ H, np.zeros(len(X), dtype)
    calls = [
        ("clean_weighted", (None, 1.0), ()),
        ("clean_weighted", (Q, 1.0), ()),
        ("clean_weighted", (Q / 100, 0.02), ()),
        ("clean_squared_l1", (lam, tau), ()),
        ("clean_squared_l0", (lam,), ()),
        ("quadratic_weighted", (None,), (H,)),
        ("quadratic_weighted", (Q,), (H,)),
        ("quadratic_squared_l1", (lam, tau), (H,)),
        ("quadratic_squared_l0", (lam,), (H,)),
        # Where few count fully, and where most do.
        ("quadratic_filled", (Q < 0.2, 0.01), (H,)),
        ("quadratic_filled", (Q > 0.2, 0.01), (H,)),
    ]
    for name, rest, components in calls:
        fused = getattr(cpu, name)(X, P.copy(), *components, *rest)
        plain = getattr(portable, name)(X, P.copy(), *components, *rest)
        assert_same(fused, plain, dtype)


@given(SEEDS, st.sampled_from([0.3, 0.5, 1.0, 2.0]))
def test_of_equal_residuals_as_many_are_noise_as_the_price_allows(seed, lam):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (6, rng.integers(1, 30))).astype(float)
    cleaned, loss = cpu.clean_squared_l0(X, np.zeros_like(X), lam)
    for x, row, found in zip(X, cleaned, loss, strict=True):
        largest = np.sort(x**2)[::-1]
        s = np.flatnonzero(largest > lam * (2 * np.arange(len(x)) + 1))
        s = s[-1] + 1 if len(s) else 0
        assert_allclose(found, largest[s:].sum() + lam * s * s)
        assert_array_equal(np.sort(row**2)[::-1], [*largest[s:], *np.zeros(s)])


@pytest.mark.parametrize("name", ["noise_squared_l1", "noise_squared_l0"])
@given(seed=SEEDS, dtype=DTYPES, lam=LAMBDAS)
def test_noise_agrees_and_is_what_cleaning_takes_away(name, seed, dtype, lam):
    X, W, H, _ = block(seed, dtype)
    P = W @ H
    fused, plain = (getattr(kernels, name)(X, P, lam) for kernels in (cpu, portable))
    assert_same([fused], [plain], dtype)
    guess = (np.zeros(len(X), dtype),) if name == "noise_squared_l1" else ()
    rows = getattr(portable, name.replace("noise", "clean"))(X, P, lam, *guess)[0]
    assert_same([np.where(np.isnan(X), P, X - fused)], [rows], dtype)


@given(SEEDS, DTYPES, LAMBDAS)
def test_the_papers_rule_agrees(seed, dtype, lam):
    X, W, H, Q = block(seed, dtype)
    Ep, En = Q, Q[::-1, ::-1].copy()
    for part in (Ep, En):
        part[np.isnan(X)] = 0
    plain = portable.paper_rule(X, W @ H, Ep, En, lam)
    fused = cpu.paper_rule(X, W @ H, Ep.copy(), En.copy(), lam)
    assert_same(fused, plain, dtype)


@given(SEEDS, LAMBDAS, st.floats(0, 10))
def test_threshold_does_not_depend_on_the_first_guess(seed, lam, guess):
    X, W, H, _ = block(seed, np.float64)
    P = W @ H
    cold = cpu.clean_squared_l1(X, P.copy(), lam, np.zeros(len(X)))[2]
    warm = cpu.clean_squared_l1(X, P.copy(), lam, np.full(len(X), guess))[2]
    assert_allclose(warm, cold, rtol=1e-12)


@given(SEEDS, DTYPES)
def test_a_row_is_the_same_in_any_block(seed, dtype):
    X, W, H, _ = block(seed, dtype)
    P, tau = W @ H, np.zeros(len(X), dtype)
    whole = cpu.quadratic_squared_l1(X, P, H, 0.3, tau)
    for i in range(len(X)):
        part = slice(i, i + 1)
        single = cpu.quadratic_squared_l1(X[part], P[part], H, 0.3, tau[part])
        for a, b in zip(whole, single, strict=True):
            assert_array_equal(a[i], b[0])


@given(SEEDS, LAMBDAS)
def test_step_length_is_where_the_loss_is_least(seed, lam):
    X, W, H, _ = block(seed, np.float64)
    P, target, tau = W @ H, 3 * W[::-1] @ H, np.zeros(len(X))
    steps = {k: k.step_length_squared_l1(X, P, target, lam, tau) for k in (cpu, portable)}
    assert_allclose(steps[cpu], steps[portable], atol=1e-7)

    def loss(t):
        return portable.clean_squared_l1(X, P + t[:, None] * (target - P), lam, tau)[1]

    best = loss(steps[cpu])
    for t in np.linspace(0, 1, 20):
        assert (best <= loss(np.full(len(X), t)) * (1 + 1e-9)).all()


@given(SEEDS, DTYPES, LAMBDAS, st.integers(1, 150), st.integers(0, 3))
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("by", ["a price", "limits", "bits"])
def test_a_block_is_swept_as_step_by_step(by, many, seed, dtype, lam, b, sweeps):
    rng = np.random.default_rng(seed)
    X, _, H, _ = block(seed, dtype)
    if many:
        H = rng.random((FEW_COMPONENTS + 3, X.shape[1])).astype(dtype)
    X, W = X[rng.integers(len(X), size=b)], rng.random((b, len(H))).astype(dtype)
    tau, limits = rng.random(b).astype(dtype), rng.gamma(1.0, size=X.shape).astype(dtype)
    bits = np.packbits(rng.random(X.shape) < 0.2, axis=1)

    def swept(kernels, rows):
        block = X[rows], W[rows], H, H @ H.T
        if by == "limits":
            return kernels.swept_truncated(*block, limits[rows], sweeps)
        if by == "bits":
            return kernels.swept_left_out(*block, bits[rows], sweeps)
        return kernels.swept_squared_l1(*block, lam, tau[rows], sweeps)

    fused, plain = (swept(kernels, slice(None)) for kernels in (cpu, portable))
    for a, expected in zip(fused, plain, strict=True):
        # Where components are next to dependent, sweeps make more of what rounding differs by.
        share = (1e-2 if many else 1e-3) if dtype == np.float32 else 1e-10
        assert_allclose(a, expected, rtol=0, atol=share * np.abs(expected).max())
    for i in {0, b // 2, b - 1} if not many else ():  # BLAS may round otherwise
        assert_array_equal(swept(cpu, slice(i, i + 1))[0][0], fused[0][i])


@given(SEEDS, st.integers(1, 4))
def test_sweeps_are_coordinate_descent(seed, sweeps):
    X, W, H, _ = block(seed, np.float64, missing=0)
    gram, cross = H @ H.T, X @ H.T
    expected = W
    for _ in range(sweeps):
        expected = reference.hals_sweep(expected, gram, cross)
    for kernels in (cpu, portable):
        assert_allclose(kernels.sweep_rows(W, gram, cross, sweeps), expected, atol=1e-10)


@given(SEEDS, DTYPES, st.integers(1, 150), st.sampled_from("CF"))
def test_a_row_is_swept_alike_in_any_tile_and_order(seed, dtype, b, order):
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 10)
    W, H = rng.random((b, k)).astype(dtype), rng.random((k, 12)).astype(dtype)
    gram, cross = H @ H.T, rng.random((b, k)).astype(dtype)
    whole = cpu.sweep_rows(np.asarray(W, order=order), gram, np.asarray(cross, order=order), 3)
    assert whole.flags["F_CONTIGUOUS" if order == "F" else "C_CONTIGUOUS"]
    for i in {0, b // 2, b - 1}:
        assert_array_equal(whole[i], cpu.sweep_rows(W[[i]], gram, cross[[i]], 3)[0])


def test_sweeps_take_any_memory_order_and_are_compiled_once():
    rng = np.random.default_rng(0)
    W, cross, gram = rng.random((70, 6)), rng.random((70, 6)), np.eye(6) + rng.random((6, 6))
    expected = cpu.sweep_rows(W, gram, cross, 2)
    strided = np.repeat(W, 2, axis=1)[:, ::2]
    fortran = [np.asfortranarray(A) for A in (W, cross, gram)]
    assert_array_equal(cpu.sweep_rows(strided, gram, fortran[1], 2), expected)
    assert_array_equal(cpu.sweep_rows(fortran[0], fortran[2], cross, 2), expected)
    kinds = [signature[1].dtype.name for signature in _sweep_rows.signatures]
    assert len(kinds) == len(set(kinds))


def test_sweeps_leave_dead_components_alone():
    W, gram, cross = np.ones((2, 2)), np.diag([1.0, 0.0]), np.full((2, 2), 3.0)
    for kernels in (cpu, portable):
        assert_array_equal(kernels.sweep_rows(W, gram, cross, 2), [[3, 1], [3, 1]])


@given(SEEDS)
def test_small_problems_are_solved_like_scipys_nnls(seed):
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 9)
    A = rng.standard_normal((k + 5, k)) + rng.random()
    y = rng.standard_normal(k + 5)
    expected, _ = nnls(A, y)
    Q, c = (A.T @ A)[None], (A.T @ y)[None]
    assert_allclose(cpu.solve_quadratic_rows(Q, c)[0], expected, atol=1e-8)
    assert_allclose(portable.solve_quadratic_rows(Q, c)[0], expected, atol=1e-6)


@given(SEEDS, st.booleans())
def test_a_guess_of_who_is_positive_changes_nothing_but_the_time(seed, singular):
    rng = np.random.default_rng(seed)
    k = rng.integers(1, 9)
    A = rng.standard_normal((6, 2 if singular else k + 5, k)) + rng.random()
    Q, c = A.transpose(0, 2, 1) @ A, rng.standard_normal((6, k))
    expected = cpu.solve_quadratic_rows(Q, c)
    wanted = rng.random(6) < 0.7
    for guess in (expected, np.maximum(rng.standard_normal((6, k)), 0)):
        W = cpu.solve_quadratic_rows(Q, c, guess, wanted)
        assert_array_equal(W[wanted], expected[wanted])
        assert_array_equal(W[~wanted], guess[~wanted])


@given(SEEDS, DTYPES, LAMBDAS)
# Where optima lie far apart and are as good, no row may be rounded by how many others there are.
@example(3925912, np.float32, 2.404e-06)
@example(114, np.float32, 2.404e-06)
@example(3447, np.float32, 2.404e-06)
def test_rows_are_solved_as_step_by_step(seed, dtype, lam):
    X, W, H, Q = block(seed, dtype)
    X[Q < 0.1] *= 30
    fused = [cpu.solve_squared_l1(X, H, lam, start) for start in (None, W)]
    plain = _newton(X, H, W, SquaredL1(lam), None)

    def loss(V):
        return portable.clean_squared_l1(X, V @ H, lam, np.zeros(len(X), dtype))[1]

    # Several W may be equally good; that they are good is what counts.
    slack = 0.05 if dtype == np.float32 else 1e-9
    exact = slack * 1e-6 * np.nansum(X.astype(float) ** 2, axis=1)
    for found in fused:
        assert found.dtype == dtype
        assert (found >= 0).all()
        assert (loss(found) <= loss(plain) * (1 + slack) + exact).all()
    for i in range(len(X)):
        for found, start in zip(fused, (None, W[[i]]), strict=True):
            assert_array_equal(cpu.solve_squared_l1(X[[i]], H, lam, start)[0], found[i])


@pytest.mark.parametrize("start", ["none", "some"])
def test_rows_are_solved_alike_by_portable_kernels(start):
    rng = np.random.default_rng(0)
    W, H = rng.random((5, 3)), rng.random((3, 60))
    X = W @ H * rng.lognormal(sigma=0.3, size=(5, 60))
    X[rng.random(X.shape) < 0.1] *= 20
    X[rng.random(X.shape) < 0.1] = np.nan
    begin = None if start == "none" else W
    fused, plain = (kernels.solve_squared_l1(X, H, 0.1, begin) for kernels in (cpu, portable))
    assert_allclose(fused, plain, rtol=1e-7)


@given(SEEDS)
def test_singular_problems_are_solved_too(seed):
    rng = np.random.default_rng(seed)
    A = rng.random((2, 5))
    y = A @ rng.random(5)  # so that an exact solution exists
    Q, c = (A.T @ A)[None], (A.T @ y)[None]
    (w,) = cpu.solve_quadratic_rows(Q, c)
    assert (w >= 0).all()
    assert_allclose(A @ w, y, rtol=1e-5)


def test_nothing_to_go_by_gives_zero():
    for kernels in (cpu, portable):
        for guess in (None, np.ones((1, 3))):
            w = kernels.solve_quadratic_rows(np.zeros((1, 3, 3)), np.zeros((1, 3)), guess)
            assert_array_equal(w, np.zeros((1, 3)))


@pytest.mark.parametrize("seed", range(3))
def test_portable_kernels_keep_to_the_array_api(seed):
    X, W, H, Q = block(seed, np.float64)
    xp = array_api_strict
    x, w, h, q = (xp.asarray(A) for A in (X, W, H, Q))
    tau = xp.zeros(x.shape[0], dtype=xp.float64)
    assert kernels_for(x) is portable
    for name, rest in [
        ("clean_weighted", (q, 1.0)),
        ("clean_squared_l1", (0.3, tau)),
        ("clean_squared_l0", (0.3,)),
    ]:
        strict = getattr(portable, name)(x, w @ h, *rest)
        numpy_rest = tuple(np.asarray(a) if hasattr(a, "shape") else a for a in rest)
        assert_same(
            [np.asarray(a) for a in strict],
            getattr(portable, name)(X, W @ H, *numpy_rest),
            np.float64,
        )
    *arrays, _ = portable.swept_squared_l1(x, w, h, h @ h.T, 0.3, tau, 2)
    assert all(type(A) is type(x) for A in arrays)
    known = xp.where(xp.isnan(x), xp.zeros_like(x), x)
    swept = portable.sweep_rows(w, h @ h.T, known @ h.T, 2)
    assert (np.asarray(swept) >= 0).all()


def test_inputs_are_not_written_to():
    X, W, H, _ = block(5, np.float64)
    for A in (X, W, H):
        A.flags.writeable = False
    gram, cross = H @ H.T, np.nan_to_num(X) @ H.T
    for kernels in (cpu, portable):
        kernels.clean_squared_l1(X, W @ H, 0.1, np.zeros(len(X)))
        kernels.sweep_rows(W, gram, cross, 1)
        kernels.swept_squared_l1(X, W, H, gram, 0.1, np.zeros(len(X)), 1)
        kernels.quadratic_squared_l1(X, W @ H, H, 0.1, np.zeros(len(X)))
