"""Claims about finding the noise (the paper's section 6.1)."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from robustnmf_studies.common.frames import (
    Curve,
    Numbers,
    curve_of,
    mean_of,
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
    Finding,
    among,
    falling,
    percent,
    share_verdict,
    trend,
    worst,
)
from robustnmf_studies.paper.compute import FIXED
from robustnmf_studies.paper.settings import OPTIMUM, PIXELS
from robustnmf_studies.paper.traces import STATED_TOLERANCE

PRECISION_BAR, RECALL_BAR = 0.9, 0.5
# After growing, a curve counts as level if its last third moves by less than this share of it all.
LEVEL_SHARE = 0.25
# A method is called sensitive to its threshold if this factor either way costs this share of F1.
FACTOR, LOSS = 2.0, 0.2
_NAMES = {"precision": PRECISION_BAR, "recall": RECALL_BAR}


def robust_rows(numbers: Numbers, mode: str) -> pd.DataFrame:
    """Return RobustNMF's rows; finding nothing counts as no precision, not as perfect one."""
    rows = pick(table_of(numbers, "faces"), method="robust", mode=mode, pixels=PIXELS)
    return rows.assign(precision=rows["precision"].fillna(0.0)) if len(rows) else rows


def _bar(measure: str, numbers: Numbers, mode: str) -> Finding:
    series = curve_of(pick(robust_rows(numbers, mode), lam=LAM), "n", measure)
    if not series.x:
        return NOT_MEASURED
    good = [x for x, mean in zip(series.x, series.mean, strict=True) if mean > _NAMES[measure]]
    low = min(range(len(series.x)), key=lambda i: series.mean[i])
    lowest = percent(series.mean[low]) if series.mean[low] else "nothing found"
    return Finding(
        share_verdict(len(good), len(series.x)),
        f"{lowest} (at {series.x[low]:g} faces) to {percent(max(series.mean))}",
        f"above the bar {among(series.x, good)} (faces)",
    )


def precision_bar(numbers: Numbers, mode: str) -> Finding:
    """Precision above 90 % for every number of faces."""
    return _bar("precision", numbers, mode)


def recall_bar(numbers: Numbers, mode: str) -> Finding:
    """Recall above 50 % for every number of faces."""
    return _bar("recall", numbers, mode)


def _ends(series: Curve, measure: str) -> str:
    return f"{measure} {percent(series.mean[0])} → {percent(series.mean[-1])}"


def grows(numbers: Numbers, mode: str) -> Finding:
    """Precision and recall rise with the number of faces."""
    rows = pick(robust_rows(numbers, mode), lam=LAM)
    curves = {measure: curve_of(rows, "n", measure) for measure in _NAMES}
    if min(len(curve.x) for curve in curves.values()) < 2:
        return NOT_MEASURED
    verdicts = {measure: trend(curve) for measure, curve in curves.items()}
    x = curves["recall"].x
    parts = "".join(f"; {measure}: {verdict}" for measure, verdict in verdicts.items())
    return Finding(
        worst(list(verdicts.values())),
        "; ".join(_ends(curve, measure) for measure, curve in curves.items()),
        f"from {x[0]:g} to {x[-1]:g} faces" + (parts if len(set(verdicts.values())) > 1 else ""),
    )


def levels_off(numbers: Numbers, mode: str) -> Finding:
    """The last third of the curve moves by little of what the whole curve moves by."""
    rows = pick(robust_rows(numbers, mode), lam=LAM)
    verdicts, words = [], []
    for measure in _NAMES:
        series = curve_of(rows, "n", measure)
        if len(series.x) < 4:
            return NOT_MEASURED
        late = min(i for i, x in enumerate(series.x) if x >= 0.7 * series.x[-1])
        whole = max(series.mean) - series.mean[0]
        moved = abs(series.mean[-1] - series.mean[late])
        # A curve that never grew cannot level off afterwards.
        verdicts.append(HOLDS if whole > 0 and moved < LEVEL_SHARE * whole else FAILS)
        words.append(
            f"{measure} moves by {100 * moved:.1f} points from {series.x[late]:g} faces on, "
            f"by {100 * whole:.0f} in all"
        )
    return Finding(worst(verdicts), "; ".join(words), f"up to {series.x[-1]:g} faces")


def lam_bars(numbers: Numbers, mode: str) -> Finding:
    """Precision above 90 % and recall above 50 % over the whole range of λ."""
    passed, total, words = 0, 0, []
    for n in FIXED:
        rows = pick(robust_rows(numbers, mode), n=n)
        precision, recall = (curve_of(rows, "lam", measure) for measure in _NAMES)
        pairs = zip(precision.x, precision.mean, recall.mean, strict=True)
        good = [lam for lam, p, r in pairs if p > PRECISION_BAR and r > RECALL_BAR]
        passed, total = passed + len(good), total + len(precision.x)
        if precision.x:
            words.append(f"{n} faces: {among(precision.x, good)} (λ)")
    return Finding(
        share_verdict(passed, total), f"both at {passed} of {total} settings", "; ".join(words)
    )


def lam_trend(numbers: Numbers, mode: str) -> Finding:
    """With λ the precision rises and the recall falls."""
    verdicts, words = [], []
    for n in FIXED:
        rows = pick(robust_rows(numbers, mode), n=n)
        precision, recall = (curve_of(rows, "lam", measure) for measure in _NAMES)
        if len(precision.x) < 2:
            continue
        verdicts += [trend(precision), trend(falling(recall))]
        words.append(f"{n} faces: {_ends(precision, 'precision')}, {_ends(recall, 'recall')}")
    if not verdicts:
        return NOT_MEASURED
    lams = unique_of(pick(robust_rows(numbers, mode), n=FIXED), "lam")
    return Finding(worst(verdicts), "; ".join(words), f"λ from {lams[0]:g} to {lams[-1]:g}")


def lam_portion(numbers: Numbers, mode: str) -> Finding:
    """The best λ falls as more pixels are polluted."""
    rows = table_of(numbers, "portion")
    best: dict[float, float] = {}
    for pixels in unique_of(rows, "pixels"):
        curve = curve_of(pick(rows, pixels=pixels), "lam", "f1")
        best[pixels] = curve.x[curve.mean.index(max(curve.mean))]
    if len(best) < 2:
        return NOT_MEASURED
    lams = list(best.values())
    steps = [later <= earlier for earlier, later in pairwise(lams)]
    falls = lams[-1] < lams[0]
    verdict = HOLDS if falls and all(steps) else PARTLY if falls else FAILS
    words = ", ".join(f"{lam:g} at {pixels:g} pixels" for pixels, lam in best.items())
    return Finding(verdict, f"best λ (F1): {words}", "at the optimum, 100 faces")


def _curve(numbers: Numbers, method: str, mode: str, n: int) -> list[tuple[float, float, float]]:
    """Mean precision, recall and F1 at each threshold."""
    rows = pick(table_of(numbers, "curves"), method=method, mode=mode, n=n)
    precision, recall, f1 = (
        curve_of(rows, "threshold", name) for name in ("precision", "recall", "f1")
    )
    # Where no run found anything there is no precision, hence no point on the curve.
    rest = {x: (r, f) for x, r, f in zip(recall.x, recall.mean, f1.mean, strict=True)}
    return [(p, *rest[x]) for x, p in zip(precision.x, precision.mean, strict=True)]


def _plain_methods(mode: str) -> list[tuple[str, str, str]]:
    return [("NMF", "nmf", mode), *([("PCA", "pca", OPTIMUM)] if mode == OPTIMUM else [])]


def thresholds_poor(numbers: Numbers, mode: str) -> Finding:
    """No threshold on a plain method's residual reaches the level RobustNMF is claimed to reach."""
    verdicts, words = [], []
    for name, method, of_mode in _plain_methods(mode):
        for n in FIXED:
            curve = _curve(numbers, method, of_mode, n)
            own = pick(robust_rows(numbers, mode), lam=LAM, n=n)
            if not curve or not len(own):
                continue
            reached = max((r for p, r, _ in curve if p > PRECISION_BAR), default=0.0)
            f1 = max(f for *_, f in curve)
            verdicts.append(HOLDS if reached <= RECALL_BAR else FAILS)
            words.append(
                f"{name}, {n} faces: recall up to {percent(reached)} at a precision above 90 %, "
                f"F1 up to {f1:.2f} (RobustNMF {mean_of(own, 'f1'):.2f})"
            )
    if not verdicts:
        return NOT_MEASURED
    where = f"{PIXELS} pixels of 255; the threshold was chosen with the truth in hand"
    return Finding(worst(verdicts), "; ".join(words), where)


def thresholds_sensitive(numbers: Numbers, mode: str) -> Finding:
    """Half or twice the best threshold costs much of F1."""
    verdicts, words = [], []
    for name, method, of_mode in _plain_methods(mode):
        for n in FIXED:
            rows = pick(table_of(numbers, "curves"), method=method, mode=of_mode, n=n)
            f1 = curve_of(rows, "threshold", "f1")
            if not f1.x:
                continue
            best = f1.mean.index(max(f1.mean))
            low, high = (
                f1.mean[min(range(len(f1.x)), key=lambda i: abs(f1.x[i] - goal))]
                for goal in (f1.x[best] / FACTOR, f1.x[best] * FACTOR)
            )
            lost = 1 - min(low, high) / f1.mean[best]
            verdicts.append(HOLDS if lost > LOSS else FAILS)
            words.append(
                f"{name}, {n} faces: F1 {f1.mean[best]:.2f} at {f1.x[best]:g} grey levels, "
                f"{low:.2f} at half, {high:.2f} at twice that"
            )
    if not verdicts:
        return NOT_MEASURED
    return Finding(worst(verdicts), "; ".join(words), f"{PIXELS} pixels of 255")


def nonzero_marks(numbers: Numbers, mode: str) -> Finding:
    """Nonzero entries of E, taken literally, are polluted pixels."""
    rows = pick(table_of(numbers, "traces"), solver="mu", n=FIXED)
    if not len(rows):
        return NOT_MEASURED
    last = max(unique_of(rows, "iteration"))
    rows = pick(rows, iteration=last)
    literal = mean_of(rows, "precision_0")
    tolerant = mean_of(rows, f"precision_{STATED_TOLERANCE:g}")
    verdict = HOLDS if literal > PRECISION_BAR else PARTLY if tolerant > RECALL_BAR else FAILS
    return Finding(
        verdict,
        f"precision {percent(literal)} if every nonzero entry counts, {percent(tolerant)} if only "
        f"those above {100 * STATED_TOLERANCE:g} % of the data's mean do",
        f"after {last:g} iterations; it needs a tolerance, which the paper does not give",
    )
