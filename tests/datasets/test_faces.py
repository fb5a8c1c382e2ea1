import os
import socket
import sys
import warnings
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.io import savemat

from robustnmf.datasets import load_faces


@pytest.fixture
def pictures():
    """Pictures whose every transposition and reordering shows."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (12, 32, 32), dtype=np.uint8)


@pytest.fixture
def subject():
    return np.repeat([1, 2, 10], 4)


def columns_first(pictures):
    """Each picture as MATLAB writes it into a vector."""
    return np.stack([picture.ravel(order="F") for picture in pictures])


def write_pgm(path, picture, comment=b""):
    height, width = picture.shape
    header = b"P5\n" + comment + b"%d %d\n255\n" % (width, height)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + picture.tobytes())


def test_npz(tmp_path, pictures, subject):
    np.savez(tmp_path / "faces.npz", images=pictures, subject=subject)
    faces = load_faces(tmp_path / "faces.npz")
    assert_array_equal(faces.images, pictures)
    assert_array_equal(faces.data, pictures.reshape(12, -1))
    assert_array_equal(faces.subject, subject)
    assert faces.image_shape == (32, 32)
    assert faces.data.dtype == np.uint8
    assert faces.source == "faces from faces.npz, 32x32 pixels"


def test_npz_without_subject_and_in_floats(tmp_path, pictures):
    np.savez(tmp_path / "faces.npz", images=(pictures / 255).astype(np.float32))
    faces = load_faces(str(tmp_path / "faces.npz"))
    assert_array_equal(faces.images, pictures)
    assert faces.subject is None


@pytest.mark.parametrize("as_float", [False, True])
def test_mat_with_fea_and_gnd(tmp_path, pictures, subject, as_float):
    fea = columns_first(pictures).astype(float if as_float else np.uint8)
    savemat(tmp_path / "ORL.mat", {"fea": fea, "gnd": subject[:, None]})
    faces = load_faces(tmp_path / "ORL.mat")
    assert_array_equal(faces.images, pictures)
    assert_array_equal(faces.subject, subject)
    assert faces.data.dtype == np.uint8


@pytest.mark.parametrize("with_labels", [False, True])
@pytest.mark.parametrize("layout", ["rows", "columns", "stack"])
def test_mat_with_X(tmp_path, pictures, subject, layout, with_labels):
    X = {
        "rows": columns_first(pictures),
        "columns": columns_first(pictures).T,
        "stack": pictures.transpose(1, 2, 0),
    }[layout]
    savemat(tmp_path / "faces.mat", {"X": X} | ({"Y": subject} if with_labels else {}))
    assert_array_equal(load_faces(tmp_path / "faces.mat").images, pictures)


def test_mat_where_both_numbers_could_be_pixels(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 256, (400, 32, 32), dtype=np.uint8)
    for name, X in {"a": columns_first(pictures), "b": columns_first(pictures).T}.items():
        savemat(tmp_path / f"{name}.mat", {"X": X})
        assert_array_equal(load_faces(tmp_path / f"{name}.mat").images, pictures)


def test_mat_in_the_size_the_pictures_were_taken(tmp_path):
    pictures = np.random.default_rng(0).integers(0, 256, (3, 112, 92), dtype=np.uint8)
    savemat(tmp_path / "orl.mat", {"fea": columns_first(pictures)})
    assert_array_equal(load_faces(tmp_path / "orl.mat", size=112).images, pictures)


def test_folder_is_read_in_the_order_of_the_numbers(tmp_path, pictures, subject):
    for i, picture in enumerate(pictures):
        # Ten is the number that goes wrong when files are sorted by name.
        comment = b"# made by hand\n" if i == 0 else b""
        write_pgm(tmp_path / "orl.v1" / f"s{subject[i]}" / f"{7 + i % 4}.pgm", picture, comment)
    faces = load_faces(tmp_path / "orl.v1")
    assert_array_equal(faces.images, pictures)
    assert_array_equal(faces.subject, subject)


def test_pictures_are_averaged_by_area(tmp_path):
    picture = np.random.default_rng(0).integers(0, 256, (112, 92), dtype=np.uint8)
    write_pgm(tmp_path / "s1" / "1.pgm", picture)
    small = load_faces(tmp_path, size=32).images[0]
    # The naive twin: make every pixel of the old grid 32 by 32 equal ones, then take blocks.
    fine = np.kron(picture, np.ones((32, 32)))
    blocks = fine.reshape(32, 112, 32, 92).mean(axis=(1, 3))
    assert small.shape == (32, 32)
    assert np.abs(small - blocks).max() <= 0.5 + 1e-9


def test_pictures_are_never_enlarged(tmp_path, pictures):
    np.savez(tmp_path / "faces.npz", images=pictures)
    assert load_faces(tmp_path / "faces.npz", size=64).image_shape == (32, 32)


def test_environment_names_a_file_or_a_folder(tmp_path, pictures, monkeypatch):
    np.savez(tmp_path / "faces.npz", images=pictures)
    for path in (tmp_path, tmp_path / "faces.npz"):
        monkeypatch.setenv("ROBUSTNMF_DATA", str(path))
        assert_array_equal(load_faces().images, pictures)
    # An explicit source comes first.
    assert load_faces("builtin").image_shape == (25, 25)


def test_builtin_faces_when_nothing_is_there(monkeypatch):
    monkeypatch.delenv("ROBUSTNMF_DATA", raising=False)
    faces = load_faces()
    assert faces.images.shape == (100, 25, 25)
    assert faces.images.dtype == np.uint8
    assert faces.images.max() == 255
    assert faces.subject is None
    assert "scikit-image" in faces.source
    assert "not the ORL faces" in faces.source


def test_builtin_faces_without_scikit_image(monkeypatch):
    monkeypatch.setitem(sys.modules, "skimage.data", None)
    monkeypatch.setitem(sys.modules, "skimage", None)
    with pytest.raises(ImportError, match=r"built-in faces need .*robustnmf\[image\]"):
        load_faces("builtin")


def test_olivetti_is_averaged_and_scaled(monkeypatch, capsys):
    rng = np.random.default_rng(0)
    levels = rng.integers(0, 256, (4, 64, 64))

    class Bunch:
        images = (levels / 255).astype(np.float32)
        target = np.array([0, 0, 1, 1])

    def fetch(shuffle):
        assert shuffle is False
        print("downloading")
        return Bunch

    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", fetch)
    faces = load_faces("olivetti")
    expected = levels.reshape(4, 32, 2, 32, 2).mean(axis=(2, 4))
    assert np.abs(faces.images - expected).max() <= 0.5 + 1e-4
    assert_array_equal(faces.subject, [1, 1, 2, 2])
    assert "Olivetti" in faces.source
    # The standard output is for results.
    assert capsys.readouterr().out == ""


def test_olivetti_without_network(monkeypatch):
    def fetch(shuffle):
        raise URLError("no route")

    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", fetch)
    with pytest.raises(OSError, match=r"could not be downloaded.*no route.*ROBUSTNMF_DATA"):
        load_faces("olivetti")


def test_auto_takes_what_the_environment_names(monkeypatch, tmp_path, pictures):
    np.savez(tmp_path / "mine.npz", images=pictures)
    monkeypatch.setenv("ROBUSTNMF_DATA", str(tmp_path / "mine.npz"))
    assert_array_equal(load_faces("auto").images, pictures)


def test_auto_without_network_says_what_it_took_instead(monkeypatch):
    def fetch(shuffle):
        assert socket.getdefaulttimeout() is not None
        warnings.warn("Retry downloading", stacklevel=1)
        raise URLError("no route")

    monkeypatch.delenv("ROBUSTNMF_DATA", raising=False)
    monkeypatch.setattr("sklearn.datasets.fetch_olivetti_faces", fetch)
    patience = socket.getdefaulttimeout()
    faces = load_faces("auto")
    assert faces.data.shape == (100, 625)
    assert "not the ORL faces" in faces.source
    assert "could not be downloaded" in faces.source
    assert socket.getdefaulttimeout() == patience


def orl_file():
    named = os.environ.get("ROBUSTNMF_DATA")
    beside = Path(__file__).parents[3] / "shared" / "data" / "orl_32x32.npz"
    return Path(named) if named else beside


@pytest.mark.skipif(not orl_file().exists(), reason="the ORL faces are not here")
def test_orl_itself():
    faces = load_faces(orl_file())
    if len(faces.images) != 400:
        pytest.skip("ROBUSTNMF_DATA names other faces")
    assert faces.data.shape == (400, 1024)
    assert faces.data.dtype == np.uint8
    assert_array_equal(np.bincount(faces.subject)[1:], np.full(40, 10))
    # Upright: a face is nearly its own mirror image from left to right, not from top to bottom.
    mean = faces.images.mean(axis=0)
    assert np.abs(mean - mean[:, ::-1]).mean() < 0.5 * np.abs(mean - mean[::-1]).mean()


@pytest.mark.parametrize(
    ("write", "match"),
    [
        (lambda path: None, "no faces at"),
        (lambda path: path.mkdir(), "must hold s1/1.pgm.*found: none"),
        (lambda path: path.write_text("hello"), "not an .npz file"),
        (lambda path: np.savez(path, photos=np.zeros((2, 4, 4))), "no array 'images'.*photos"),
        (lambda path: np.savez(path, images=np.zeros((2, 16))), r"\(2, 16\)"),
        (lambda path: np.savez(path, images=np.full((2, 4, 4), 300)), "300 found"),
        (lambda path: np.savez(path, images=np.full((2, 4, 4), -1)), "from -1"),
        (lambda path: np.savez(path, images=np.full((2, 4, 4), np.nan)), "nan"),
        (
            lambda path: np.savez(path, images=np.zeros((2, 4, 4)), subject=[1, 2, 3]),
            "2 pictures but 3",
        ),
    ],
)
def test_bad_files_are_named(tmp_path, write, match):
    path = tmp_path / "faces.npz"
    write(path)
    with pytest.raises((ValueError, OSError), match=match):
        load_faces(path)


def test_other_bad_files(tmp_path, pictures):
    (tmp_path / "faces.csv").write_text("1,2")
    with pytest.raises(ValueError, match=r"faces\.csv.*\.npz"):
        load_faces(tmp_path / "faces.csv")

    savemat(tmp_path / "a.mat", {"data": pictures})
    with pytest.raises(ValueError, match=r"neither 'fea' nor 'X'.*data"):
        load_faces(tmp_path / "a.mat")
    savemat(tmp_path / "b.mat", {"fea": np.zeros((2, 15))})
    with pytest.raises(ValueError, match="15 pixels"):
        load_faces(tmp_path / "b.mat")
    with pytest.raises(ValueError, match=r"found: a\.mat, b\.mat"):
        load_faces(tmp_path)

    write_pgm(tmp_path / "cut" / "s1" / "1.pgm", pictures[0])
    file = tmp_path / "cut" / "s1" / "1.pgm"
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(ValueError, match="cut short: 1014 of 1024"):
        load_faces(tmp_path / "cut")
    file.write_bytes(b"P2\n1 1\n255\n7")
    with pytest.raises(ValueError, match="not a binary PGM"):
        load_faces(tmp_path / "cut")
    write_pgm(file, pictures[0])
    write_pgm(tmp_path / "cut" / "s1" / "2.pgm", pictures[0, :5])
    with pytest.raises(ValueError, match="differ in size"):
        load_faces(tmp_path / "cut")


@pytest.mark.parametrize("size", [0, -3, 2.5, True])
def test_bad_size(size):
    with pytest.raises((TypeError, ValueError), match=f"size must be .*; got {size}"):
        load_faces("builtin", size=size)
