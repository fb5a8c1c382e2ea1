"""Claims about finding the noise (the paper's section 6.1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import (
    Curve,
    Numbers,
    curve_of,
    groups,
    mean_of,
    means,
    pick,
    table_of,
    unique_of,
)
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    PARTLY,
    Decide,
    Finding,
    among,
    falling,
    joined,
    percent,
    share_verdict,
    trend,
    worst,
)
from robustnmf_studies.paper.numbers import BARS, plain_methods
from robustnmf_studies.paper.settings import FIXED, PIXELS, STATED_TOLERANCE

# After growing, a curve counts as level if its last third moves by less than this share of it all.
_LEVEL_SHARE = 0.25
# A method is called sensitive to its threshold if this factor either way costs this share of F1.
_FACTOR, _LOSS = 2.0, 0.2


def _robust(numbers: Numbers, mode: str, **where: Any) -> pd.DataFrame:
    """Return RobustNMF's rows; finding nothing counts as no precision, not as perfect one."""
    rows = pick(table_of(numbers, "faces"), method="robust", mode=mode, pixels=PIXELS, **where)
    return rows.fillna({"precision": 0.0})


def _bar(measure: str, numbers: Numbers, mode: str) -> Finding:
    """The mean is above its bar for every number of faces."""
    mean = means(_robust(numbers, mode, lam=LAM), "n", measure)
    if mean.empty:
        return NOT_MEASURED
    good = mean.index[mean > BARS[measure]]
    lowest = percent(mean.min()) if mean.min() else "nothing found"
    return Finding(
        share_verdict(len(good), len(mean)),
        f"{lowest} (at {mean.idxmin():g} faces) to {percent(mean.max())}",
        f"above the bar {among(mean.index, good)} (faces)",
    )


def _ends(series: Curve, measure: str) -> str:
    return f"{measure} {percent(series.mean[0])} → {percent(series.mean[-1])}"


def _grows(numbers: Numbers, mode: str) -> Finding:
    """Precision and recall rise with the number of faces."""
    rows = _robust(numbers, mode, lam=LAM)
    curves = {measure: curve_of(rows, "n", measure) for measure in BARS}
    x = curves["recall"].x
    if len(x) < 2:
        return NOT_MEASURED
    verdicts = {measure: trend(curve) for measure, curve in curves.items()}
    parts = "".join(f"; {measure}: {verdict}" for measure, verdict in verdicts.items())
    return Finding(
        worst(list(verdicts.values())),
        "; ".join(_ends(curve, measure) for measure, curve in curves.items()),
        f"from {x[0]:g} to {x[-1]:g} faces" + (parts if len(set(verdicts.values())) > 1 else ""),
    )


def _levels_off(numbers: Numbers, mode: str) -> Finding:
    """The last third of the curve moves by little of what the whole curve moves by."""
    cases = []
    for measure in BARS:
        mean = means(_robust(numbers, mode, lam=LAM), "n", measure)
        if len(mean) < 4:
            return NOT_MEASURED
        late = mean[mean.index >= 0.7 * mean.index[-1]]
        whole = mean.max() - mean.iloc[0]
        moved = abs(late.iloc[-1] - late.iloc[0])
        # A curve that never grew cannot level off afterwards.
        verdict = HOLDS if whole > 0 and moved < _LEVEL_SHARE * whole else FAILS
        words = (
            f"{measure} moves by {100 * moved:.1f} points from {late.index[0]:g} faces on, "
            f"by {100 * whole:.0f} in all"
        )
        cases.append((verdict, words))
    return joined(cases, f"up to {mean.index[-1]:g} faces")


def _lam_bars(numbers: Numbers, mode: str) -> Finding:
    """Precision above 90 % and recall above 50 % over the whole range of λ."""
    passed, total, words = 0, 0, []
    for n, rows in groups(_robust(numbers, mode, n=FIXED), "n"):
        mean = rows.groupby("lam")[list(BARS)].mean()
        good = mean.index[(mean > pd.Series(BARS)).all(axis=1)]
        passed, total = passed + len(good), total + len(mean)
        words.append(f"{n:g} faces: {among(mean.index, good)} (λ)")
    return Finding(
        share_verdict(passed, total), f"both at {passed} of {total} settings", "; ".join(words)
    )


def _lam_trend(numbers: Numbers, mode: str) -> Finding:
    """With λ the precision rises and the recall falls."""
    rows = _robust(numbers, mode, n=FIXED)
    verdicts, words = [], []
    for n, own in groups(rows, "n"):
        precision, recall = (curve_of(own, "lam", measure) for measure in BARS)
        if len(precision.x) > 1:
            verdicts += [trend(precision), trend(falling(recall))]
            words.append(f"{n:g} faces: {_ends(precision, 'precision')}, {_ends(recall, 'recall')}")
    if not verdicts:
        return NOT_MEASURED
    lams = unique_of(rows, "lam")
    return Finding(worst(verdicts), "; ".join(words), f"λ from {lams[0]:g} to {lams[-1]:g}")


def _lam_portion(numbers: Numbers, mode: str) -> Finding:
    """The best λ falls as more pixels are polluted."""
    portion = groups(table_of(numbers, "portion"), "pixels")
    best = pd.Series({pixels: means(rows, "lam", "f1").idxmax() for pixels, rows in portion})
    if len(best) < 2:
        return NOT_MEASURED
    falls = best.iloc[-1] < best.iloc[0]
    verdict = HOLDS if falls and best.is_monotonic_decreasing else PARTLY if falls else FAILS
    words = ", ".join(f"{lam:g} at {pixels:g} pixels" for pixels, lam in best.items())
    return Finding(verdict, f"best λ (F1): {words}", "at the optimum, 100 faces")


def _thresholds_poor(numbers: Numbers, mode: str) -> Finding:
    """No threshold on a plain method's residual reaches the level RobustNMF is claimed to reach."""
    cases = []
    for name, n, rows in plain_methods(numbers, "curves", mode):
        own = _robust(numbers, mode, lam=LAM, n=n)
        mean = rows.groupby("threshold")[[*BARS, "f1"]].mean()
        # Where no run found anything there is no precision, hence no point on the curve.
        mean = mean.dropna(subset="precision")
        if len(own) and len(mean):
            precise = mean["recall"][mean["precision"] > BARS["precision"]]
            reached = max(precise, default=0.0)
            words = (
                f"{name}: recall up to {percent(reached)} at a precision above 90 %, "
                f"F1 up to {mean['f1'].max():.2f} (RobustNMF {mean_of(own, 'f1'):.2f})"
            )
            cases.append((HOLDS if reached <= BARS["recall"] else FAILS, words))
    where = f"{PIXELS} pixels of 255; the threshold was chosen with the truth in hand"
    return joined(cases, where)


def _thresholds_sensitive(numbers: Numbers, mode: str) -> Finding:
    """Half or twice the best threshold costs much of F1."""
    cases = []
    for name, _, rows in plain_methods(numbers, "curves", mode):
        f1 = means(rows, "threshold", "f1")
        best = f1.idxmax()
        low, high = (
            f1.iloc[abs(f1.index - goal).argmin()] for goal in (best / _FACTOR, best * _FACTOR)
        )
        lost = 1 - min(low, high) / f1.max()
        words = (
            f"{name}: F1 {f1.max():.2f} at {best:g} grey levels, "
            f"{low:.2f} at half, {high:.2f} at twice that"
        )
        cases.append((HOLDS if lost > _LOSS else FAILS, words))
    return joined(cases, f"{PIXELS} pixels of 255")


def _nonzero(numbers: Numbers, mode: str) -> Finding:
    """Nonzero entries of E, taken literally, are polluted pixels."""
    rows = pick(table_of(numbers, "traces"), solver="mu", n=FIXED)
    if not len(rows):
        return NOT_MEASURED
    last = rows["iteration"].max()
    rows = pick(rows, iteration=last)
    literal = mean_of(rows, "precision_0")
    tolerant = mean_of(rows, f"precision_{STATED_TOLERANCE:g}")
    partly = PARTLY if tolerant > BARS["recall"] else FAILS
    return Finding(
        HOLDS if literal > BARS["precision"] else partly,
        f"precision {percent(literal)} if every nonzero entry counts, {percent(tolerant)} if only "
        f"those above {100 * STATED_TOLERANCE:g} % of the data's mean do",
        f"after {last:g} iterations; it needs a tolerance, which the paper does not give",
    )


DECIDE: dict[str, Decide] = {
    "precision": partial(_bar, "precision"),
    "recall": partial(_bar, "recall"),
    "grows": _grows,
    "levels-off": _levels_off,
    "lam-bars": _lam_bars,
    "lam-trend": _lam_trend,
    "lam-portion": _lam_portion,
    "nonzero": _nonzero,
    "thresholds-poor": _thresholds_poor,
    "thresholds-sensitive": _thresholds_sensitive,
}
