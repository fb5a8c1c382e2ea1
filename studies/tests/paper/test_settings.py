import pytest

from robustnmf_studies.paper.settings import FULL, QUICK, TENS, points_of


def points(target, plan=FULL, **wanted):
    points = points_of(target, plan, 400)
    return [p for p in points if all(getattr(p, k) == v for k, v in wanted.items())]


def test_every_point_is_asked_for_once():
    points = points_of("all", FULL, 400)
    assert len(set(points)) == len(points)
    assert len({point.key for point in points}) == len(points)


def test_figure_2_has_the_paper_s_numbers():
    first = points("fig2", kind="faces", lam=0.04, run=3)
    assert {(p.n, p.pixels) for p in first} == {(n, 50) for n in TENS}
    for n in (50, 100):
        assert len(points("fig2", kind="faces", n=n, run=0)) == len(FULL.lams)
    assert {p.run for p in points("fig2")} == set(range(10))


def test_figure_3_has_the_paper_s_numbers():
    found = {(p.n, p.pixels) for p in points("fig3", kind="faces", run=0)}
    assert found == {(n, p) for n in (50, 100) for p in TENS} | {
        (n, p) for n in TENS for p in (50, 100)
    }


def test_figure_4_has_at_least_four_pictures():
    for plan in (FULL, QUICK):
        assert len({p.image for p in points("fig4", plan)}) >= 4


def test_all_is_everything():
    parts = {point for target in ("fig2", "fig3", "fig4") for point in points_of(target, FULL, 400)}
    assert set(points_of("all", FULL, 400)) == parts


def test_quick_points_are_points_of_the_full_run():
    # So that a full run goes on where a quick one ended.
    assert set(points_of("all", QUICK, 400)) <= set(points_of("all", FULL, 400))


def test_no_more_faces_than_there_are():
    assert max(p.n for p in points_of("fig3", FULL, 60)) == 60


def test_first_run_comes_first():
    runs = [point.run for point in points_of("all", FULL, 400)]
    assert runs == sorted(runs)


@pytest.mark.parametrize("point", points_of("all", QUICK, 400), ids=lambda p: p.key)
def test_costs_are_known(point):
    assert point.cost > 0
