"""Claims about finding the noise (the paper's section 6.1)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from robustnmf_studies.common import frames, verdicts
from robustnmf_studies.common.frames import Numbers, groups, mean_of, means, pick, table_of
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import Cases, Decide, among, graded, percent
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


def _bar(measure: str, numbers: Numbers, mode: str) -> Cases:
    """The mean is above its bar for every number of faces."""
    mean = means(_robust(numbers, mode, lam=LAM), "n", measure)
    if len(mean):
        good = mean.index[mean > BARS[measure]]
        lowest = percent(mean.min()) if mean.min() else "nothing found"
        words = f"{lowest} (at {mean.idxmin():g} faces) to {percent(mean.max())}"
        where = f"above the bar {among(mean.index, good)} (faces)"
        yield verdicts.share_verdict(len(good), len(mean)), words, where


def _ends(series: frames.Curve, measure: str) -> str:
    return f"{measure} {percent(series.mean[0])} → {percent(series.mean[-1])}"


def _grows(numbers: Numbers, mode: str) -> Cases:
    """Precision and recall rise with the number of faces."""
    rows = _robust(numbers, mode, lam=LAM)
    curves = {measure: frames.curve_of(rows, "n", measure) for measure in BARS}
    x = curves["recall"].x
    if len(x) > 1:
        found = {measure: verdicts.trend(curve) for measure, curve in curves.items()}
        where = f"from {x[0]:g} to {x[-1]:g} faces"
        if len(set(found.values())) > 1:
            where += "".join(f"; {measure}: {verdict}" for measure, verdict in found.items())
        for measure, curve in curves.items():
            yield found[measure], _ends(curve, measure), where


def _levels_off(numbers: Numbers, mode: str) -> Cases:
    """The last third of the curve moves by little of what the whole curve moves by."""
    for measure in BARS:
        mean = means(_robust(numbers, mode, lam=LAM), "n", measure)
        if len(mean) < 4:
            return
        late = mean[mean.index >= 0.7 * mean.index[-1]]
        whole = mean.max() - mean.iloc[0]
        moved = abs(late.iloc[-1] - late.iloc[0])
        words = (
            f"{measure} moves by {100 * moved:.1f} points from {late.index[0]:g} faces on, "
            f"by {100 * whole:.0f} in all"
        )
        # A curve that never grew cannot level off afterwards.
        level = whole > 0 and moved < _LEVEL_SHARE * whole
        yield level, words, f"up to {mean.index[-1]:g} faces"


def _lam_bars(numbers: Numbers, mode: str) -> Cases:
    """Precision above 90 % and recall above 50 % over the whole range of λ."""
    passed, total, where = 0, 0, []
    for n, rows in groups(_robust(numbers, mode, n=FIXED), "n"):
        mean = rows.groupby("lam")[list(BARS)].mean()
        good = mean.index[(mean > pd.Series(BARS)).all(axis=1)]
        passed, total = passed + len(good), total + len(mean)
        where.append(f"{n:g} faces: {among(mean.index, good)} (λ)")
    words = f"both at {passed} of {total} settings"
    yield verdicts.share_verdict(passed, total), words, "; ".join(where)


def _lam_trend(numbers: Numbers, mode: str) -> Cases:
    """With λ the precision rises and the recall falls."""
    rows = _robust(numbers, mode, n=FIXED)
    lams = frames.unique_of(rows, "lam")
    for n, own in groups(rows, "n"):
        precision, recall = (frames.curve_of(own, "lam", measure) for measure in BARS)
        if len(precision.x) > 1:
            both = [verdicts.trend(precision), verdicts.trend(verdicts.falling(recall))]
            words = f"{n:g} faces: {_ends(precision, 'precision')}, {_ends(recall, 'recall')}"
            yield verdicts.worst(both), words, f"λ from {lams[0]:g} to {lams[-1]:g}"


def _lam_portion(numbers: Numbers, mode: str) -> Cases:
    """The best λ falls as more pixels are polluted."""
    portion = groups(table_of(numbers, "portion"), "pixels")
    best = pd.Series({pixels: means(rows, "lam", "f1").idxmax() for pixels, rows in portion})
    if len(best) > 1:
        falls = best.iloc[-1] < best.iloc[0]
        words = ", ".join(f"{lam:g} at {pixels:g} pixels" for pixels, lam in best.items())
        yield graded(falls and best.is_monotonic_decreasing, partly=falls), words


def _thresholds_poor(numbers: Numbers, mode: str) -> Cases:
    """No threshold on a plain method's residual reaches the level RobustNMF is claimed to reach."""
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
            yield reached <= BARS["recall"], words


def _thresholds_sensitive(numbers: Numbers, mode: str) -> Cases:
    """Half or twice the best threshold costs much of F1."""
    for name, _, rows in plain_methods(numbers, "curves", mode):
        f1 = means(rows, "threshold", "f1")
        best = f1.idxmax()
        low, high = (
            f1.iloc[abs(f1.index - goal).argmin()] for goal in (best / _FACTOR, best * _FACTOR)
        )
        words = (
            f"{name}: F1 {f1.max():.2f} at {best:g} grey levels, "
            f"{low:.2f} at half, {high:.2f} at twice that"
        )
        yield 1 - min(low, high) / f1.max() > _LOSS, words


def _nonzero(numbers: Numbers, mode: str) -> Cases:
    """Nonzero entries of E, taken literally, are polluted pixels."""
    rows = pick(table_of(numbers, "traces"), solver="mu", n=FIXED)
    if len(rows):
        last = rows["iteration"].max()
        rows = pick(rows, iteration=last)
        literal = mean_of(rows, "precision_0")
        tolerant = mean_of(rows, f"precision_{STATED_TOLERANCE:g}")
        words = (
            f"precision {percent(literal)} if every nonzero entry counts, {percent(tolerant)} if "
            f"only those above {100 * STATED_TOLERANCE:g} % of the data's mean do"
        )
        where = f"after {last:g} iterations; it needs a tolerance, which the paper does not give"
        yield graded(literal > BARS["precision"], partly=tolerant > BARS["recall"]), words, where


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
