"""Pictures that cannot be predicted, and clean ones, are left as they are."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

from robustnmf.datasets import corrupt
from robustnmf.image import denoise_image, denoise_stack


def strokes():
    return np.round(load_digits().images[:40] * 255 / 16).astype(np.uint8)


def photograph(name):
    import skimage.data

    return getattr(skimage.data, name)()[100:228, 100:228]


def faces():
    from skimage.data import lfw_subset

    return np.round(255 * lfw_subset()[:40]).astype(np.uint8)


def crops():
    """Pictures that show nothing in common."""
    corners = np.random.default_rng(0).integers(0, 80, (12, 2))
    return np.stack([photograph("camera")[a : a + 40, b : b + 40] for a, b in corners])


CLEAN = {
    "noise": lambda: np.random.default_rng(0).integers(0, 256, (20, 32, 32)).astype(np.uint8),
    "strokes": strokes,
    "faces": faces,
    "nothing in common": crops,
    "three frames": lambda: faces()[:3],
}


@pytest.mark.parametrize("name", CLEAN)
def test_clean_stacks_stay(name):
    stack = CLEAN[name]()
    assert (denoise_stack(stack) != stack).mean() < 0.001


@pytest.mark.parametrize("name", ["camera", "moon", "page", "grass", "gravel", "brick", "coins"])
def test_clean_photographs_stay(name):
    picture = photograph(name) if name != "page" else photograph("page")[:80]
    assert (denoise_image(picture) != picture).mean() < 0.001


def test_pure_noise_stays():
    noise = np.random.default_rng(0).integers(0, 256, (64, 64)).astype(np.uint8)
    np.testing.assert_array_equal(denoise_image(noise), noise)
    spoiled = noise.astype(float)
    spoiled[20, 30] = np.nan  # a gap is filled all the same
    restored = denoise_image(spoiled)
    assert np.isfinite(restored).all()
    np.testing.assert_array_equal(np.delete(restored, 20, 0), np.delete(noise, 20, 0))


@pytest.mark.parametrize("kind", ["salt", "salt_pepper", "random"])
@pytest.mark.parametrize("few", [3, 12])
def test_few_frames_or_nothing_in_common_make_nothing_worse(kind, few):
    clean = crops()[:few]
    dirty, _ = corrupt(clean, kind, 0.1, high=255, random_state=0)
    before, after = (np.abs(A - clean.astype(float)).mean() for A in (dirty, denoise_stack(dirty)))
    assert after < 0.35 * before


def test_strokes_with_noise_are_not_made_worse():
    clean = strokes()
    dirty, _ = corrupt(clean, "salt", 0.1, high=255, random_state=0)
    before, after = (np.abs(A - clean.astype(float)).mean() for A in (dirty, denoise_stack(dirty)))
    assert after <= before


def test_half_of_the_pixels_black_or_white_is_believed():
    clean = faces()
    dirty, _ = corrupt(clean, "salt_pepper", 0.5, high=255, random_state=0)
    before, after = (np.abs(A - clean.astype(float)).mean() for A in (dirty, denoise_stack(dirty)))
    assert after < 0.2 * before


@pytest.mark.parametrize(
    ("name", "kind"), [("hubble_deep_field", "salt_pepper"), ("page", "random")]
)
def test_what_stands_out_little_is_believed_where_predictions_are_good(name, kind):
    """Pepper on a black sky, any value on a page of text."""
    clean = photograph(name)[:80]
    clean = clean if clean.ndim == 2 else clean[..., 1]
    dirty, _ = corrupt(clean[None], kind, 0.15, high=255, random_state=0)
    before, after = (np.abs(A - clean.astype(float)).mean() for A in (dirty, denoise_image(dirty)))
    assert after < 0.35 * before


def test_thin_strokes_of_two_values_stay():
    """Most pixels have the values that are flagged, so these prove nothing."""
    rng = np.random.default_rng(0)
    strokes = np.where(rng.random((64, 64)) < 0.45, 255, 0).astype(np.uint8)
    assert (denoise_image(strokes) != strokes).mean() < 0.001
