"""What "auto" costs on faces, in fits with λ = 0.04 of the same data, by processor time."""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable
from functools import cache, partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robustnmf import RobustNMF
from robustnmf.datasets import corrupt, load_faces
from robustnmf_studies.bench.plan import AUTO_FACES, Plan
from robustnmf_studies.bench.results import SHARE, Row
from robustnmf_studies.bench.timing import Tell, alternate
from robustnmf_studies.common.problem import LAM, SIDE, K

# How faces are corrupted: what, and which share of the pixels.
_CORRUPTIONS = (
    ("clean", 0.0),
    ("salt_pepper", 0.1),
    ("salt_pepper", 0.3),
    ("spikes", 0.1),
    ("random", 0.1),
)
# The number of components is sought on these, for it takes longer.
_RANK_CORRUPTIONS = _CORRUPTIONS[:2]
_WHITE = 255.0


class FaceSet(NamedTuple):
    """Faces, and what was done to them."""

    n: int
    kind: str
    share: float

    def __str__(self) -> str:
        kind = self.kind.replace("_", " & ")
        return f"{self.n} faces, {kind}" + (f" {self.share:.0%}" if self.share else "")


def penalty(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Fit with ``lam="auto"`` and with λ = 0.04 in turn."""
    face_sets = _face_sets(plan, _CORRUPTIONS)
    found = _ratios(face_sets, partial(_of_penalty, plan.data), plan.repeat, tell)
    what = f"lam='auto' against λ = {LAM:g}, processor time"
    exact = {faces.n for faces in face_sets} == set(AUTO_FACES)
    return [
        _row("auto.penalty", f"{what}; the middle of {len(face_sets)} sets", found, median, exact),
        _row("auto.penalty-worst", f"{what}; the worst of them", found, max, exact),
    ]


def rank(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Let the number of components be chosen, too, and fit with that number and λ = 0.04."""
    face_sets = _face_sets(plan, _RANK_CORRUPTIONS)
    found = _ratios(face_sets, partial(_of_rank, plan.data), plan.repeat, tell)
    what = f"both on 'auto' against the number found and λ = {LAM:g}, processor time; the worst"
    exact = {faces.n for faces in face_sets} == set(AUTO_FACES)
    return [_row("auto-rank.rank", f"{what} of {len(face_sets)} sets", found, max, exact)]


def _of_penalty(
    data: str | None, faces: FaceSet
) -> tuple[Callable[[], float], Callable[[], float]]:
    X = _faces(data, faces)
    return partial(_seconds, X, K, "auto"), partial(_seconds, X, K, LAM)


def _of_rank(data: str | None, faces: FaceSet) -> tuple[Callable[[], float], Callable[[], float]]:
    X = _faces(data, faces)
    number = int(_fitted(X, "auto", "auto").n_components_)
    return partial(_seconds, X, "auto", "auto"), partial(_seconds, X, number, LAM)


def _ratios(face_sets: list[FaceSet], sides: Callable[..., Any], repeat: int, tell: Tell) -> Any:
    """Return for each set of faces the ratios of all rounds."""
    found = {}
    for i, faces in enumerate(face_sets):
        ours, theirs = sides(faces)
        # The first call may import and compile.
        ours(), theirs()
        tell(i / len(face_sets))
        found[faces] = [a / b for a, b in alternate(repeat, ours, theirs)]
    return found


def _row(key: str, what: str, found: Any, of: Callable[[Any], float], exact: bool) -> Row:
    """Make a row of one figure for each round, and name what each set took."""
    values = [float(of(ratios)) for ratios in zip(*found.values(), strict=True)]
    each = {str(faces): median(ratios) for faces, ratios in found.items()}
    note = ", ".join(f"{faces} {ratio:.1f}" for faces, ratio in each.items())
    return Row(key, what, SHARE, values, rival="a fit", exact=exact, note=note, details=each)


def _face_sets(plan: Plan, corruptions: tuple[tuple[str, float], ...]) -> list[FaceSet]:
    """Return the sets, of as many faces as there are."""
    there = len(_images(plan.data))
    numbers = dict.fromkeys(min(n, there) for n in plan.auto_faces)
    return [FaceSet(n, *how) for n, how in itertools.product(numbers, corruptions)]


@cache
def _images(data: str | None) -> NDArray[Any]:
    return load_faces(data or "builtin", SIDE).images


def _faces(data: str | None, faces: FaceSet) -> NDArray[Any]:
    images = _images(data)
    rng = np.random.default_rng(0)
    chosen = images[rng.permutation(len(images))[: faces.n]]
    X = chosen.reshape(faces.n, -1).astype(np.float64)
    if faces.share:
        X, _ = corrupt(X, faces.kind, faces.share, high=_WHITE, random_state=rng)
    return X


def _fitted(X: NDArray[Any], k: int | str, lam: float | str) -> RobustNMF:
    # Neither convergence nor what auto thinks of these data is asked for.
    with warnings.catch_warnings(action="ignore"):
        return RobustNMF(k, lam=lam, random_state=0).fit(X)


def _seconds(X: NDArray[Any], k: int | str, lam: float | str) -> float:
    began = time.process_time()
    _fitted(X, k, lam)
    return time.process_time() - began
