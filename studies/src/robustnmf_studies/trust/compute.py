"""One case, all methods."""

from __future__ import annotations

import functools
import math
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust import damage
from robustnmf_studies.trust.errors import plant
from robustnmf_studies.trust.families import MADE_UP
from robustnmf_studies.trust.made import BARREN
from robustnmf_studies.trust.matrices import RealMatrix, load_matrix
from robustnmf_studies.trust.measures import matrix_scores, table_scores
from robustnmf_studies.trust.methods import (
    MATRIX_METHODS,
    ORACLE,
    OURS,
    STACK,
    clean_by_auto,
    hidden_errors,
    oracle,
    rank_for,
    restore_by_auto,
    restore_stack,
)
from robustnmf_studies.trust.rivals import FIXED, RIVALS, Answer
from robustnmf_studies.trust.settings import (
    CLEAN,
    MATRIX,
    MISSING,
    NOTHING,
    STACKS,
    Case,
)
from robustnmf_studies.trust.tables import RealTable, decimals_of, load_table

Rows = dict[str, list[dict[str, Any]]]
Array = NDArray[Any]
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
    _warm_up()
    rng = np.random.default_rng([seed, *map(ord, case.key)])
    with warnings.catch_warnings():
        # Rivals take logarithms of what errors left, and divide by spreads of nothing.
        warnings.simplefilter("ignore", RuntimeWarning)
        if case.subject == MATRIX:
            return _matrix(case, rng)
        return _table(case, rng)


def barren_table(name: str) -> RealTable:
    """Return one of the tables that nothing can be learned from."""
    columns, values = BARREN[name]()
    return RealTable(name, MADE_UP, values, columns, [decimals_of(column) for column in values.T])


def _table(case: Case, rng: np.random.Generator) -> Rows:
    table = barren_table(case.name) if case.subject == NOTHING else load_table(case.name)
    clean = case.kind == CLEAN
    if clean:
        dirty, wrong = table.values.copy(), np.zeros(table.values.shape, dtype=bool)
    else:
        dirty, wrong = plant(table, case.kind, case.rate, rng)
    head = {"name": case.name, "family": table.family, "kind": case.kind, "rate": case.rate}
    methods = {OURS: lambda values: clean_by_auto(table, values), **RIVALS}
    rows = []
    for name, method in methods.items():
        answer, seconds, failure = _timed(method, dirty)
        scores = table_scores(table, dirty, wrong, answer.mask, answer.restored)
        rows.append(
            {
                **head,
                "method": name,
                "cells": int(wrong.sum()),
                **_rounded(scores),
                "verdict": answer.verdict,
                "seconds": seconds,
                "failure": failure,
            }
        )
    if case.subject == NOTHING:
        return {"barren": rows}
    return {"clean_tables" if clean else "tables": rows}


def _timed(method: Any, values: Array) -> tuple[Answer, float, str | None]:
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


def _matrix(case: Case, rng: np.random.Generator) -> Rows:
    matrix = load_matrix(case.name)
    if case.kind == CLEAN:
        return {"clean_matrices": [_clean_matrix(matrix)]}
    if case.kind == MISSING:
        hidden = rng.random(matrix.X.shape) < case.rate
        try:
            found: dict[str, Any] = hidden_errors(matrix.X, hidden)
        except _FAILURES as error:
            found = {"failure": _failure(error)}
        return {"missing": [{"name": case.name, **_rounded(found)}]}
    kind = damage.OCCLUSION if case.kind == STACKS else case.kind
    dirty, wrong = damage.spoil(matrix, kind, case.rate, rng)
    best, told = oracle(dirty, wrong)
    head = {
        "name": case.name,
        "nature": matrix.nature,
        "kind": case.kind,
        "rate": case.rate,
        "draw": case.draw,
        "best": round(best.f1, 5),
    }
    rows = []
    for name, method in _matrix_methods(matrix, case.kind).items():
        answer, seconds, failure = _timed(method, dirty)
        scores = matrix_scores(matrix.X, dirty, wrong, answer.mask, answer.restored)
        if answer.sure is not None:
            right = int((answer.sure & wrong).sum())
            scores |= {"sure": int(answer.sure.sum()), "sure_right": right}
        rows.append(
            {
                **head,
                "method": name,
                **_rounded(scores),
                "verdict": answer.verdict,
                "seconds": seconds,
                "failure": failure,
            }
        )
    scores = matrix_scores(matrix.X, dirty, wrong, wrong, told) | best._asdict()
    rows.append({**head, "method": ORACLE, **_rounded(scores)})
    return {"matrices": rows}


def _matrix_methods(matrix: RealMatrix, kind: str) -> dict[str, Any]:
    layout = matrix.layout
    if kind == STACKS and layout is not None:
        return {STACK: lambda X: restore_stack(X, layout)}
    whole = kind in (damage.STRIPES, damage.SAMPLES)
    return {OURS: lambda X: restore_by_auto(X, rank_for(X), whole=whole), **MATRIX_METHODS}


def _clean_matrix(matrix: RealMatrix) -> dict[str, Any]:
    """Return what auto does to data that nothing is wrong with, rank and noise both left to it."""
    # What cannot be written to is compiled for anew, which is no part of a fit's time.
    X = matrix.X.copy()
    variance = float(((X - X.mean(axis=0)) ** 2).sum())
    row: dict[str, Any] = {"name": matrix.name, "nature": matrix.nature}
    one_fit = min(_timed(MATRIX_METHODS[FIXED], X)[1] for _ in range(3))
    for words, rank in (("", rank_for(X)), ("_auto_rank", "auto")):
        answer, seconds, failure = _timed(functools.partial(restore_by_auto, rank=rank), X)
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


def _rounded(scores: dict[str, Any]) -> dict[str, Any]:
    """Return numbers short enough for a journal; those that are none are left out."""
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
    restore_by_auto(small, 2)
    MATRIX_METHODS[FIXED](small)
