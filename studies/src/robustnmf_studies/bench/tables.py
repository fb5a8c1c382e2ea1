"""The results as tables of words: the terminal and the documentation print the same."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from robustnmf_studies.bench.registry import TARGETS
from robustnmf_studies.bench.results import EXPONENT, Result, Row
from robustnmf_studies.common.frames import text_table
from robustnmf_studies.common.targets import NOTHING


def tables(result: Result) -> dict[str, pd.DataFrame]:
    """Return all tables by name; those about nothing in this result are empty."""
    return {
        "targets": _targets(result),
        "comparisons": _comparisons(result),
        "growth": _growth(result),
        "others": _quality(result),
        "tuning": _tuning(result),
        "work": _work(result),
    }


def notes(result: Result) -> list[str]:
    """Return the notes of all rows but those of the convergence study."""
    rows = [row for row in result.rows if not row.key.startswith("tuning.")]
    found = [f"{row.key}: {row.note}" for row in rows if row.note]
    if any(row.verdict.endswith("*") for row in rows):
        found.append("* not the size or the number of iterations that the target is set for")
    return list(dict.fromkeys(found))


def _comparisons(result: Result) -> pd.DataFrame:
    """What was compared, with targets and verdicts."""
    lines = [
        (
            row.what,
            row.rival or NOTHING,
            _with_unit(row.ours, row.unit),
            _with_unit(row.theirs, row.unit),
            *_middle_and_spread(row, 3 if row.measure == EXPONENT else None),
            TARGETS[row.key].target if row.key in TARGETS else NOTHING,
            row.verdict,
        )
        for row in result.rows
        if not row.key.startswith("tuning.")
    ]
    headings = ("what", "against", "ours", "theirs", "median", "spread", "target", "")
    return text_table("Benchmarks", headings, lines)


def _targets(result: Result) -> pd.DataFrame:
    """Every target, whether or not this run measured it."""
    rows = {row.key: row for row in result.rows}
    lines = []
    for key, case in TARGETS.items():
        row = rows.get(key, Row(key, key, "", []))
        middle, spread = _middle_and_spread(row) if row.values else (NOTHING, NOTHING)
        lines.append((row.what, case.where, case.target, middle, spread, row.verdict))
    headings = ("what", "target set for", "target", "median", "spread", "")
    return text_table("Targets", headings, lines)


def _middle_and_spread(row: Row, digits: int | None = None) -> tuple[str, str]:
    if row.median is None:
        return _why_not(row), NOTHING
    low, high = (figure(value, digits) for value in (min(row.values), max(row.values)))
    spread = f"{low} to {high}" if len(row.values) > 1 else NOTHING
    return f"{figure(row.median, digits)} {row.measure}", spread


def _why_not(row: Row) -> str:
    """Why there is no figure, in short; the note says the rest."""
    return row.note.partition(":")[0] or NOTHING


def _with_unit(value: float | None, unit: str) -> str:
    return NOTHING if value is None else f"{figure(value)} {unit}"


def _quality(result: Result) -> pd.DataFrame:
    """How well the other robust methods do."""
    compared = result.about_benchmark("others")
    lines = [_scores("RobustNMF", row.ours, row, "ours") for row in compared if row.details][:1]
    lines += [_scores(row.rival, row.theirs, row, "theirs") for row in compared]
    headings = ("method", "time", "precision", "recall", "F1", "best F1", "error of W H")
    title = "Other robust methods: wrong entries found, clean data restored"
    return text_table(title, headings, lines)


def _scores(name: str, seconds: float | None, row: Row, side: str) -> tuple[str, ...]:
    if not row.details:
        return (name, _why_not(row), *[NOTHING] * 5)
    scores = row.details[side]
    found = (f"{scores[key]:.2f}" for key in ("precision", "recall", "f1", "best_f1"))
    return (name, _with_unit(seconds, "s"), *found, f"{scores['msre']:,.0f}")


def _growth(result: Result) -> pd.DataFrame:
    """The time of an iteration at each size of each series."""
    lines = []
    for row in result.about_benchmark("growth"):
        pairs = zip(row.details["values"], row.details["seconds"], strict=True)
        series = ", ".join(f"{value:,}: {1000 * time:.1f}" for value, time in pairs)
        lines.append((row.details["axis"], series, f"{row.median:.3f}"))
    return text_table("Growth", ("doubled", "milliseconds an iteration", "exponent"), lines)


def _tuning(result: Result) -> pd.DataFrame:
    """The settings of `hals`, ranked."""
    ranked = result.about_benchmark("tuning")
    lines = [
        (
            str(place),
            row.what + (" (now)" if row.key == "tuning.present" else ""),
            figure(row.median or 0.0),
            *(_gap(found) for found in row.details["gaps"]),
        )
        for place, row in enumerate(ranked, start=1)
    ]
    gaps = [f"to {found['gap']:g}" for row in ranked[:1] for found in row.details["gaps"]]
    title = "Iterations, seconds and share of the problems to within a gap of the best objective"
    return text_table(title, ("", "setting", "× the fastest", *gaps), lines)


def _gap(found: dict[str, Any]) -> str:
    if found["iterations"] is None:
        return NOTHING
    share = f"{found['reached']}/{found['of']}"
    return f"{found['iterations']:.0f}, {figure(found['seconds'])} s, {share}"


def _work(result: Result) -> pd.DataFrame:
    """Where the time of an iteration goes, and what share of the machine it uses."""
    lines = []
    for row in result.about_benchmark("gemm"):
        if row.ours is None:
            continue
        work, machine = row.details, result.about["machine"]
        flops = work["gemm_flops"] + work["noise_flops"] + work["sweep_flops"]
        products = f"{work['gemm_flops'] / flops:.0%} of them in products"
        parts = {
            "its three products by BLAS, in blocks": work["blocks"],
            "the same on whole matrices": work["whole"],
            "reading X once through the engine": work["reading"],
            f"{flops / 1e9:.1f} GFLOP ({products}) at the measured GEMM rate": flops
            / (machine["gemm_gflops"][work["dtype"]] * 1e9),
            f"{work['bytes'] / 1e6:,.0f} MB at the measured bandwidth": work["bytes"]
            / (machine["triad_gbytes"] * 1e9),
        }
        lines.append((work["dtype"], "one iteration, measured", figure(1000 * row.ours), ""))
        lines += [
            ("", what, figure(1000 * seconds), f"{seconds / row.ours:.0%}")
            for what, seconds in parts.items()
        ]
    headings = ("precision", "what", "milliseconds", "share of the iteration")
    return text_table("Where the time goes", headings, lines)


def figure(value: float, digits: int | None = None) -> str:
    """Write a number with three digits that count, and no powers of ten.

    Examples
    --------
    >>> figure(1234.5), figure(12.345), figure(0.012345), figure(1.0, 3)
    ('1,234', '12.3', '0.0123', '1.000')
    """
    if digits is not None:
        return f"{value:.{digits}f}"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    places = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{places}f}"
