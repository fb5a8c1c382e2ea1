import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustnmf._image.patches import cut_patches, join_patches


def test_patches_tile_the_picture():
    picture = np.arange(48 * 32).reshape(48, 32)
    patches = cut_patches(picture, 8)
    assert patches.shape == (24, 64)
    np.testing.assert_array_equal(patches[1].reshape(8, 8), picture[:8, 8:16])
    np.testing.assert_array_equal(join_patches(patches, (48, 32), 8), picture)


@given(st.integers(3, 20), st.integers(3, 20), st.integers(1, 3), st.integers(1, 5))
def test_patches_of_any_step_cover_the_picture(height, width, side, step):
    picture = np.arange(float(height * width)).reshape(height, width)
    patches = cut_patches(picture, side, min(step, side))
    joined = join_patches(patches, picture.shape, side, min(step, side))
    np.testing.assert_allclose(joined, picture)


def test_where_patches_overlap_they_are_averaged():
    joined = join_patches(np.array([[1.0] * 4, [3.0] * 4]), (2, 3), 2, 1)
    np.testing.assert_array_equal(joined, [[1, 2, 3], [1, 2, 3]])


def test_only_chosen_patches():
    picture = np.arange(16.0).reshape(4, 4)
    patches = cut_patches(picture, 2, 2, np.array([3]))
    np.testing.assert_array_equal(patches, [[10, 11, 14, 15]])
    joined = join_patches(patches, (4, 4), 2, 2, np.array([3]))
    assert np.isnan(joined).sum() == 12
    np.testing.assert_array_equal(joined[2:, 2:], picture[2:, 2:])


def test_a_patch_larger_than_the_picture():
    with pytest.raises(ValueError, match="do not fit"):
        cut_patches(np.zeros((4, 4)), 5)
