"""Things that cover part of a picture, found by what the other pictures of the stack show."""

import os
from pathlib import Path

import numpy as np
import pytest

from robustnmf._image.areas import constant_areas
from robustnmf._image.background import BackgroundLearner
from robustnmf._image.occlusions import find_occlusions
from robustnmf.datasets import corrupt
from robustnmf.image import denoise_stack
from robustnmf.metrics import detection_scores
from scenes import draw_scene
from stacks import pictures_of


def orl():
    file = os.environ.get("ROBUSTNMF_DATA") or (
        Path(__file__).parents[3] / "shared" / "data" / "orl_32x32.npz"
    )
    if not Path(file).is_file():
        pytest.skip("the ORL faces are not at hand")
    return np.load(file)["images"].reshape(-1, 32, 32)[::4].astype(np.uint8)


def lfw():
    from skimage.data import lfw_subset

    return np.round(255 * lfw_subset()[:100]).astype(np.uint8)


def digits():
    from sklearn.datasets import load_digits

    return np.round(load_digits().images[:300] * 255 / 16).astype(np.uint8)


def scenes():
    """Mixtures of three scenes that share no edge."""
    rng = np.random.default_rng(0)
    scene = draw_scene(32, 32).astype(float)
    parts = np.stack([scene, scene[::-1].T, np.roll(scene, 9, axis=1)]).reshape(3, -1)
    mixed = rng.dirichlet([1, 1, 1], 30) @ parts
    return np.rint(mixed).reshape(30, 32, 32).astype(np.uint8)


STACKS = {
    "ORL faces": orl,
    "ten ORL faces": lambda: orl()[:10],
    "LFW faces": lfw,
    "forty LFW faces": lambda: lfw()[:40],
    "scenes": scenes,
    "digits": digits,
}


def occlusions(stack):
    pictures = pictures_of(stack, data_range=255)
    covered = find_occlusions(pictures, BackgroundLearner(pictures, 10, None, 0))
    return np.zeros(stack.shape, dtype=bool) if covered is None else covered.of(range(len(stack)))


@pytest.mark.parametrize("name", STACKS)
@pytest.mark.parametrize("high", [255, 0])
def test_a_square_over_a_fifth_of_each_picture(name, high, record_property):
    """Black on digits is what is there anyway; nothing is claimed of it."""
    if (name, high) == ("digits", 0):
        pytest.skip("digits are black for the most part")
    dirty, wrong = corrupt(STACKS[name](), "occlusion", 0.2, high=high, random_state=0)
    f1 = detection_scores(wrong, occlusions(dirty)).f1
    record_property("f1", f1)
    print(f"{name}, {'white' if high else 'black'}: F1 {f1:.3f}")
    assert f1 >= 0.97


@pytest.mark.parametrize("name", STACKS)
def test_nothing_is_occluded_in_clean_stacks(name):
    assert occlusions(STACKS[name]()).mean() < 0.001


@pytest.mark.parametrize("kind", ["salt", "salt_pepper", "random"])
def test_scattered_noise_is_no_occlusion(kind):
    dirty, _ = corrupt(lfw(), kind, 0.3, random_state=0)
    assert not occlusions(dirty).any()


def test_pictures_with_nothing_in_common_tell_nothing():
    """Black and white areas that are so by nature, in pictures of different things."""
    from skimage.data import lfw_subset

    others = np.round(255 * lfw_subset()[100:]).astype(np.uint8)
    assert sum(len(constant_areas(others[i], others[i] >= 0, i)) for i in range(len(others))) > 50
    assert occlusions(others).mean() < 0.001


def test_what_is_occluded_is_restored():
    clean = scenes()
    dirty, wrong = corrupt(clean, "occlusion", 0.2, high=255, random_state=0)
    result = denoise_stack(dirty, return_details=True)
    assert detection_scores(wrong, result.mask).f1 > 0.97
    before, after = (np.abs(A.astype(float) - clean).mean() for A in (dirty, result.image))
    assert after < 0.3 * before
    np.testing.assert_array_equal(result.image[~result.mask], dirty[~result.mask])


def test_a_thing_that_moves_is_no_occlusion():
    frames = scenes().astype(float)
    for i, frame in enumerate(frames):
        frame[10:16, i % 26 : i % 26 + 6] = 255
    assert not occlusions(frames).any()


def test_an_area_at_one_place_in_all_pictures_is_part_of_them():
    stack = scenes()
    stack[:, 5:12, 5:12] = 255
    assert not occlusions(stack).any()


def test_areas_are_solid_and_compact():
    plane = np.arange(400.0).reshape(1, 20, 20) % 251
    plane[0, 2:5, 2:9] = 255  # too thin
    plane[0, 8:13, 2:7] = 255
    plane[0, 8:12, 10:14] = 7  # beside it, of another value
    ragged = np.zeros((20, 20), dtype=bool)
    ragged[15:19, 2:18] = ragged[2:19, 14:18] = True
    plane[0][ragged] = 3
    found = constant_areas(plane[0], np.ones(plane[0].shape, dtype=bool), 0)
    assert [(area.value, area.inside.shape) for area in found] == [(7.0, (4, 4)), (255.0, (5, 5))]
    unknown = np.ones(plane.shape, dtype=bool)
    unknown[0, 10, 4] = False
    assert [a.value for a in constant_areas(plane[0], unknown[0], 0)] == [7.0]
    assert constant_areas(plane[0, :3], unknown[0, :3], 0) == []
