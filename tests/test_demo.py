import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest

from robustnmf._demo import check_out, run_demo


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def result(tmp_path_factory, steps):
    out = tmp_path_factory.mktemp("demo") / "demo.png"
    return run_demo(out, progress=lambda what, share: steps.append((what, share)))


def test_table_makes_the_point(result):
    plain, robust, refitted, auto = result.rows
    names = ["plain NMF", "RobustNMF", "RobustNMF+WNMF", 'RobustNMF, lam="auto"']
    assert [row.method for row in result.rows] == names
    assert plain.precision is plain.recall is plain.error_restored is None
    assert min(auto.precision, auto.recall) > 0.95
    assert auto.error_restored < 0.5 * min(robust.error_restored, refitted.error_restored)
    for row in (robust, refitted, auto):
        assert row.precision > 0.65
        assert row.recall > 0.75
        assert row.error < 0.85 * plain.error
        # Keeping what is clean beats both the noisy faces and any product of factors.
        assert row.error_restored < 0.3 * result.error_corrupted
        assert row.error_restored < 0.6 * row.error
    assert all(0 < row.seconds < 60 for row in result.rows)


def test_picture_is_fit_to_print(result):
    picture = matplotlib.image.imread(result.picture)
    assert picture.shape[1] == 1600
    assert result.picture.stat().st_size < 500_000
    # No text runs off the edge.
    edge = np.concatenate([picture[:, :5], picture[:, -5:]], axis=1)
    assert edge[..., :3].min() > 0.99
    # Seven rows of ten pictures: much ink, and colour only where noise is drawn.
    assert (picture[..., :3].min(axis=2) < 0.9).mean() > 0.4
    assert 0.001 < (np.ptp(picture[..., :3], axis=2) > 0.2).mean() < 0.05


def test_nothing_but_the_picture_is_left(result):
    assert list(result.picture.parent.iterdir()) == [result.picture]


def test_progress_rises_to_the_end(result, steps):
    shares = [share for _, share in steps]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == 1
    assert "fitting RobustNMF" in dict(steps)


def test_settings_say_what_was_done(result):
    assert result.settings["amount"] == 50
    assert result.settings["lam"] == 1 / 50
    assert "scikit-image" in result.settings["faces"]


def test_faces_named_by_the_environment_are_not_used(monkeypatch, tmp_path):
    # The demo's figures are comparable only if everybody has the same faces.
    monkeypatch.setenv("ROBUSTNMF_DATA", str(tmp_path / "nowhere"))
    result = run_demo(tmp_path / "demo.svg", n_components=3)
    assert "scikit-image" in result.settings["faces"]
    assert (tmp_path / "demo.svg").read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("out", "error", "match"),
    [
        ("picture.doc", ValueError, r"picture\.doc.*\.png"),
        ("picture", ValueError, "picture"),
        ("nowhere/picture.png", FileNotFoundError, "nowhere.*create"),
        ("folder.png", IsADirectoryError, "folder"),
    ],
)
def test_bad_names_are_told_before_the_work(tmp_path, monkeypatch, out, error, match):
    (tmp_path / "folder.png").mkdir()
    monkeypatch.setattr("robustnmf._demo.load_faces", lambda *args: pytest.fail("began to work"))
    with pytest.raises(error, match=match):
        run_demo(tmp_path / out)


def test_missing_matplotlib_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"robustnmf\[plot\]"):
        check_out(Path("picture.png"))
