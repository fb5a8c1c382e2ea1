"""What auto costs."""

from dataclasses import replace

from robustnmf_studies.bench import auto


def test_auto(tiny, run_all):
    rows = run_all("auto", tiny)
    assert set(rows) == {"penalty", "penalty-worst"}
    middle, worst = rows.values()
    assert middle.details == worst.details
    assert all(0 < a <= b for a, b in zip(middle.values, worst.values, strict=True))
    assert not worst.exact  # not the faces that the target is set for
    assert "25 faces, salt & pepper 30%" in worst.details


def test_auto_rank(tiny, run_all):
    row = run_all("auto-rank", tiny)["rank"]
    assert len(row.values) == tiny.repeat
    assert min(row.values) > 0


def test_no_more_faces_than_there_are(tiny):
    sets = auto._face_sets(replace(tiny, auto_faces=(25, 400, 500)), (("clean", 0.0),))
    assert [faces.n for faces in sets] == [25, 100]
