"""What the pictures of a stack have in common, and how it is kept."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from robustnmf._engines import kept, threads
from robustnmf._image import background as module
from robustnmf._image import judge as judge_module
from robustnmf._image.areas import AREAS, solid_squares
from robustnmf._image.background import BACKGROUND, BackgroundLearner, robust_columns
from robustnmf._image.pictures import Flags
from robustnmf.image import denoise_stack
from robustnmf.metrics import detection_scores, psnr
from scenes import draw_scene
from stacks import pictures_of


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


def flags_of(pictures, mask):
    flags = Flags(pictures)
    flags.put(range(len(pictures)), mask)
    return flags


def test_some_of_the_pixels_tell_the_rest(monkeypatch):
    stack = made_up()
    pictures = pictures_of(stack)
    hidden = np.random.default_rng(0).random(stack.shape) < 0.2
    spoiled = np.where(hidden, np.uint8(255), stack).reshape(len(stack), -1)
    for n_columns in (10**6, 200):
        constants = module.BackgroundSettings(n_columns=n_columns, entries=1000)
        monkeypatch.setattr(module, "BACKGROUND", constants)
        learner = BackgroundLearner(pictures, 3, None, 0)
        found = learner.learn(pictures, spoiled, flags_of(pictures, hidden))
        assert np.abs(found.of(range(len(stack))) - stack).mean() < 2


def test_what_is_hidden_in_all_pictures_is_not_known_or_guessed():
    stack = made_up()
    pictures = pictures_of(stack)
    rows = pictures.by_pixels()
    learner = BackgroundLearner(pictures, 3, None, 0)
    hidden = np.zeros(stack.shape, dtype=bool)
    hidden[:, 3, 4] = hidden[7] = True
    flags = flags_of(pictures, hidden)
    unknown = np.isnan(learner.learn(pictures, rows, flags).of(range(40)))
    np.testing.assert_array_equal(unknown, hidden)
    guessed = learner.learn(pictures, rows, flags, 0.02).of(range(40))
    assert np.abs(guessed - stack).mean() < 2


@pytest.mark.parametrize("in_files", [False, True])
@pytest.mark.parametrize("channels", [1, 2])
def test_flags_come_back(channels, in_files, monkeypatch):
    monkeypatch.setattr(kept, "IN_MEMORY", 1)
    rng = np.random.default_rng(0)
    mask = rng.random((5, channels, 5, 7)) < 0.5
    pictures = pictures_of(np.zeros(mask.shape, np.uint8), room=kept.room if in_files else np.zeros)
    flags = Flags(pictures)
    some = [0, 2, 3]
    flags.put(some, mask[some])
    np.testing.assert_array_equal(flags.of(some), mask[some].reshape(-1, 5, 7))
    rows = mask.reshape(5, -1)
    rows[[1, 4]] = False
    pixels = rng.permutation(pictures.n_pixels)[:11]
    np.testing.assert_array_equal(flags.at(pixels), rows[:, pixels])
    for first in range(0, pictures.n_pixels, 6):
        part = slice(first, min(first + 10, pictures.n_pixels))
        np.testing.assert_array_equal(flags.of_pixels(part), rows[:, part])


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
    constants = judge_module.StackSettings(learned_from=2 * 24 * 24, at_once=3 * 24 * 24)
    monkeypatch.setattr(judge_module, "STACK", constants)


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
