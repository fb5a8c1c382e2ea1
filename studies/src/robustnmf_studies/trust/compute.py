"""One case, all methods."""

from __future__ import annotations

import functools
import math
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from robustnmf_studies.common.storage import Rows
from robustnmf_studies.trust import damage, methods
from robustnmf_studies.trust.errors import plant
from robustnmf_studies.trust.matrices import RealMatrix, load_matrix
from robustnmf_studies.trust.measures import matrix_scores, table_scores
from robustnmf_studies.trust.methods import MATRIX_RIVALS, OURS
from robustnmf_studies.trust.rivals import FIXED, RIVALS, Answer, Array
from robustnmf_studies.trust.settings import CLEAN, MATRIX, MISSING, NOTHING, STACKS, Case
from robustnmf_studies.trust.tables import barren_table, load_table

Row = dict[str, Any]
Method = Callable[[Array], Answer]
# What a method may die of on a table; anything else is a mistake of the study's own.
_FAILURES = (ValueError, ArithmeticError, np.linalg.LinAlgError, IndexError)


def compute(case: Case, seed: int) -> Rows:
    """Spoil a table or matrix, let every method clean it, and measure.

    Parameters
    ----------
    case : Case
        What to do.
    seed : int
        With the name of the case, the source of the errors.

    Returns
    -------
    dict of lists of rows
        ``tables``, ``clean_tables``, ``barren``, ``matrices``, ``clean_matrices`` or ``missing``.
    """
    rng = np.random.default_rng([seed, *map(ord, case.key)])
    with warnings.catch_warnings():
        # Rivals take logarithms of what errors left, and divide by spreads of nothing; what our
        # own methods warn of stands in their verdicts.
        warnings.simplefilter("ignore")
        _warm_up()
        if case.subject != MATRIX:
            return _table(case, rng)
        matrix = load_matrix(case.name)
        if case.kind == CLEAN:
            return {"clean_matrices": [_clean_matrix(matrix)]}
        if case.kind == MISSING:
            return {"missing": [_missing(matrix, case.rate, rng)]}
        return {"matrices": _matrix(matrix, case, rng)}


def _table(case: Case, rng: np.random.Generator) -> Rows:
    table = barren_table(case.name) if case.subject == NOTHING else load_table(case.name)
    dirty, wrong = table.values.copy(), np.zeros(table.values.shape, dtype=bool)
    if case.kind != CLEAN:
        dirty, wrong = plant(table, case.kind, case.rate, rng)
    head = {"name": case.name, "family": table.family, "kind": case.kind, "rate": case.rate}

    def scores(answer: Answer) -> Row:
        found = table_scores(table, dirty, wrong, answer.mask, answer.restored)
        return {"cells": int(wrong.sum()), **found}

    ours = functools.partial(methods.clean_by_auto, table)
    rows = _rows(head, {OURS: ours, **RIVALS}, dirty, scores)
    if case.subject == NOTHING:
        return {"barren": rows}
    return {"clean_tables" if case.kind == CLEAN else "tables": rows}


def _matrix(matrix: RealMatrix, case: Case, rng: np.random.Generator) -> list[Row]:
    kind = damage.OCCLUSION if case.kind == STACKS else case.kind
    dirty, wrong = damage.spoil(matrix, kind, case.rate, rng)
    best, told = methods.oracle(dirty, wrong)
    head = {
        "name": case.name,
        "nature": matrix.nature,
        "kind": case.kind,
        "rate": case.rate,
        "draw": case.draw,
        "best": round(best.f1, 5),
    }

    def scores(answer: Answer) -> Row:
        found = matrix_scores(matrix.X, dirty, wrong, answer.mask, answer.restored)
        if answer.sure is not None:
            found["sure"] = int(answer.sure.sum())
            found["sure_right"] = int((answer.sure & wrong).sum())
        return found

    rows = _rows(head, _matrix_methods(matrix, case.kind), dirty, scores)
    known = scores(Answer(wrong, told)) | best._asdict()
    return [*rows, {**head, "method": methods.ORACLE, **_rounded(known)}]


def _matrix_methods(matrix: RealMatrix, kind: str) -> dict[str, Method]:
    if kind == STACKS and matrix.layout is not None:
        return {methods.STACK: functools.partial(methods.restore_stack, layout=matrix.layout)}
    whole = kind in (damage.STRIPES, damage.SAMPLES)
    ours = functools.partial(methods.restore_by_auto, rank=methods.rank_for(matrix.X), whole=whole)
    return {OURS: ours, **MATRIX_RIVALS}


def _clean_matrix(matrix: RealMatrix) -> Row:
    """Return what auto does to data that nothing is wrong with, rank and noise both left to it."""
    # What cannot be written to is compiled for anew, which is no part of a fit's time.
    X = matrix.X.copy()
    variance = float(((X - X.mean(axis=0)) ** 2).sum())
    row: Row = {"name": matrix.name, "nature": matrix.nature}
    one_fit = min(_timed(MATRIX_RIVALS[FIXED], X)[1] for _ in range(3))
    for words, rank in (("", methods.rank_for(X)), ("_auto_rank", "auto")):
        answer, seconds, failure = _timed(functools.partial(methods.restore_by_auto, rank=rank), X)
        fitted = X if answer.fitted is None else answer.fitted
        row |= {
            f"error{words}": round(float(((fitted - X) ** 2).sum()) / variance, 6),
            f"flagged{words}": round(float(answer.mask.mean()), 6),
            f"variance{words}": round(float(((answer.restored - X) ** 2).sum()) / variance, 6),
            f"verdict{words}": answer.verdict,
            f"fits{words}": round(seconds / one_fit, 2),
            f"failure{words}": failure,
        }
    return row


def _missing(matrix: RealMatrix, rate: float, rng: np.random.Generator) -> Row:
    hidden = rng.random(matrix.X.shape) < rate
    try:
        return {"name": matrix.name, **_rounded(methods.hidden_errors(matrix.X, hidden))}
    except _FAILURES as error:
        return {"name": matrix.name, "failure": _failure(error)}


def _rows(
    head: Row, compared: dict[str, Method], dirty: Array, scores: Callable[[Answer], Row]
) -> list[Row]:
    """Return what is measured of each method."""
    rows = []
    for name, method in compared.items():
        answer, seconds, failure = _timed(method, dirty)
        end = {"verdict": answer.verdict, "seconds": seconds, "failure": failure}
        rows.append({**head, "method": name, **_rounded(scores(answer)), **end})
    return rows


def _timed(method: Method, values: Array) -> tuple[Answer, float, str | None]:
    """Run a method; one that fails has found nothing, and says why."""
    began = time.perf_counter()
    failure = None
    try:
        answer = method(values)
    except _FAILURES as error:
        answer = Answer(np.zeros(values.shape, dtype=bool), values)
        failure = _failure(error)
    return answer, round(time.perf_counter() - began, 4), failure


def _failure(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]


def _rounded(scores: Row) -> Row:
    """Return numbers short enough for a journal; None for those that are none."""
    return {
        name: (float(f"{value:.6g}") if math.isfinite(value) else None)
        if isinstance(value, float)
        else value
        for name, value in scores.items()
    }


@functools.cache
def _warm_up() -> None:
    """Compile, once in a process: that is no part of the time a method takes."""
    small = np.random.default_rng(0).gamma(1.0, size=(40, 12))
    methods.restore_by_auto(small, 2)
    MATRIX_RIVALS[FIXED](small)
