from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import ndimage

from robustnmf._image import denoise as module
from robustnmf._image.tiles import TILING
from robustnmf.image import denoise_image
from robustnmf.metrics import detection_scores, psnr
from scenes import draw_scene

DTYPES = ("uint8", "uint16", "int16", "int32", "float32", "float64")


@pytest.mark.parametrize(
    ("kind", "amount", "least"),
    [("salt_pepper", 0.05, 0.97), ("salt_pepper", 0.3, 0.97), ("random", 0.1, 0.85)],
)
def test_impulses_are_found_and_replaced(scene, pollute, kind, amount, least):
    dirty, wrong = pollute(scene, kind, amount)
    result = denoise_image(dirty, random_state=0, return_details=True)
    assert detection_scores(wrong, result.mask).f1 > least
    median = ndimage.median_filter(dirty, 3)
    assert psnr(scene, result.image) > psnr(scene, median) + 3
    # Only what was found is replaced: all else stays bit for bit.
    np.testing.assert_array_equal(result.image[~result.mask], dirty[~result.mask])
    np.testing.assert_array_equal(result.noise != 0, result.image != dirty)
    np.testing.assert_array_equal(result.image + result.noise, dirty)


def test_a_clean_picture_stays_as_it_is(scene):
    result = denoise_image(scene, random_state=0, return_details=True)
    assert result.mask.mean() <= 0.003
    np.testing.assert_array_equal(result.image[~result.mask], scene[~result.mask])


def test_saturated_areas_are_not_noise(scene, pollute):
    bright = np.clip(scene.astype(int) * 2 - 100, 0, 255).astype(np.uint8)
    saturated = ndimage.binary_erosion((bright == 255) | (bright == 0), iterations=2)
    assert saturated.sum() > 100
    dirty, _ = pollute(bright, "salt_pepper", 0.1)
    mask = denoise_image(dirty, random_state=0, return_details=True).mask
    assert mask[saturated & (dirty == bright)].mean() < 0.01


def test_same_seed_same_picture_and_nothing_is_written_to(scene, pollute):
    dirty, _ = pollute(scene, "random", 0.2)
    before = dirty.copy()
    dirty.flags.writeable = False
    first, second = (denoise_image(dirty, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(dirty, before)


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(DTYPES),
    st.sampled_from([((12, 17), None), ((9, 8, 3), -1), ((2, 10, 9), None), ((5, 11, 8), 0)]),
    st.floats(0.01, 1e4),
    st.floats(-100, 100),
)
@example("int16", ((5, 11, 8), 0), 8859.0, 1.0)  # too few patches to learn from
def test_dtype_shape_and_range_are_kept(dtype, shape_axis, scale, offset):
    shape, axis = shape_axis
    rng = np.random.default_rng(0)
    image = rng.random(shape).cumsum(axis=-1) * scale + offset
    if np.dtype(dtype).kind in "ui":
        limits = np.iinfo(dtype)
        image = np.clip(image, limits.min, limits.max)
    image = image.astype(dtype)
    result = denoise_image(image, channel_axis=axis, random_state=0, return_details=True)
    assert (result.image.shape, result.image.dtype) == (image.shape, image.dtype)
    assert (result.mask.shape, result.noise.shape) == (image.shape, image.shape)
    np.testing.assert_array_equal(result.image[~result.mask], image[~result.mask])
    assert image.min() <= result.image.min()
    assert result.image.max() <= image.max()


def test_the_unit_does_not_matter(scene, pollute):
    dirty, wrong = pollute(scene, "salt_pepper", 0.1)
    whole = denoise_image(dirty.astype(float), random_state=0, return_details=True)
    small = denoise_image(dirty / 1024 - 0.5, random_state=0, return_details=True)
    np.testing.assert_array_equal(whole.mask, small.mask)
    assert detection_scores(wrong, small.mask).f1 > 0.97


def test_hot_pixels_do_not_hide_in_white(scene):
    clean = scene.astype(np.uint16) * 16
    hot = np.random.default_rng(0).random(clean.shape) < 0.03
    dirty = np.where(hot, 65535, clean).astype(np.uint16)
    result = denoise_image(dirty, random_state=0, return_details=True)
    assert (result.mask & hot).sum() == hot.sum()
    assert result.image.max() <= clean.max()


def test_missing_pixels_are_filled(scene):
    dirty = scene.astype(float)
    dirty[20:26, 30:36] = np.nan
    dirty[::13, ::7] = np.nan
    missing = np.isnan(dirty)
    result = denoise_image(dirty, random_state=0, return_details=True)
    assert np.isfinite(result.image).all()
    assert result.mask[missing].all()
    assert (result.noise[missing] == 0).all()
    assert np.abs(result.image - scene)[missing].mean() < 4


def test_a_hole_larger_than_patches_is_filled(scene):
    dirty = scene.astype(float)
    dirty[30:60, 30:60] = np.nan
    restored = denoise_image(dirty, random_state=0)
    assert np.abs(restored - scene)[30:60, 30:60].mean() < 40


def test_colours_help_each_other(scene, pollute):
    scene = scene[:64, :64]
    colour = np.stack([scene, 255 - scene, scene // 2 + 40], axis=-1)
    dirty, wrong = pollute(colour, "random", 0.2)
    joint = denoise_image(dirty, channel_axis=-1, random_state=0, return_details=True)
    apart = np.stack([denoise_image(dirty[..., c], random_state=0) for c in range(3)], axis=-1)
    assert psnr(colour, joint.image) > psnr(colour, apart) + 0.5
    assert detection_scores(wrong, joint.mask).f1 > 0.93
    first = denoise_image(np.moveaxis(dirty, -1, 0), channel_axis=0, random_state=0)
    np.testing.assert_array_equal(np.moveaxis(first, 0, -1), joint.image)


def test_bands_of_a_cube_help_each_other(scene, pollute):
    light = np.linspace(0.4, 1, 8)
    cube = np.rint(scene[:48, :48, None] * light).astype(np.uint8)
    dirty, wrong = pollute(cube, "salt_pepper", 0.1)
    result = denoise_image(dirty, channel_axis=2, random_state=0, return_details=True)
    assert detection_scores(wrong, result.mask).f1 > 0.97
    alone = denoise_image(dirty[..., 3], random_state=0)
    assert psnr(cube[..., 3], result.image[..., 3]) > psnr(cube[..., 3], alone)


@pytest.mark.parametrize("value", [0, 255, 128])
def test_dead_lines_are_found(scene, value):
    dirty = scene.copy()
    wrong = np.zeros(scene.shape, dtype=bool)
    for line in (np.s_[30], np.s_[60:62], np.s_[:, 41]):
        dirty[line] = value
        wrong[line] = True
    wrong &= np.abs(dirty.astype(int) - scene) > 20
    result = denoise_image(dirty, random_state=0, return_details=True)
    if value != 128:
        assert detection_scores(wrong, result.mask).recall > 0.95
    assert psnr(scene, result.image) > psnr(scene, dirty) + 5


def test_tiles_leave_no_seams(pollute, monkeypatch):
    clean = draw_scene(120, 130)
    dirty, wrong = pollute(clean, "random", 0.15)
    whole = denoise_image(dirty, random_state=0, return_details=True)
    monkeypatch.setattr(module, "TILING", replace(TILING, largest_whole=1, side=70))
    tiled = denoise_image(dirty, random_state=0, return_details=True)
    assert (whole.mask != tiled.mask).mean() < 0.002
    assert abs(psnr(clean, whole.image) - psnr(clean, tiled.image)) < 0.4
    # No more goes wrong along the seams than elsewhere.
    seam = np.zeros(clean.shape, dtype=bool)
    seam[56:64] = seam[:, 61:69] = True
    missed = wrong != tiled.mask
    assert missed[seam].mean() < 2 * missed[~seam].mean() + 0.01


def test_large_pictures_learn_from_some_tiles(pollute, monkeypatch):
    clean = draw_scene(120, 160)
    dirty, wrong = pollute(clean, "salt_pepper", 0.1)
    tiling = replace(TILING, largest_whole=1, side=64, n_samples=2, sample_side=64)
    monkeypatch.setattr(module, "TILING", tiling)
    told = []
    result = denoise_image(dirty, random_state=0, return_details=True, progress=told.append)
    assert detection_scores(wrong, result.mask).f1 > 0.97
    assert told == sorted(told)
    assert told[-1] == 1


def test_paper_mode_is_smooth_and_finds_noise(scene, pollute):
    dirty, wrong = pollute(scene, "salt_pepper", 0.05)
    result = denoise_image(dirty, mode="paper", random_state=0, return_details=True)
    assert (result.image != dirty).mean() > 0.5
    assert psnr(scene, result.image) > psnr(scene, dirty) + 3
    assert detection_scores(wrong, result.mask).f1 > 0.5


def test_paper_mode_fills_missing_pixels(scene):
    dirty = scene / 255
    dirty[40:43, 40:43] = np.nan
    result = denoise_image(dirty, mode="paper", random_state=0, return_details=True)
    assert np.isfinite(result.image).all()
    assert result.mask[40:43, 40:43].all()


@pytest.mark.parametrize(
    ("image", "options", "message"),
    [
        (np.zeros(5), {}, "rows and columns"),
        (np.zeros((0, 5)), {}, "rows and columns"),
        (np.zeros((1, 1)), {}, "1x1 pixels, smaller than a patch"),
        (np.zeros((5, 50), np.uint8), {}, "patch_size=5"),
        (np.full((9, 9), np.nan), {}, "nothing but NaN"),
        (np.full((9, 9), np.inf), {}, "infinity"),
        (np.zeros((9, 9)), {"mode": "magic"}, "mode must be one of 'restore', 'paper'; got"),
        (np.zeros((9, 9)), {"patch_size": 1}, "patch_size must be at least 2; got 1"),
        (np.zeros((9, 9)), {"n_components": 0}, "n_components must be at least 1; got 0"),
        (np.zeros((9, 9)), {"data_range": -1}, "data_range must be finite and above 0; got -1"),
        (np.zeros((9, 9)), {"channel_axis": -1}, "no channels"),
        (np.zeros((9, 9, 3)), {"channel_axis": 5}, "channel_axis=5 is no axis"),
        (np.zeros((40, 30, 3), np.uint8), {}, "colour picture: pass channel_axis=-1"),
        (np.zeros((40, 30, 4)), {"patch_size": 2}, "colour picture: pass channel_axis=-1"),
        (np.ma.masked_all((9, 9)), {}, "image is masked all over"),
    ],
)
def test_bad_input_is_named(image, options, message):
    with pytest.raises(ValueError, match=message):
        denoise_image(image, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 2.5}, "n_components must be a whole number of at least 1; got 2.5"),
        ({"patch_size": True}, "patch_size must be a whole number of at least 2; got True"),
        ({"data_range": "8 bit"}, "data_range must be a number above 0; got '8 bit'"),
    ],
)
def test_arguments_of_the_wrong_type(options, message):
    with pytest.raises(TypeError, match=message):
        denoise_image(np.zeros((9, 9)), **options)


def test_a_seed_that_cannot_be_one():
    with pytest.raises(ValueError, match=r"random_state must be None, a whole number .* got 'x'"):
        denoise_image(np.zeros((9, 9)), random_state="x")


@pytest.mark.parametrize("dtype", [bool, complex, "U1", object])
def test_bad_kinds_of_numbers(dtype):
    with pytest.raises(TypeError, match="image"):
        denoise_image(np.ones((9, 9)).astype(dtype))


@pytest.mark.parametrize("value", [0, 7, 255])
def test_a_picture_of_one_value(value):
    flat = np.full((20, 20), value, dtype=np.uint8)
    np.testing.assert_array_equal(denoise_image(flat, random_state=0), flat)
    dirty = flat.copy()
    dirty[4, 4] = 100
    np.testing.assert_array_equal(denoise_image(dirty, random_state=0), flat)


def test_the_same_picture_twice_without_a_seed(scene, pollute):
    """Large and dirty enough that patches are drawn and parts are learned."""
    dirty, _ = pollute(scene, "random", 0.3)
    np.testing.assert_array_equal(denoise_image(dirty), denoise_image(dirty))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
@pytest.mark.parametrize("mode", ["restore", "paper"])
def test_masked_pixels_are_missing(scene, dtype, mode):
    hidden = np.random.default_rng(0).random(scene.shape) < 0.2
    picture = scene.astype(dtype)
    masked = np.ma.array(np.where(hidden, 255, picture).astype(dtype), mask=hidden)
    result = denoise_image(masked, mode=mode, return_details=True)
    assert type(result.image) is np.ndarray
    assert result.image.dtype == dtype
    assert result.mask[hidden].all()
    assert not result.noise[hidden].any()
    gaps = np.where(hidden, np.nan, picture.astype(float))
    expected = denoise_image(gaps, mode=mode, data_range=255 if dtype == np.uint8 else None)
    error, others = (np.abs(A.astype(float) - scene)[hidden] for A in (result.image, expected))
    assert error.mean() < others.mean() + 1
    if mode == "restore":
        np.testing.assert_array_equal(result.image[~result.mask], picture[~result.mask])


def test_an_empty_mask_is_no_mask(scene):
    masked = np.ma.array(scene, mask=False)
    np.testing.assert_array_equal(denoise_image(masked), denoise_image(scene))
