from dataclasses import replace

import numpy as np
import pytest

from robustnmf._image import neighbours
from robustnmf._image.neighbours import PREDICTION, initial_coefficients, predict

AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]


def naive(plane, weight, others, prior, radius=5, ridge=20.0):
    """The same by solving every window's normal equations one by one."""
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
@pytest.mark.parametrize("band", [64, 7])
def test_agrees_with_its_slow_twin(pictures, n_linked, band, monkeypatch):
    monkeypatch.setattr(neighbours, "PREDICTION", replace(PREDICTION, band=band))
    planes, weights = pictures
    linked = [[planes[1]][:n_linked], [planes[0]][:n_linked]]
    prior = initial_coefficients(n_linked) + 0.05
    for i, found in enumerate(predict(planes, weights, linked, prior)):
        slow = naive(
            planes[i].astype(float),
            weights[i].astype(float),
            [other.astype(float) for other in linked[i]],
            prior,
        )
        np.testing.assert_allclose(found.values, slow, atol=2e-2)


def test_a_pixel_does_not_speak_for_itself(pictures):
    planes, weights = pictures
    prior = initial_coefficients(0)
    before = predict(planes[:1], weights[:1], [[]], prior)[0].values
    changed = planes[:1].copy()
    changed[0, 11, 9] += 100
    after = predict(changed, weights[:1], [[]], prior)[0].values
    # Only through the coefficients, as a neighbour of its neighbours.
    assert abs(after[11, 9] - before[11, 9]) < 15
    assert abs(after[11, 10] - before[11, 10]) > 1
    apart = np.zeros_like(weights[:1])
    apart[0, 11, 9] = 1
    alone = [predict(p, apart, [[]], prior)[0].values[11, 9] for p in (planes[:1], changed)]
    assert alone[0] == pytest.approx(alone[1], abs=1e-3)


def test_the_sums_are_those_of_the_whole_picture(pictures):
    planes, weights = pictures
    found = predict(planes[:1], weights[:1], [[]], initial_coefficients(0))[0]
    N, mean = neighbours._regressors(planes[0], [])
    rows, target = N.reshape(-1, 8).astype(float), (planes[0] - mean).ravel()
    q = weights[0].ravel()
    np.testing.assert_allclose(found.products, (q[:, None] * rows).T @ rows, rtol=1e-4, atol=1e-2)
    np.testing.assert_allclose(found.target, (q[:, None] * rows).T @ target, rtol=1e-4, atol=1e-2)
