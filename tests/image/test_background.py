"""What the pictures of a stack have in common, and how it is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from robustnmf._engines import threads
from robustnmf._image import background as module
from robustnmf._image import stack as stack_module
from robustnmf._image.areas import AREAS, solid_squares
from robustnmf._image.background import BACKGROUND, BackgroundLearner, robust_columns
from robustnmf._image.grey_levels import GreyScale
from robustnmf._image.pictures import Flags, Pictures
from robustnmf.image import denoise_stack
from robustnmf.metrics import detection_scores, psnr
from scenes import draw_scene


@st.composite
def columns(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, k = draw(st.integers(6, 20)), draw(st.integers(1, 4))
    W = rng.random((n, k)).astype(np.float32)
    X = (W @ (100 * rng.random((k, 5)))).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = 255
    weights = rng.choice(np.float32([0, 0.02, 1, 1, 1]), X.shape)
    return X, W, weights


@given(columns())
@settings(max_examples=40, deadline=None)
def test_columns_agree_with_their_slow_twin(problem):
    X, W, weights = problem
    found = robust_columns(X, W, weights, 20.0)
    assert (np.isnan(found).all(axis=0) == ~weights.any(axis=0)).all()
    for j in np.flatnonzero(weights.any(axis=0)):
        slow = reference.robust_column(
            X[:, j], W, weights[:, j], 20.0, BACKGROUND.n_passes, BACKGROUND.ridge
        )
        # Where components are nearly alike their shares are not determined, but the sum is.
        seen = weights[:, j] > 0
        np.testing.assert_allclose((W @ found[:, j])[seen], (W @ slow)[seen], atol=1.5)
    assert not (found < 0).any()


def made_up(n=40, side=24):
    rng = np.random.default_rng(1)
    scene = draw_scene(side, side).astype(float)
    parts = np.stack([scene, scene[::-1].T, np.roll(scene, 9, axis=1)]).reshape(3, -1)
    mixed = rng.dirichlet([1, 1, 1], n) @ parts
    return np.rint(mixed).reshape(n, side, side).astype(np.uint8)


def test_some_of_the_pixels_tell_the_rest(monkeypatch):
    stack = made_up()
    pictures = Pictures(stack, GreyScale.estimate(stack))
    hidden = np.random.default_rng(0).random(stack.shape) < 0.2
    spoiled = Pictures(np.where(hidden, np.uint8(255), stack), pictures.greys)
    for n_columns in (10**6, 200):
        constants = module.BackgroundSettings(n_columns=n_columns, entries=1000)
        monkeypatch.setattr(module, "BACKGROUND", constants)
        found = BackgroundLearner(pictures, 3, None, 0).learn(spoiled, Flags.of(pictures, hidden))
        assert np.abs(found.of(range(len(stack))) - stack).mean() < 2


def test_what_is_hidden_in_all_pictures_is_not_known_or_guessed():
    stack = made_up()
    pictures = Pictures(stack, GreyScale.estimate(stack))
    learner = BackgroundLearner(pictures, 3, None, 0)
    hidden = np.zeros(stack.shape, dtype=bool)
    hidden[:, 3, 4] = hidden[7] = True
    unknown = np.isnan(learner.learn(pictures, Flags.of(pictures, hidden)).of(range(40)))
    np.testing.assert_array_equal(unknown, hidden)
    guessed = learner.learn(pictures, Flags.of(pictures, hidden), 0.02).of(range(40))
    assert np.abs(guessed - stack).mean() < 2


@pytest.mark.parametrize("channels", [1, 2])
def test_flags_come_back(channels):
    rng = np.random.default_rng(0)
    stack = np.zeros((3 * channels, 5, 7), np.uint8)
    mask = rng.random(stack.shape) < 0.5
    pictures = Pictures(stack, GreyScale.estimate(stack), channels)
    assert pictures.planes_of([0, 2]).tolist() == [
        *range(channels),
        *range(2 * channels, 3 * channels),
    ]
    flags = Flags(pictures)
    flags.put([0, 2], mask[pictures.planes_of([0, 2])])
    rows = mask.reshape(3, -1)
    rows[1] = False
    pixels = rng.permutation(pictures.n_pixels)[:11]
    np.testing.assert_array_equal(flags.at(pixels), rows[:, pixels])
    np.testing.assert_array_equal(Flags.of(pictures, rows).at(pixels), rows[:, pixels])


@given(st.integers(0, 10**6), st.integers(4, 12))
@settings(max_examples=30, deadline=None)
def test_squares_of_one_value_agree_with_their_slow_twin(seed, side):
    rng = np.random.default_rng(seed)
    plane = rng.integers(0, 3, (side, 9)).astype(np.float32)
    plane[1:6, 2:8] = 1
    plane[rng.random(plane.shape) < 0.03] = np.nan
    for square in (2, AREAS.side):
        slow = reference.solid_squares(plane, square)
        np.testing.assert_array_equal(solid_squares(plane, square), slow)


@pytest.fixture
def small_parts(monkeypatch):
    """Learn from two pictures, and look at three at a time."""
    constants = stack_module.StackSettings(learned_from=2 * 24 * 24, at_once=3 * 24 * 24)
    monkeypatch.setattr(stack_module, "STACK", constants)


@pytest.mark.parametrize("kind", ["salt_pepper", "random"])
def test_some_pictures_teach_the_others(small_parts, pollute, kind):
    stack = made_up()
    dirty, wrong = pollute(stack, kind, 0.1)
    result = denoise_stack(dirty, n_components=3, return_details=True)
    assert detection_scores(wrong, result.mask).f1 > 0.9
    assert psnr(stack, result.image) > psnr(stack, dirty) + 15
    np.testing.assert_array_equal(result.image[~result.mask], dirty[~result.mask])
    again = denoise_stack(dirty, n_components=3)
    np.testing.assert_array_equal(again, result.image)


def test_the_number_of_threads_does_not_matter(small_parts, pollute, monkeypatch):
    dirty, _ = pollute(made_up(), "random", 0.1)
    alone = denoise_stack(dirty, return_details=True)
    monkeypatch.setattr(threads, "thread_count", lambda: 3)
    together = denoise_stack(dirty, return_details=True)
    for field in ("image", "mask", "background", "foreground"):
        np.testing.assert_array_equal(getattr(together, field), getattr(alone, field))


def test_gaps_are_filled_where_nothing_is_reliable(small_parts):
    """Noise that nobody can predict stays, but for what is missing."""
    noise = np.random.default_rng(0).integers(0, 256, (12, 24, 24)).astype(np.float32)
    noise[9, 4:9, 4:9] = np.nan
    result = denoise_stack(noise, return_details=True)
    missing = np.isnan(noise)
    assert np.isfinite(result.image).all()
    np.testing.assert_array_equal(result.image[~result.mask], noise[~result.mask])
    assert result.mask[missing].all()
    assert result.mask[~missing].mean() < 0.01
