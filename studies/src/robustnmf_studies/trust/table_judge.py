"""The targets about tables and about all, each decided from the numbers."""

from __future__ import annotations

import math

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.trust.errors import DECIMAL, FORESEEN, SIGN, UNFORESEEN
from robustnmf_studies.trust.methods import OURS
from robustnmf_studies.trust.numbers import (
    RELIABLE,
    against_rivals,
    error_left,
    frame_of,
    in_words,
    method_means,
    within,
    worst_of,
)
from robustnmf_studies.trust.rivals import RIVALS
from robustnmf_studies.trust.tables import MADE_UP

# A pair of columns of which one follows from the other has something to learn.
LEARNABLE = ("two columns",)


def judge_tables(numbers: Numbers) -> list[Judged]:
    """Decide the targets about tables.

    Examples
    --------
    >>> {found.verdict for found in judge_tables({})}
    {'not measured'}
    """
    tables = frame_of(numbers, "tables")
    ours = pick(tables, method=OURS)
    foreseen = pick(tables, kind=FORESEEN)
    clean = pick(frame_of(numbers, "clean_tables"), method=OURS)
    real = clean[clean["family"] != MADE_UP].set_index("name")
    left = error_left(ours.groupby("method")).get(OURS, math.nan)
    f1 = [pick(ours, kind=kinds)["f1"].mean() for kinds in (FORESEEN, UNFORESEEN)]
    repair = "repair error of found cells ≤ 0.15 robust standard deviations"
    return [
        *_barren(pick(frame_of(numbers, "barren"), method=OURS).set_index("name")),
        _left_alone(real["changed"], 0.002, 0.01),
        _left_alone(real["flagged"], 0.007, 0.03),
        within("tables: mean F1 ≥ 0.70", f1[0], least=0.70),
        _ahead_in_mean(foreseen),
        _ahead_on_tables(foreseen),
        _no_family_behind(foreseen),
        within("kinds nobody foresaw: mean F1 ≥ 0.70", f1[1], least=0.70),
        within(repair, ours["repair"].mean(), most=0.15),
        _slips(pick(ours, kind=(DECIMAL, SIGN))["exact"].mean()),
        _above_median(ours),
        within("error left after cleaning ≤ 0.24 of that before", left, most=0.24),
        *_harm(ours),
        _answers(numbers),
    ]


def _barren(rows: pd.DataFrame) -> list[Judged]:
    worst, name = worst_of(rows["changed"])
    told = rows["verdict"].drop(list(LEARNABLE), errors="ignore")
    warned = told.notna() & (told != RELIABLE)
    return [
        decide(
            "nothing to learn, discrete, constant, tiny: ≤ 0.1 % of the cells change",
            f"at most {in_words(worst, '.2%')} ({name})" if worst > 0 else "none",
            None if math.isnan(worst) else worst <= 0.001,
        ),
        decide(
            "and the verdict says that nothing can be learned",
            f"{warned.sum()} of {len(told)}",
            bool(warned.all()) if len(told) else None,
        ),
    ]


def _left_alone(figures: pd.Series, most_mean: float, most: float) -> Judged:
    mean = figures.mean()
    worst, name = worst_of(figures)
    return decide(
        f"real tables without errors: ≤ {100 * most_mean:g} % of the cells {figures.name} in the "
        f"mean, ≤ {100 * most:g} % at worst",
        f"{in_words(mean, '.2%')}; {in_words(worst, '.2%')} ({name})",
        None if math.isnan(mean) else bool(mean <= most_mean and worst <= most),
    )


def _ahead_in_mean(foreseen: pd.DataFrame) -> Judged:
    means = foreseen.groupby("method")["f1"].mean()
    best, rival = worst_of(means.reindex(list(RIVALS)))
    ours = means.get(OURS, math.nan)
    return decide(
        "tables: mean F1 ahead of every rival",
        f"{ours:.3f}; {rival} {best:.3f}",
        None if math.isnan(ours) or math.isnan(best) else bool(ours > best),
    )


def _ahead_on_tables(foreseen: pd.DataFrame) -> Judged:
    means = method_means(foreseen, "name").reindex(columns=[OURS, *RIVALS])
    means = means.dropna(subset=OURS)
    rivals = means[list(RIVALS)]
    won = rivals.le(means[OURS], axis=0).astype(float).where(rivals.notna()).mean()
    least, rival = worst_of(won, lowest=True)
    best = against_rivals(foreseen, "name")
    at_once = (best["ours"] >= best["theirs"]).mean()
    return decide(
        "tables: ahead of each rival on four fifths of the tables",
        f"{in_words(least, '.0%')} ({rival}); of all at once {in_words(at_once, '.0%')}",
        None if math.isnan(least) else least >= 0.8,
    )


def _no_family_behind(foreseen: pd.DataFrame) -> Judged:
    best = against_rivals(foreseen, "family")
    gaps = (best["theirs"] - best["ours"]).set_axis(
        [f"{family} ({rival})" for family, rival in best["rival"].items()]
    )
    return _none_above("tables: no family below its best rival", gaps)


def _above_median(ours: pd.DataFrame) -> Judged:
    means = ours.groupby("family")[["repair", "by_median"]].mean()
    gaps = (means["repair"] - means["by_median"]).dropna()
    return _none_above("repairs in no family worse than the column's median", gaps)


def _none_above(target: str, gaps: pd.Series) -> Judged:
    """Decide whether no gap is above zero; in words, how many are and which is the worst."""
    above = gaps[gaps > 0]
    worst, name = worst_of(above)
    words = f"{len(above)}; worst {name}, by {worst:.2f}" if len(above) else "none"
    return decide(target, words, above.empty if len(gaps) else None)


def _slips(exact: float) -> Judged:
    target = "point moved or sign slipped: most repairs are right to the last digit"
    return decide(target, in_words(exact, ".0%"), None if math.isnan(exact) else exact > 0.5)


def _harm(ours: pd.DataFrame) -> list[Judged]:
    target = "cleaned table further from the truth than the dirty one: ≤ 5 % of the runs"
    harmed = ours[ours["harm"] == 1]
    sure = int((harmed["verdict"] == RELIABLE).sum())
    known = ours["verdict"].notna().any()
    return [
        within(target, ours["harm"].mean(), most=0.05, form=".1%"),
        decide(
            "and none of these called reliable",
            f"{sure} of {len(harmed)}",
            sure == 0 if known else None,
        ),
    ]


def _answers(numbers: Numbers) -> Judged:
    names = []
    total = 0
    for table in numbers.values():
        # Where there is no other method, the rows do not name it.
        ours = pick(table, method=OURS) if "method" in table else table
        failures = ours.reindex(columns=["failure", "failure_auto_rank"])
        names += ours["name"][failures.notna().any(axis=1)].tolist()
        total += len(ours)
    where = f" (first: {names[0]})" if names else ""
    target = "every run ends with an answer"
    return decide(target, f"{len(names)} do not{where}", not names if total else None)
