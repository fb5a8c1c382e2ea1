"""Faces from wherever they are: a file, a folder, a download, or scikit-image's own."""

from __future__ import annotations

import contextlib
import math
import os
import re
import socket
import sys
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.checks import check_count
from robustnmf._common.optional import import_extra

# Pictures (n, height, width) with any numbers in them, and who is on them, where known.
_Pictures = tuple[NDArray[Any], NDArray[Any] | None]

# The ORL pictures as taken. All other vectors of pixels are taken for square pictures.
_ORL_PIXELS = (112, 92)


@dataclass(frozen=True)
class Faces:
    """Pictures of faces, ready to factorize.

    Attributes
    ----------
    images : ndarray of uint8, shape (n_samples, height, width)
        The pictures, upright, 0 black to 255 white.
    subject : ndarray of int, shape (n_samples,), or None
        Who is on each picture; None where the source does not say.
    source : str
        Where the pictures come from, in words for a report.
    """

    images: NDArray[np.uint8]
    subject: NDArray[np.int64] | None
    source: str

    @property
    def data(self) -> NDArray[np.uint8]:
        """The pictures as rows, shape (n_samples, height * width)."""
        return self.images.reshape(len(self.images), -1)

    @property
    def image_shape(self) -> tuple[int, int]:
        """Height and width."""
        return self.images.shape[1], self.images.shape[2]


def load_faces(source: str | os.PathLike[str] | None = None, size: int = 32) -> Faces:
    """Load pictures of faces.

    Parameters
    ----------
    source : path, {"auto", "olivetti", "builtin"} or None, default=None
        Where to take them from:

        - a path: an ``.npz`` file with ``images`` (n, height, width) and perhaps ``subject``; a
          ``.mat`` file with ``fea`` and ``gnd``, or ``X``; a folder of ``s1/1.pgm`` to
          ``s40/10.pgm``, as the ORL faces are handed out; or a folder with one such file;
        - ``"olivetti"``: the ORL faces through scikit-learn, which downloads them once;
        - ``"builtin"``: the 100 faces that come with scikit-image, 25×25 pixels;
        - ``"auto"``: ``ROBUSTNMF_DATA``, else ``"olivetti"``, or without network ``"builtin"``;
        - None: the path in the environment variable ``ROBUSTNMF_DATA``, if it is set, else
          ``"builtin"``.
    size : int, default=32
        Height and width wanted, reached by averaging areas. Pictures are never enlarged:
        smaller ones stay as they are.

    Returns
    -------
    Faces
        The pictures as uint8, 0 to 255, whatever the source holds, with a sentence about where
        they come from.

    Examples
    --------
    >>> faces = load_faces("builtin")
    >>> faces.data.shape, faces.data.dtype
    ((100, 625), dtype('uint8'))
    >>> faces.source
    '100 faces that come with scikit-image (lfw_subset; not the ORL faces), 25x25 pixels'
    """
    size = check_count("size", size)
    if source == "auto":
        return _first_available(size)
    if source is None:
        source = os.environ.get("ROBUSTNMF_DATA") or "builtin"
    if source in _NAMED:
        read, words = _NAMED[str(source)]
        pictures, subject = read()
    else:
        path = _find(Path(source).expanduser())
        read_path = _read_folder if path.is_dir() else _READERS[path.suffix.lower()]
        pictures, subject = read_path(path)
        words = f"faces from {path.name}"
        if subject is not None and len(subject) != len(pictures):
            raise ValueError(f"{path} holds {len(pictures)} pictures but {len(subject)} subjects")
    images = _shrink(_to_grey_levels(pictures), size)
    return Faces(
        images=np.rint(images).astype(np.uint8),
        subject=None if subject is None else np.asarray(subject, dtype=np.int64).ravel(),
        source=f"{words}, {images.shape[1]}x{images.shape[2]} pixels",
    )


def _first_available(size: int) -> Faces:
    """The ORL faces if they can be had, else those that are always there."""
    if os.environ.get("ROBUSTNMF_DATA"):
        return load_faces(None, size)
    patience = socket.getdefaulttimeout()
    try:
        # Seconds. Without a limit, a network that swallows everything is waited for forever.
        socket.setdefaulttimeout(10.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of each retry
            return load_faces("olivetti", size)
    except OSError:
        faces = load_faces("builtin", size)
        return replace(faces, source=f"{faces.source}; ORL could not be downloaded")
    finally:
        socket.setdefaulttimeout(patience)


def _to_grey_levels(pictures: NDArray[Any]) -> NDArray[np.float64]:
    """Floats from 0 to 255, from either of the two usual scales."""
    levels = np.asarray(pictures, dtype=np.float64)
    if levels.ndim != 3 or levels.size == 0:
        raise ValueError(f"pictures of shape {levels.shape} found; needed: (n, height, width)")
    if np.issubdtype(pictures.dtype, np.floating) and levels.max() <= 1:
        levels = levels * 255
    if not (levels.min() >= 0 and levels.max() <= 255):
        raise ValueError(
            f"pixels from {levels.min():g} to {levels.max():g} found; needed: 0 to 255, or 0 to 1"
        )
    return levels


def _shrink(images: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    rows, columns = (_area_weights(side, min(side, size)) for side in images.shape[1:])
    return rows @ images @ columns.T


def _area_weights(old: int, new: int) -> NDArray[np.float64]:
    """Share of each old pixel in each new one: new by old, rows summing to 1."""
    edges = np.arange(new + 1) * (old / new)
    left, right = edges[:-1, None], edges[1:, None]
    pixel = np.arange(old)
    overlap = np.minimum(right, pixel + 1) - np.maximum(left, pixel)
    return np.maximum(overlap, 0.0) * (new / old)


def _find(path: Path) -> Path:
    """Tell which file of a folder is meant; a folder of pictures is meant as a whole."""
    if not path.exists():
        raise FileNotFoundError(
            f"no faces at {path}: pass source= or set ROBUSTNMF_DATA to a file or folder that "
            'exists, or pass source="olivetti" or source="builtin"'
        )
    if path.is_dir() and not any(path.glob("s*/*.pgm")):
        files = sorted(file for file in path.iterdir() if file.suffix.lower() in _READERS)
        if len(files) != 1:
            found = ", ".join(file.name for file in files) or "none"
            raise ValueError(
                f"the folder {path} must hold s1/1.pgm and so on, or one .npz or .mat file; "
                f"found: {found}"
            )
        path = files[0]
    if path.is_file() and path.suffix.lower() not in _READERS:
        raise ValueError(f"cannot read faces from {path.name}: pass .npz, .mat or a folder of .pgm")
    return path


def _read_npz(path: Path) -> _Pictures:
    if not zipfile.is_zipfile(path):
        raise ValueError(f"{path} is not an .npz file, or is cut short")
    with np.load(path, allow_pickle=False) as file:
        if "images" not in file:
            raise ValueError(f"{path.name} has no array 'images', only: {', '.join(file)}")
        return file["images"], file.get("subject")


def _read_mat(path: Path) -> _Pictures:
    from scipy.io import loadmat

    try:
        file = loadmat(path)
    except NotImplementedError as error:
        raise ValueError(f"{path.name} is of MATLAB 7.3: save it again with -v7") from error
    subject = next((file[name].ravel() for name in ("gnd", "Y", "y") if name in file), None)
    names = [name for name in file if not name.startswith("__")]
    name = next((name for name in ("fea", "X") if name in names), None)
    if name is None:
        raise ValueError(f"{path.name} has neither 'fea' nor 'X', only: {', '.join(names)}")
    rows = file[name].toarray() if hasattr(file[name], "toarray") else file[name]
    if name == "X":
        rows = _pictures_first(rows, subject)
    if rows.ndim == 3:
        return rows, subject
    shape = _picture_shape(rows.shape[1])
    if shape is None:
        raise ValueError(
            f"the {rows.shape[1]} pixels of each picture in {path.name} make no square: "
            "pass an .npz file with images (n, height, width) instead"
        )
    height, width = shape
    # MATLAB runs down the columns first, so each vector holds its picture transposed.
    return rows.reshape(len(rows), width, height).transpose(0, 2, 1), subject


def _pictures_first(X: NDArray[Any], subject: NDArray[Any] | None) -> NDArray[Any]:
    """Put the axis that counts the pictures first; nobody agrees on which one it is."""
    if subject is not None and len(subject) in X.shape:
        axis = X.shape.index(len(subject))
    elif X.ndim == 3:
        axis = 2
    else:
        # Where both numbers could be pixels, as 400 and 1024 could, the larger one is.
        pixels = [n if _picture_shape(n) else 0 for n in X.shape]
        axis = 1 if pixels[0] > pixels[1] else 0
    return np.moveaxis(X, axis, 0)


def _picture_shape(n_pixels: int) -> tuple[int, int] | None:
    if n_pixels == math.prod(_ORL_PIXELS):
        return _ORL_PIXELS
    side = math.isqrt(n_pixels)
    return (side, side) if side * side == n_pixels else None


def _read_folder(path: Path) -> _Pictures:
    def number(name: str) -> int:
        digits = re.search(r"\d+", name)
        return int(digits.group()) if digits else 0

    # By number, since by name s10 comes before s2.
    files = sorted(
        path.glob("s*/*.pgm"), key=lambda file: (number(file.parent.name), number(file.stem))
    )
    pictures = [_read_pgm(file) for file in files]
    if len({picture.shape for picture in pictures}) > 1:
        raise ValueError(f"the pictures in {path} differ in size")
    return np.stack(pictures), np.array([number(file.parent.name) for file in files])


def _read_pgm(path: Path) -> NDArray[np.float64]:
    raw = path.read_bytes()
    gap = rb"\s+(?:#[^\n]*\n\s*)*"
    header = re.match(rb"P5" + (gap + rb"(\d+)") * 3 + rb"\s", raw)
    if header is None:
        raise ValueError(f"{path} is not a binary PGM picture")
    width, height, white = (int(field) for field in header.groups())
    pixels = np.frombuffer(raw, dtype=np.uint8 if white < 256 else ">u2", offset=header.end())
    if white == 0 or pixels.size < height * width:
        raise ValueError(f"{path} is cut short: {pixels.size} of {height * width} pixels")
    return pixels[: height * width].reshape(height, width) * (255 / white)


def _read_olivetti() -> _Pictures:
    from sklearn.datasets import fetch_olivetti_faces

    try:
        # scikit-learn prints while it downloads; the standard output belongs to our caller.
        with contextlib.redirect_stdout(sys.stderr):
            bunch = fetch_olivetti_faces(shuffle=False)
    except OSError as error:
        raise OSError(
            f"the Olivetti faces could not be downloaded ({error}): pass the path of a local "
            "copy as source= or in ROBUSTNMF_DATA"
        ) from error
    return bunch.images, bunch.target + 1


def _read_builtin() -> _Pictures:
    data = import_extra("skimage.data", "image", "the built-in faces need")
    # The second hundred of lfw_subset are cut-outs of anything but faces.
    return data.lfw_subset()[:100], None


_READERS: dict[str, Callable[[Path], _Pictures]] = {
    ".npz": _read_npz,
    ".mat": _read_mat,
}
_NAMED: dict[str, tuple[Callable[[], _Pictures], str]] = {
    "olivetti": (_read_olivetti, "the ORL (Olivetti) faces, through scikit-learn"),
    "builtin": (
        _read_builtin,
        "100 faces that come with scikit-image (lfw_subset; not the ORL faces)",
    ),
}
