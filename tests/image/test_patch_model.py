import numpy as np
import pytest

from robustnmf._image.detection import Region, detect
from robustnmf._image.patch_model import PatchModel, learn_patches
from scenes import draw_scene

SIDE = 4


@pytest.fixture
def region():
    """A small picture with some pixels missing, after all rounds; and the last mixture."""
    picture = draw_scene(40, 36).astype(np.float32)[None]
    known = np.random.default_rng(0).random(picture.shape) > 0.1
    found = Region(picture, known, [[]])
    return found, detect([found])[-1]


def learn(region, mixture):
    return learn_patches([region], mixture, SIDE, 5, np.random.RandomState(0))


def test_a_weight_is_learned(region):
    model = learn(*region)
    assert model.components.shape == (5, SIDE**2)
    assert 0 <= model.weight <= 1


def test_nothing_to_replace_nothing_to_learn(region):
    found, mixture = region
    found.known = np.ones_like(found.known)
    found.clear_flags()
    assert learn(found, mixture) is None


def test_nothing_is_learned_where_a_pixel_of_every_patch_is_missing():
    picture = draw_scene(SIDE, SIDE).astype(np.float32)[None]
    known = np.ones(picture.shape, dtype=bool)
    known[0, 1, 2] = False  # and there is room for one patch only
    found = Region(picture, known, [[]])
    assert learn(found, detect([found])[-1]) is None


@pytest.mark.parametrize("weight", [0.0, 0.5, 1.0])
def test_flagged_pixels_move_towards_the_patches_and_no_others_do(region, weight):
    found, mixture = region
    repaired = found.repaired(mixture, found.flagged)
    model = PatchModel(learn(found, mixture).components, SIDE, weight)
    predicted = model.predict(repaired[0], found.flagged[0])
    moved = repaired.copy()
    model.repair(moved, found.flagged)
    np.testing.assert_array_equal(moved[~found.flagged], repaired[~found.flagged])
    use = found.flagged[0] & np.isfinite(predicted)
    assert use.any()
    expected = (1 - weight) * repaired[0][use] + weight * predicted[use]
    np.testing.assert_allclose(moved[0][use], expected, rtol=1e-4, atol=1e-3)
