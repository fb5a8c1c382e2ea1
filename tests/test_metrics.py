import math

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy import sparse
from skimage.metrics import peak_signal_noise_ratio
from sklearn.metrics import precision_recall_fscore_support

from robustnmf.metrics import detection_scores, msre, psnr

MASKS = hnp.arrays(bool, st.shared(hnp.array_shapes(min_dims=2, max_dims=2), key="shape"))
KINDS = [np.asarray, sparse.csr_array, sparse.csc_matrix, sparse.coo_array]


@settings(deadline=None)
@given(true=MASKS, found=MASKS, kinds=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)))
def test_detection_scores_agree_with_scikit_learn(true, found, kinds):
    scores = detection_scores(kinds[0](true), kinds[1](found))
    expected = precision_recall_fscore_support(
        true.ravel(), found.ravel(), average="binary", zero_division=1.0
    )
    assert_allclose([scores.precision, scores.recall], expected[:2])
    # Where one mask is empty and the other is not, scikit-learn lets zero_division decide.
    if true.any() == found.any():
        assert_allclose(scores.f1, expected[2])
    else:
        assert scores.f1 == 0
    assert all(type(score) is float for score in scores)


def test_detection_scores_of_empty_masks():
    none, some = np.zeros((2, 3)), np.eye(2, 3)
    assert detection_scores(none, none) == (1.0, 1.0, 1.0)
    assert detection_scores(some, none) == (1.0, 0.0, 0.0)
    assert detection_scores(none, some) == (0.0, 1.0, 0.0)


def test_detection_scores_of_noise_with_stored_zeros():
    noise = sparse.csr_array(np.array([[-3.0, 5.0, 0.0]]))
    noise.data[1] = 0.0
    assert noise.nnz == 2
    assert detection_scores([[True, False, False]], noise) == (1.0, 1.0, 1.0)


def test_detection_scores_of_tiny_noise():
    noise = sparse.csr_array(np.array([[1e-200, 0.0]]))
    assert detection_scores(noise, noise) == (1.0, 1.0, 1.0)


def test_detection_scores_of_other_shapes():
    with pytest.raises(ValueError, match=r"\(2, 3\).*\(3, 2\)"):
        detection_scores(np.ones((2, 3)), np.ones((3, 2)))


def test_msre_is_the_papers_formula():
    rng = np.random.default_rng(0)
    clean, other = rng.random((7, 5)), rng.random((7, 5))
    assert_allclose(msre(clean, other), np.linalg.norm(clean - other, "fro") ** 2 / 7)
    assert_allclose(msre(clean.reshape(7, 5, 1), other.reshape(7, 5, 1)), msre(clean, other))


def test_msre_of_bytes_does_not_wrap():
    clean, other = np.array([[0, 255]], np.uint8), np.array([[255, 0]], np.uint8)
    assert msre(clean, other) == 2 * 255**2


@pytest.mark.parametrize("dtype", [np.uint8, np.float64])
def test_psnr_agrees_with_scikit_image(dtype):
    rng = np.random.default_rng(0)
    clean, other = rng.integers(0, 256, (2, 20, 20)).astype(dtype)
    assert_allclose(psnr(clean, other), peak_signal_noise_ratio(clean, other, data_range=255))
    clean, other = clean / 255, other / 255
    assert_allclose(psnr(clean, other), peak_signal_noise_ratio(clean, other, data_range=1))
    assert_allclose(
        psnr(clean, other, data_range=7), peak_signal_noise_ratio(clean, other, data_range=7)
    )


def test_psnr_of_equal_pictures_is_infinite():
    assert psnr(np.ones((3, 3)), np.ones((3, 3))) == math.inf


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: msre(np.ones((2, 3)), np.ones((3, 2))), r"\(2, 3\).*reconstruction \(3, 2\)"),
        (lambda: msre(np.ones(3), np.ones(3)), "reshape"),
        (lambda: msre(np.ones((0, 3)), np.ones((0, 3))), r"\(0, 3\)"),
        (lambda: msre(np.full((2, 3), np.nan), np.ones((2, 3))), "clean holds NaN"),
        (lambda: msre(np.ones((2, 3)), np.full((2, 3), np.inf)), "reconstruction holds NaN or inf"),
        (lambda: psnr(np.ones((0, 3)), np.ones((0, 3))), "empty"),
        (
            lambda: psnr(np.ones((2, 3)), np.zeros((2, 3)), data_range=0),
            "data_range must .*; got 0",
        ),
        (lambda: psnr(np.full((2, 3), 999), np.zeros((2, 3))), "999.*data_range="),
    ],
)
def test_bad_input_is_named(call, match):
    with pytest.raises(ValueError, match=match):
        call()
