"""How a case is computed: detection, rank, foreign samples."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from robustnmf import RobustNMF
from robustnmf._common.diagnosis import TrustWarning
from robustnmf_studies.beyond.data import Sets, foreign_rows, low_rank, make_problem
from robustnmf_studies.beyond.measures import calibration, measure
from robustnmf_studies.beyond.methods import AUTO, CLOCK, FIXED, NAMES, NEED_S, Answer, answer
from robustnmf_studies.beyond.settings import FOREIGN, SWEEP_FACES, Case
from robustnmf_studies.common.detection import score
from robustnmf_studies.common.problem import LAM, Array, Problem, timed
from robustnmf_studies.common.storage import Rows, save_pictures

# Shown in the report: the first faces of the first run, at this share.
SHOWN_SHARE = 0.1
SHOWN_FACES = 3
# How many faces the components are tried on that they were not learned from.
_UNSEEN = 100


def compute(case: Case, pictures: Path, sets: Sets, seed: int) -> Rows:
    """Compute a case, its rows by table; some faces of the first run are left in `pictures`."""
    # What a fit says of itself is not what is studied here: the study of trust does that.
    with warnings.catch_warnings(action="ignore", category=TrustWarning):
        _warm_up()
        if case.kind == "rank":
            return _choose_rank(sets, case, seed)
        if case.kind == "samples":
            return _foreign_samples(sets, case, seed)
        problem = make_problem(sets, case, seed)
        tables, answers = _detect(problem, case)
    shown = (sets.faces, SWEEP_FACES, SHOWN_SHARE, 0)
    if (case.data, case.n, case.amount, case.run) == shown:
        save_pictures(pictures / f"{case.corruption}.npz", _pictures(problem, answers))
    return tables


@functools.cache
def _warm_up() -> None:
    """Let compilers and libraries start in this process, so that no method is timed with it."""
    rng = np.random.default_rng(0)
    clean = low_rank(rng, 30, 2)
    mask = rng.random(clean.shape) < 0.05
    problem = Problem(np.where(mask, clean + 10, clean), clean, mask, seed=0, k=2)
    for name in NAMES:
        answer(name, problem)


def _columns(case: Case) -> dict[str, Any]:
    return {name: getattr(case, name) for name in ("data", "n", "corruption", "amount", "run")}


def _detect(problem: Problem, case: Case) -> tuple[Rows, dict[str, Answer]]:
    """Let every method find the noise and restore the data.

    Gives a row of ``detect`` for each method, and in ``calibration`` what the probabilities of
    ``lam="auto"`` are worth.
    """
    names = [name for name in NAMES if problem.mask.any() or name not in NEED_S]
    answers = {name: answer(name, problem) for name in names}
    # How many entries of a sample were written to.
    part = 1 if isinstance(case.amount, int) else problem.X.shape[1]
    columns = _columns(case) | {"pixels": round(case.amount * part)}
    rows = {name: {**columns, "method": name, **measure(problem, name, answers)} for name in names}
    model = answers[AUTO].model
    assert model is not None
    sure, bins = calibration(problem.mask, model.noise_probability(problem.X))
    rows[AUTO] |= {
        **sure,
        "lam": float(model.lam_),
        "noise_scale": float(model.noise_scale_),
        "estimated_share": float(model.corruption_),
        "true_share": float(problem.mask.mean()),
    }
    bins = [{**columns, **row} for row in bins]
    return {"detect": list(rows.values()), "calibration": bins}, answers


def _fitted(X: Array, k: int | str, lam: float | str, seed: int) -> tuple[RobustNMF, float]:
    return timed(lambda: RobustNMF(k, lam=lam, random_state=seed).fit(X), CLOCK)


def _choose_rank(sets: Sets, case: Case, seed: int) -> Rows:
    """Let the number of components be chosen, and time that against fits that are told it."""
    problem = make_problem(sets, case, seed)
    model, seconds = _fitted(problem.X, "auto", "auto", problem.seed)
    found = int(model.n_components_)
    fixed, auto = (_fitted(problem.X, found, lam, problem.seed)[1] for lam in (LAM, "auto"))
    row = {
        **_columns(case),
        "rank": case.k,
        "found": found,
        "seconds": round(seconds, 4),
        "relative_fixed": seconds / fixed,
        "relative_auto": seconds / auto,
    }
    return {"ranks": [row]}


def _foreign_samples(sets: Sets, case: Case, seed: int) -> Rows:
    """Learn components with and without samples that do not belong, and try them on new faces.

    Gives for λ = 0.04 and for auto the squared error per unseen face, and how well the foreign
    samples were reported.
    """
    faces = sets.pictures[case.data]
    # Where there are few faces, some are kept unseen nonetheless.
    n = min(case.n, round(0.8 * len(faces)))
    order = np.random.default_rng([seed, case.run]).permutation(len(faces))
    chosen = faces[order].reshape(len(faces), -1).astype(np.float64)
    known, unseen = chosen[:n], chosen[n : n + _UNSEEN]
    rng = np.random.default_rng([seed, case.run, FOREIGN.index(case.corruption)])
    foreign = foreign_rows(case.corruption, faces[order[:n]], round(case.amount * n), rng)
    mixed = np.concatenate([known, foreign])
    rows = []
    for name, lam in ((FIXED, LAM), (AUTO, "auto")):
        alone, together = (_fitted(X, case.k, lam, seed + case.run)[0] for X in (known, mixed))
        without, with_them = (error_on(unseen, model.components_) for model in (alone, together))
        row = {
            **_columns(case),
            "method": name,
            "error_without": without,
            "error_with": with_them,
            "relative": with_them / without,
        }
        if name == AUTO:
            reported = reported_samples(together, len(mixed))
            row |= score(np.arange(len(mixed)) >= n, reported)._asdict()
            row["false_alarms"] = float(reported_samples(alone, n).mean())
        rows.append(row)
    return {"samples": rows}


def reported_samples(model: RobustNMF, n: int) -> NDArray[np.bool_]:
    """Return which samples a fit reports as nothing like the rest, as a mask."""
    return np.isin(np.arange(n), model.outlier_samples_)


def error_on(X: Array, components: Array) -> float:
    """Return the squared error per sample of the best nonnegative combination of components.

    Examples
    --------
    >>> error_on(np.array([[3.0, 1.0]]), np.array([[1.0, 0.0]]))
    1.0
    """
    return sum(nnls(components.T, row)[1] ** 2 for row in X) / len(X)


def _pictures(problem: Problem, answers: dict[str, Answer]) -> dict[str, NDArray[np.uint8]]:
    """Return some faces in every version, for the eye; masks as 0 and 255."""
    assert problem.image_shape is not None
    versions = {"clean": problem.clean, "corrupted": problem.X, "mask": 255 * problem.mask}
    for name in (FIXED, AUTO):
        found = answers[name].found
        assert found is not None
        versions |= {f"found_{name}": 255 * found, f"restored_{name}": answers[name].restored}
    shape = (-1, *problem.image_shape)
    return {
        name: np.rint(np.clip(values[:SHOWN_FACES], 0, 255)).astype(np.uint8).reshape(shape)
        for name, values in versions.items()
    }
