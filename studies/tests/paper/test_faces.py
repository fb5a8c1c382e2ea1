import numpy as np
import pytest

from robustnmf.datasets import load_faces
from robustnmf_studies.paper.compute import compute, make_problem
from robustnmf_studies.paper.settings import Point, Settings

SETTINGS = Settings(iterations=20, max_iter=30)


@pytest.fixture(scope="module")
def images():
    return load_faces("builtin").images


def tables_of(images, point):
    return compute(point, None, images, SETTINGS)


def test_each_face_has_exactly_the_pixels_asked_for(images):
    problem = make_problem(images, Point("faces", 0, 12, 30), SETTINGS)
    assert problem.X.shape == (12, 625)
    assert (problem.mask.sum(axis=1) == 30).all()
    assert (problem.X[problem.mask] == 255).all()
    np.testing.assert_array_equal(problem.X[~problem.mask], problem.clean[~problem.mask])


def test_more_faces_include_the_fewer_and_lam_changes_nothing(images):
    few = make_problem(images, Point("faces", 3, 10, 30), SETTINGS)
    many = make_problem(images, Point("faces", 3, 20, 30), SETTINGS)
    np.testing.assert_array_equal(few.clean, many.clean[:10])
    other = make_problem(images, Point("faces", 3, 10, 30, 0.1), SETTINGS)
    np.testing.assert_array_equal(few.X, other.X)
    another_run = make_problem(images, Point("faces", 4, 10, 30), SETTINGS)
    assert (few.clean != another_run.clean).any()


def test_compare_runs_everything_at_the_paper_s_lam(images):
    tables = tables_of(images, Point("faces", 0, 12, 30))
    found = {(row["method"], row["mode"]) for row in tables["faces"]}
    both = {(m, mode) for m in ("nmf", "robust", "refit") for mode in ("paper", "optimum")}
    references = {(m, "reference") for m in ("oracle", "pcp", "median")}
    assert found == both | references | {("keep", "optimum")}
    for row in tables["faces"]:
        assert row["msre"] > 0
        assert 0 <= row["recall"] <= 1
    # The oracle knows more than all others, so nothing that factorizes restores better.
    error = {(row["method"], row["mode"]): row["msre"] for row in tables["faces"]}
    assert error["oracle", "reference"] < error["nmf", "optimum"]
    assert {row["method"] for row in tables["shrinkage"]} <= {"robust", "refit"}


def test_only_robust_nmf_runs_at_another_lam(images):
    tables = tables_of(images, Point("faces", 0, 12, 30, 0.1))
    assert {row["method"] for row in tables["faces"]} == {"robust", "keep"}
    assert {row["lam"] for row in tables["faces"]} == {0.1}


def test_the_same_point_gives_the_same_numbers(images):
    def numbers():
        rows = tables_of(images, Point("portion", 0, 12, 30, 0.02))["portion"]
        return [{k: v for k, v in row.items() if k != "seconds"} for row in rows]

    assert numbers() == numbers()


def test_other_ranks_are_other_ranks(images):
    few, many = (tables_of(images, Point("rank", 0, 30, 20, k=k))["ranks"] for k in (3, 12))
    assert [row["method"] for row in few] == ["nmf", "robust", "refit"]
    assert {row["k"] for row in many} == {12}
    assert few[0]["msre"] != many[0]["msre"]


def test_thresholds_cover_nmf_and_pca_and_their_errors(images):
    tables = tables_of(images, Point("curves", 0, 12, 30))
    assert {row["method"] for row in tables["curves"]} == {"nmf", "pca", "oracle"}
    assert all(row["msre_polluted"] > row["msre_clean"] for row in tables["sensitivity"])
