"""The data sets, and problems drawn from them: each run has its own samples and its own noise."""

from __future__ import annotations

import os
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits

from robustnmf.datasets import corrupt, load_faces
from robustnmf_studies.beyond.settings import CORRUPTIONS, DIGITS, FOREIGN, LFW, NONE, ORL, Case
from robustnmf_studies.common.photographs import load_picture
from robustnmf_studies.common.problem import SIDE, Array, Problem

# Synthetic data: features, and how large its small noise is, as a share of the spread.
_FEATURES = 100
_GRAIN = 0.02
# Foreign pictures are cut from a photograph of this side.
_PHOTOGRAPH = 256


class Sets(NamedTuple):
    """The data at hand."""

    # By name, of shape (n, height, width); synthetic data is drawn when it is needed.
    pictures: dict[str, NDArray[np.uint8]]
    # Which of them the main part is about, and where those come from, in words.
    faces: str
    source: str


def load_sets(data: str | os.PathLike[str] | None) -> Sets:
    """Load all data sets; `data` as for `robustnmf.datasets.load_faces`, None for ``"auto"``.

    Where only the faces of scikit-image are at hand, the main part runs on those.
    """
    main = load_faces("auto" if data is None else data, SIDE)
    pictures = {
        LFW: load_faces("builtin", SIDE).images,
        DIGITS: load_digits().images.astype(np.uint8),
    }
    if "not the ORL faces" in main.source:
        return Sets(pictures, LFW, main.source)
    return Sets({ORL: main.images, **pictures}, ORL, main.source)


def make_problem(sets: Sets, case: Case, seed: int) -> Problem:
    """Draw the samples and the noise of a case; with the run, all follows from the seed.

    The mask holds only the entries whose value changed: an entry that was overwritten with what it
    was is not wrong.
    """
    clean, shape = draw(sets, case, seed)
    X = clean
    if case.corruption != NONE:
        which = CORRUPTIONS.index(case.corruption)
        X, _ = corrupt(
            clean,
            case.corruption,
            case.amount,
            high=float(clean.max()) if case.data not in (ORL, LFW) else 255,
            image_shape=shape,
            random_state=np.random.default_rng(
                [seed, case.run, case.n, which, round(1e4 * case.amount)]
            ),
        )
    return Problem(
        X.astype(np.float64),
        clean.astype(np.float64),
        clean != X,
        seed=seed + case.run,
        image_shape=shape,
        k=case.k,
    )


def draw(sets: Sets, case: Case, seed: int) -> tuple[Array, tuple[int, int] | None]:
    """Draw clean samples, one a row, and say how a row makes a picture, if it does.

    Within a run, more samples include the fewer.
    """
    rng = np.random.default_rng([seed, case.run])
    if case.data not in sets.pictures:
        return low_rank(rng, case.n, case.k), None
    pictures = sets.pictures[case.data]
    chosen = rng.permutation(len(pictures))[: case.n]
    return pictures[chosen].reshape(len(chosen), -1), pictures.shape[1:]


def low_rank(rng: np.random.Generator, n: int, k: int) -> Array:
    """Draw nonnegative data of rank k with a little noise all over it.

    Examples
    --------
    >>> low_rank(np.random.default_rng(0), 30, 2).shape
    (30, 100)
    """
    product = rng.gamma(1.0, size=(n, k)) @ rng.gamma(1.0, size=(k, _FEATURES))
    grain = _GRAIN * product.std() * rng.standard_normal(product.shape)
    return np.maximum(product + grain, 0.0)


def foreign_rows(kind: str, faces: Array, count: int, rng: np.random.Generator) -> Array:
    """Return samples that are nothing like faces, one a row, of the size of given faces.

    They are pieces of a photograph, or faces whose pixels were shuffled, each in its own way.
    """
    height, width = faces.shape[1:]
    if kind == FOREIGN[1]:
        chosen = faces[rng.integers(0, len(faces), count)].reshape(count, -1)
        return rng.permuted(chosen, axis=1)
    photograph = load_picture(kind, _PHOTOGRAPH)
    tops = rng.integers(0, _PHOTOGRAPH - height, count, endpoint=True)
    lefts = rng.integers(0, _PHOTOGRAPH - width, count, endpoint=True)
    pieces = [photograph[t : t + height, x : x + width] for t, x in zip(tops, lefts, strict=True)]
    return np.stack(pieces).reshape(count, -1)
