import numpy as np
import pytest

from robustnmf.image import denoise_image, denoise_stack
from robustnmf.metrics import detection_scores, psnr
from scenes import draw_scene


@pytest.fixture(scope="module")
def stack():
    """Twenty mixtures of three scenes that share no edge."""
    rng = np.random.default_rng(0)
    scene = draw_scene(32, 32).astype(float)
    parts = np.stack([scene, scene[::-1].T, np.roll(scene, 9, axis=1)])
    return (
        np.rint(rng.dirichlet([1, 1, 1], 20) @ parts.reshape(3, -1))
        .reshape(20, 32, 32)
        .astype(np.uint8)
    )


def test_the_stack_knows_more_than_each_picture(stack, pollute):
    dirty, wrong = pollute(stack, "random", 0.15)
    result = denoise_stack(dirty, n_components=4, random_state=0, return_details=True)
    alone = np.stack([denoise_image(picture, random_state=0) for picture in dirty[:4]])
    assert psnr(stack[:4], result.image[:4]) > psnr(stack[:4], alone) + 2
    assert detection_scores(wrong, result.mask).f1 > 0.9
    np.testing.assert_array_equal(result.image[~result.mask], dirty[~result.mask])
    np.testing.assert_array_equal(result.image + result.noise, dirty)


def test_background_and_foreground_of_a_video():
    rng = np.random.default_rng(0)
    scene = draw_scene(40, 40) / 255 * 0.6
    frames = np.stack([scene * light for light in rng.uniform(0.8, 1.2, 24)])
    moving = np.zeros(frames.shape, dtype=bool)
    for i, frame in enumerate(moving):
        frame[15:21, i + 5 : i + 11] = True
    video = np.where(moving, 1.0, frames)
    result = denoise_stack(video, n_components=1, random_state=0, return_details=True)
    assert detection_scores(moving, result.foreground > 0.1).f1 > 0.9
    assert np.abs(result.background - frames).mean() < 0.02
    # A thing that moves is no noise, but for the pixels on its edge.
    assert result.mask[moving].mean() < 0.35


def test_shape_dtype_and_channels(stack, pollute):
    colour = np.stack([stack[:6], 255 - stack[:6]], axis=-1)
    dirty, wrong = pollute(colour, "salt_pepper", 0.1)
    last = denoise_stack(dirty, channel_axis=-1, random_state=0, return_details=True)
    assert (last.image.shape, last.image.dtype) == (colour.shape, np.uint8)
    assert last.background.shape == last.foreground.shape == colour.shape
    assert detection_scores(wrong, last.mask).f1 > 0.97
    first = denoise_stack(np.moveaxis(dirty, -1, 0), channel_axis=0, random_state=0)
    np.testing.assert_array_equal(np.moveaxis(first, 0, -1), last.image)


def test_a_picture_that_is_missing_altogether(stack):
    dirty = stack[:8].astype(float)
    dirty[5] = np.nan
    dirty[:, 3, 4] = np.nan
    result = denoise_stack(dirty, random_state=0, return_details=True)
    for field in (result.image, result.background, result.foreground):
        assert np.isfinite(field).all()
    assert result.mask[5].all()


def test_missing_pixels_are_filled(stack):
    dirty = stack[:8].astype(np.float32)
    dirty[2, 10:16, 10:16] = np.nan
    result = denoise_stack(dirty, random_state=0, return_details=True)
    assert result.mask[2, 10:16, 10:16].all()
    assert np.abs(result.image - stack[:8])[2, 10:16, 10:16].mean() < 12


@pytest.mark.parametrize(
    ("stack", "options", "message"),
    [
        (np.zeros((9, 9)), {}, "pictures along the first axis"),
        (np.zeros((4, 9, 9)), {"channel_axis": -1}, "pictures along the first axis"),
        (np.zeros((4, 9, 9)), {"n_components": 0}, "n_components must be at least 1; got 0"),
        (np.zeros((4, 9, 9)), {"lam": 0}, "lam must be finite and above 0; got 0"),
        (np.full((4, 9, 9), np.nan), {}, "stack holds nothing but NaN"),
        (np.zeros((40, 30, 3), np.uint8), {}, "one colour picture: use denoise_image"),
        (np.ma.masked_all((4, 9, 9)), {}, "stack is masked all over"),
    ],
)
def test_bad_input_is_named(stack, options, message):
    with pytest.raises(ValueError, match=message):
        denoise_stack(stack, **options)


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_masked_pixels_are_missing(stack, dtype):
    """Whatever lies under the mask, even what would widen the range."""
    hidden = np.zeros(stack[:8].shape, dtype=bool)
    hidden[2, 10:16, 10:16] = True
    spoiled = np.where(hidden, 255, stack[:8]).astype(dtype)
    masked = np.ma.array(spoiled, mask=hidden)
    result = denoise_stack(masked, return_details=True)
    assert type(result.image) is np.ndarray
    assert result.image.dtype == dtype
    assert result.mask[hidden].all()
    assert np.abs(result.image.astype(float) - stack[:8])[hidden].mean() < 12
    assert not result.noise[hidden].any()
    np.testing.assert_array_equal(result.image[~result.mask], spoiled[~result.mask])
    np.testing.assert_array_equal(denoise_stack(masked), result.image)
