import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from robustnmf._datasets.corruption import KINDS
from robustnmf.datasets import corrupt

IMPULSES = [kind for kind in KINDS if kind != "occlusion"]


@st.composite
def clean_data(draw):
    shape = draw(st.tuples(st.integers(0, 5), st.integers(1, 40)))
    dtype = draw(st.sampled_from([np.uint8, np.int32, np.float32, np.float64]))
    top = 255 if np.issubdtype(dtype, np.integer) else draw(st.sampled_from([1, 255]))
    elements = (
        st.integers(0, top)
        if np.issubdtype(dtype, np.integer)
        else st.floats(0, top, width=16, allow_subnormal=False)
    )
    X = draw(hnp.arrays(dtype, shape, elements=elements))
    # Read-only, so that a write into the caller's data raises.
    X.flags.writeable = False
    return X


@settings(deadline=None)
@given(X=clean_data(), kind=st.sampled_from(IMPULSES), data=st.data())
def test_corrupt_writes_exactly_what_was_asked(X, kind, data):
    m = X.shape[1]
    amount = data.draw(st.integers(0, m) | st.floats(0, 1, exclude_max=True))
    seed = data.draw(st.integers(0, 99))
    corrupted, mask = corrupt(X, kind, amount, random_state=seed)

    wanted = amount if isinstance(amount, int) else round(amount * m)
    assert_array_equal(mask.sum(axis=1), np.full(len(X), wanted))
    assert corrupted.dtype == X.dtype
    assert corrupted.shape == mask.shape == X.shape
    assert mask.dtype == bool
    assert_array_equal(corrupted[~mask], X[~mask])
    assert (corrupted >= 0).all()

    high = 255 if np.issubdtype(X.dtype, np.integer) or X.max(initial=0) > 1 else 1
    written = corrupted[mask]
    if kind == "salt":
        assert (written == high).all()
    elif kind == "salt_pepper":
        assert np.isin(written, [0, high]).all()
    elif kind == "random":
        assert (written <= high).all()
    else:
        # Twice the range is out of reach, and integers never wrap round.
        assert (written <= 2 * high).all()

    again, same_mask = corrupt(X, kind, amount, random_state=seed)
    assert_array_equal(again, corrupted)
    assert_array_equal(same_mask, mask)


@settings(deadline=None)
@given(
    height=st.integers(1, 12),
    width=st.integers(1, 12),
    n=st.integers(1, 4),
    data=st.data(),
)
def test_occlusion_is_one_square_inside_each_picture(height, width, n, data):
    X = np.full((n, height * width), 0.5)
    side = data.draw(st.integers(0, min(height, width)))
    corrupted, mask = corrupt(X, "occlusion", side, image_shape=(height, width), random_state=0)
    assert_array_equal(corrupted, np.where(mask, 1.0, 0.5))
    for picture in mask.reshape(n, height, width):
        assert picture.sum() == side**2
        if side:
            rows, columns = np.flatnonzero(picture.any(1)), np.flatnonzero(picture.any(0))
            assert np.ptp(rows) == np.ptp(columns) == side - 1


def test_occlusion_by_share_of_the_area_and_black():
    images = np.full((50, 20, 20), 0.5)
    corrupted, mask = corrupt(images, "occlusion", 0.25, high=0, random_state=0)
    assert corrupted.shape == images.shape
    assert_array_equal(mask.sum(axis=(1, 2)), np.full(50, 100))
    assert (corrupted[mask] == 0).all()
    # Every position is possible: the first and the last row are both hit sometimes.
    assert mask[:, 0].any()
    assert mask[:, -1].any()


def test_every_entry_is_equally_likely():
    X = np.zeros((20_000, 10))
    _, mask = corrupt(X, "salt", 3, random_state=0)
    # Five standard deviations of a binomial share.
    assert_allclose(mask.mean(axis=0), 0.3, atol=5 * np.sqrt(0.3 * 0.7 / 20_000))


def test_values_are_spread_as_documented():
    X = np.full((100, 200), 100, dtype=np.uint8)
    pepper, mask = corrupt(X, "salt_pepper", 100, random_state=0)
    assert 0.45 < (pepper[mask] == 255).mean() < 0.55

    noise, mask = corrupt(X, "random", 150, low=10, high=13, random_state=0)
    values, counts = np.unique(noise[mask], return_counts=True)
    assert_array_equal(values, [10, 11, 12, 13])
    assert counts.min() > 0.9 * counts.max()


def test_spikes_go_both_ways_by_the_documented_size():
    X = np.full((50, 100), 300.0)
    spiked, mask = corrupt(X, "spikes", 40, high=200, random_state=0)
    change = (spiked - X)[mask]
    assert 100 <= np.abs(change).min() <= 105
    assert 195 <= np.abs(change).max() <= 200
    assert 0.45 < (change > 0).mean() < 0.55


def test_spikes_saturate_in_integers():
    X = np.full((20, 50), 128, dtype=np.uint8)
    spiked, mask = corrupt(X, "spikes", 25, random_state=0)
    # Each spike is at least half the range, and from the middle that is as far as it goes.
    assert_array_equal(np.unique(spiked[mask]), [0, 255])


def test_mask_also_marks_entries_that_did_not_change():
    X = np.full((3, 5), 255, dtype=np.uint8)
    corrupted, mask = corrupt(X, "salt", 2, random_state=0)
    assert_array_equal(corrupted, X)
    assert_array_equal(mask.sum(axis=1), [2, 2, 2])


@pytest.mark.parametrize(
    ("change", "error", "match"),
    [
        ({"kind": "dust"}, ValueError, "kind must be one of .*'salt_pepper'.*; got 'dust'"),
        ({"amount": 7}, ValueError, "amount must be from 0 to 6.*; got 7"),
        ({"amount": -1}, ValueError, "amount must be from 0.*; got -1"),
        ({"amount": 1.0}, ValueError, r"amount is a share .*; got 1\.0.*pass an int"),
        ({"amount": float("nan")}, ValueError, "amount is a share .*; got nan"),
        ({"amount": True}, TypeError, "amount must be a share.*; got True"),
        ({"amount": "some"}, TypeError, "amount must be a share.*; got 'some'"),
        ({"random_state": "x"}, TypeError, "random_state must be None.*; got 'x'"),
        ({"random_state": -1}, ValueError, "random_state must be None.*; got -1"),
        ({"low": 3.0, "high": 2.0}, ValueError, r"low=3\.0 and high=2\.0"),
        ({"high": float("inf")}, ValueError, "high=inf"),
        ({"low": -1.0}, ValueError, r"low=-1\.0"),
        ({"X": np.zeros((2, 6), np.uint8), "high": 256}, ValueError, "high=256 .*uint8"),
        ({"X": np.zeros((2, 6), np.uint8), "high": 0.5}, ValueError, r"high=0\.5 .*uint8"),
        ({"X": np.zeros((2, 6), np.float16), "high": 1e6}, ValueError, "high=1000000.* float16"),
        ({"X": np.full((2, 6), 1000.0)}, ValueError, "1000.*high="),
        ({"X": np.zeros(6)}, ValueError, r"\(6,\).*reshape"),
        ({"X": np.zeros((6, 0))}, ValueError, r"\(6, 0\)"),
        ({"X": np.full((2, 6), np.nan)}, ValueError, "NaN"),
        ({"X": np.full((2, 6), -1)}, ValueError, "X holds -1"),
        ({"X": np.zeros((2, 6), complex)}, TypeError, "complex"),
        ({"X": [["a", "b"]]}, TypeError, "dtype"),
        ({"X": csr_array((2, 6))}, TypeError, "toarray"),
        ({"kind": "occlusion", "amount": 1}, ValueError, "image_shape=None"),
        ({"kind": "occlusion", "amount": 1, "image_shape": (2, 2)}, ValueError, r"\(2, 2\)"),
        ({"kind": "occlusion", "amount": 1, "image_shape": (-2, -3)}, ValueError, "image_shape"),
        ({"kind": "occlusion", "amount": 3, "image_shape": (2, 3)}, ValueError, "side 3"),
    ],
)
def test_corrupt_names_what_is_wrong(change, error, match):
    with pytest.raises(error, match=match):
        corrupt(**{"X": np.zeros((2, 6)), "amount": 2, **change})
