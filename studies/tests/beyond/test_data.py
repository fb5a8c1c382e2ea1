import numpy as np
import pytest

from robustnmf_studies.beyond.data import draw, foreign_rows, load_sets, low_rank, make_problem
from robustnmf_studies.beyond.settings import CORRUPTIONS, Case


@pytest.fixture(scope="module")
def sets():
    return load_sets("builtin")


def test_built_in_faces_stand_in_for_orl(sets):
    assert sets.faces == "lfw"
    assert "not the ORL faces" in sets.source
    assert set(sets.pictures) == {"lfw", "digits"}


def test_faces_of_a_file_are_the_main_ones(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 256, (12, 32, 32)).astype(np.uint8)
    np.savez(tmp_path / "faces.npz", images=pictures)
    sets = load_sets(tmp_path / "faces.npz")
    assert sets.faces == "orl"
    assert np.array_equal(sets.pictures["orl"], pictures)


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_only_entries_that_changed_count_as_corrupt(sets, corruption):
    problem = make_problem(sets, Case("detect", "digits", 0, 50, corruption, 0.2), 0)
    assert problem.mask.any()
    assert np.array_equal(problem.mask, problem.clean != problem.X)
    # Digits are full of zeros, so that pepper often changes nothing.
    assert problem.mask.mean() <= 0.26
    assert problem.X.min() >= 0


def test_nothing_is_wrong_without_corruption(sets):
    problem = make_problem(sets, Case("detect", "lfw", 0, 20), 0)
    assert not problem.mask.any()
    assert np.array_equal(problem.X, problem.clean)


def test_same_seed_same_problem_and_runs_differ(sets):
    case = Case("detect", "lfw", 0, 20, "spikes", 0.1)
    first, again = make_problem(sets, case, 0), make_problem(sets, case, 0)
    assert np.array_equal(first.X, again.X)
    other = make_problem(sets, Case("detect", "lfw", 1, 20, "spikes", 0.1), 0)
    assert not np.array_equal(first.clean, other.clean)
    assert (first.seed, other.seed) == (0, 1)


def test_more_samples_include_the_fewer(sets):
    few, many = (draw(sets, Case("detect", "lfw", 0, n), 0)[0] for n in (10, 30))
    assert np.array_equal(few, many[:10])


def test_synthetic_data_has_its_rank():
    values = np.linalg.svd(low_rank(np.random.default_rng(0), 80, 5), compute_uv=False)
    assert values[4] > 5 * values[5]


def test_foreign_rows_are_no_faces(sets):
    faces = sets.pictures["lfw"][:10]
    rng = np.random.default_rng(0)
    scrambled = foreign_rows("scrambled", faces, 3, rng)
    assert scrambled.shape == (3, faces[0].size)
    known = {tuple(np.sort(face.ravel())) for face in faces}
    assert all(tuple(np.sort(row)) in known for row in scrambled)
    assert not any((row == face.ravel()).all() for row in scrambled for face in faces)
    pieces = foreign_rows("camera", faces, 3, rng)
    assert pieces.shape == (3, faces[0].size)
    assert len(np.unique(pieces, axis=0)) == 3
