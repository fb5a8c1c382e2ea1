from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from robustnmf._image import neighbours
from robustnmf._image.neighbours import (
    CONTRASTS,
    PREDICTION,
    initial_coefficients,
    predict,
    whole_equations,
)

AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]


def naive(plane, weight, others, prior, radius=5, ridge=20.0):
    """The same by solving every window's normal equations one by one, without contrasts."""
    prior = np.concatenate([prior[:7] @ CONTRASTS, prior[7:]])
    height, width = plane.shape

    def ring(picture):
        wide = np.pad(picture, 1, mode="symmetric")
        shifts = [wide[1 + i : 1 + i + height, 1 + j : 1 + j + width] for i, j in AROUND]
        return np.stack(shifts, axis=-1)

    around = ring(plane)
    mean = around.mean(axis=-1)
    N = np.concatenate(
        [around - mean[..., None]] + [(o - ring(o).mean(axis=-1))[..., None] for o in others],
        axis=-1,
    )
    t = plane - mean
    out = np.empty_like(plane)
    for i in range(height):
        for j in range(width):
            rows = slice(max(0, i - radius), i + radius + 1)
            columns = slice(max(0, j - radius), j + radius + 1)
            x = N[rows, columns].reshape(-1, N.shape[-1])
            y, q = t[rows, columns].ravel(), weight[rows, columns].copy()
            q[i - rows.start, j - columns.start] = 0
            q = q.ravel() / len(y)
            A = (q[:, None] * x).T @ x + ridge * np.eye(x.shape[1])
            b = (q[:, None] * x).T @ y + ridge * prior
            out[i, j] = mean[i, j] + N[i, j] @ np.linalg.solve(A, b)
    return out


@pytest.fixture
def pictures():
    rng = np.random.default_rng(0)
    smooth = np.cumsum(np.cumsum(rng.normal(size=(2, 23, 19)), axis=1), axis=2)
    return (smooth * 4 + 120).astype(np.float32), rng.random((2, 23, 19)).astype(np.float32)


@pytest.mark.parametrize("n_linked", [0, 1])
@pytest.mark.parametrize("guided", [False, True])
@pytest.mark.parametrize(("band", "side"), [(96, 384), (7, 6)])
def test_agrees_with_its_slow_twin(pictures, n_linked, guided, band, side, monkeypatch):
    monkeypatch.setattr(neighbours, "PREDICTION", replace(PREDICTION, band=band, side=side))
    planes, weights = pictures
    links = [[1][:n_linked], [0][:n_linked]]
    guides = planes[::-1] * np.float32(0.5) + planes.mean() if guided else None
    prior = initial_coefficients(n_linked + guided) + 0.05
    found = predict(planes, weights, links, prior, guides)
    for i in range(2):
        others = [planes[other] for other in links[i]] + ([guides[i]] if guided else [])
        slow = naive(
            planes[i].astype(float),
            weights[i].astype(float),
            [other.astype(float) for other in others],
            prior,
        )
        np.testing.assert_allclose(found[i], slow, atol=2e-2)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 1000))
def test_only_wanted_pixels_are_predicted(height, width, seed):
    rng = np.random.default_rng(seed)
    planes = rng.integers(0, 256, (2, height, width)).astype(np.float32)
    weights = rng.random(planes.shape).astype(np.float32)
    wanted = rng.random(planes.shape) < rng.random()
    links, prior = [[1], [0]], initial_coefficients(1)
    some = predict(planes, weights, links, prior, wanted=wanted)
    everywhere = predict(planes, weights, links, prior)
    np.testing.assert_allclose(some[wanted], everywhere[wanted], atol=1e-3)
    np.testing.assert_array_equal(some[~wanted], planes[~wanted])


def test_a_pixel_does_not_speak_for_itself(pictures):
    planes, weights = pictures
    prior = initial_coefficients(0)

    def predicted(planes, weights):
        return predict(planes, weights, [[]], prior)[0]

    before = predicted(planes[:1], weights[:1])
    changed = planes[:1].copy()
    changed[0, 11, 9] += 100
    after = predicted(changed, weights[:1])
    # Only through the coefficients, as a neighbour of its neighbours.
    assert abs(after[11, 9] - before[11, 9]) < 15
    assert abs(after[11, 10] - before[11, 10]) > 1
    apart = np.zeros_like(weights[:1])
    apart[0, 11, 9] = 1
    alone = [predicted(p, apart)[11, 9] for p in (planes[:1], changed)]
    assert alone[0] == pytest.approx(alone[1], abs=1e-3)


def test_contrasts_are_orthogonal_to_the_mean_and_to_each_other():
    np.testing.assert_allclose(CONTRASTS @ CONTRASTS.T, np.eye(7), atol=1e-12)
    np.testing.assert_allclose(CONTRASTS.sum(axis=1), 0, atol=1e-12)


def regressors(plane):
    """What predicts each pixel of a picture, and the pixel; less the mean around it."""
    wide = np.pad(plane.astype(float), 1, mode="symmetric")
    height, width = plane.shape
    around = np.stack([wide[1 + i :, 1 + j :][:height, :width] for i, j in AROUND], axis=-1)
    mean = around.mean(axis=-1)
    return around @ CONTRASTS.T, plane - mean


@pytest.mark.parametrize("guided", [False, True])
def test_whole_equations_are_those_of_some_rows_of_the_pictures(pictures, guided):
    planes, weights = pictures
    guides = planes[::-1] * np.float32(0.5) if guided else None
    found = whole_equations(planes, weights, [[1], [0]], guides)
    some = slice(None, None, PREDICTION.counted)
    products, target = 0, 0
    for plane, other in [(0, 1), (1, 0)]:
        N, own = regressors(planes[plane])
        linked = [planes[other]] + ([guides[plane]] if guided else [])
        X = np.concatenate([N, *(regressors(one)[1][..., None] for one in linked)], axis=-1)[some]
        # They weigh as much as those of all rows would.
        q = weights[plane][some] * (len(planes[0]) / len(X))
        products = products + np.einsum("ij,ijk,ijl->kl", q, X, X)
        target = target + np.einsum("ij,ijk,ij->k", q, X, own[some])
    np.testing.assert_allclose(found.products, products, rtol=1e-5, atol=1e-2)
    np.testing.assert_allclose(found.target, target, rtol=1e-5, atol=1e-2)
