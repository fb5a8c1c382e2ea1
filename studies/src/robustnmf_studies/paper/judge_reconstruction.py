"""Claims about restoring faces and pictures (the paper's section 6.2)."""

from __future__ import annotations

from functools import partial

import pandas as pd

from robustnmf_studies.common.frames import (
    Numbers,
    curve_of,
    groups,
    mean_of,
    means,
    pick,
    table_of,
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
    change,
    joined,
    percent,
    share_verdict,
    thousands,
    trend,
)
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.numbers import plain_methods
from robustnmf_studies.paper.settings import FIXED

# By how much the error must grow for a method to be called sensitive.
_SENSITIVE = 0.1
_OURS = ("robust", "refit")


def _saved(numbers: Numbers, mode: str, base: str, method: str) -> pd.DataFrame:
    """Return the error ``msre`` of one method and what another has ``saved`` of it, by run."""
    rows = pick(table_of(numbers, "faces"), mode=mode, lam=LAM)
    bases, others = (pick(rows, method=name) for name in (base, method))
    if not len(bases) or not len(others):
        return pd.DataFrame()
    both = bases.merge(others, on=["n", "pixels", "run"], suffixes=("", "_other"))
    return both.assign(saved=both["msre"] - both["msre_other"])


def _span(gains: list[float]) -> str:
    return f"error {change(-max(gains))} to {change(-min(gains))}"


def _beats(x: str, fixed: str, unit: str, numbers: Numbers, mode: str) -> Finding:
    """Both methods have a lower mean error than NMF at every place of the curves over `x`."""
    passed, total, words, where = 0, 0, [], []
    for method in _OURS:
        saved = _saved(numbers, mode, "nmf", method)
        gains: list[float] = []
        for value in FIXED:
            here = pick(saved, **{fixed: value})
            gain = means(here, x, "saved")
            # With one place there is no curve over x, only a point of another one.
            if len(gain) < 2:
                continue
            gains += (gain / means(here, x, "msre")).tolist()
            good = gain.index[gain > 0]
            passed, total = passed + len(good), total + len(gain)
            if len(good) < len(gain):
                where.append(f"{NAMES[method]}, {value} {unit}: {among(gain.index, good)}")
        if gains:
            words.append(f"{NAMES[method]}: {_span(gains)}")
    if not total:
        return NOT_MEASURED
    summary = f"better at {passed} of {total} places; against NMF, " + "; ".join(words)
    return Finding(share_verdict(passed, total), summary, "; ".join(where) or "everywhere")


def _advantage_grows(numbers: Numbers, mode: str) -> Finding:
    """The error saved rises with the number of polluted pixels."""
    cases, where = [], []
    for n in FIXED:
        for method in _OURS:
            saved = pick(_saved(numbers, mode, "nmf", method), n=n)
            gain = curve_of(saved, "pixels", "saved")
            if len(gain.x) < 2:
                continue
            name = f"{NAMES[method]}, {n} faces"
            ends = f"{thousands(gain.mean[0])} → {thousands(gain.mean[-1])}"
            cases.append((trend(gain), f"{name}: {ends}"))
            top = means(saved, "pixels", "saved").idxmax()
            if top != gain.x[-1]:
                where.append(f"{name}: largest at {top:g} pixels")
    return joined(cases, "; ".join(where) or "everywhere", head="error saved: ")


def _refit_beats(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF+WNMF has a lower error than RobustNMF at every place."""
    passed, where = 0, []
    gains: list[float] = []
    for n, here in groups(_saved(numbers, mode, "robust", "refit"), "n"):
        gain = means(here, "pixels", "saved")
        gains += (gain / means(here, "pixels", "msre")).tolist()
        bad = gain.index[~(gain > 0)]
        passed += len(gain) - len(bad)
        if len(bad):
            where.append(f"not at {n:g} faces with {', '.join(f'{p:g}' for p in bad)} pixels")
    if not gains:
        return NOT_MEASURED
    return Finding(
        share_verdict(passed, len(gains)),
        f"better at {passed} of {len(gains)} places; {_span(gains)}",
        "; ".join(where) or "everywhere",
    )


def _underestimates(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF's E is smaller than the true noise, and the refit's is not."""
    ratios = {}
    for method in _OURS:
        rows = pick(table_of(numbers, "shrinkage"), method=method, mode=mode, n=100)
        if not len(rows):
            return NOT_MEASURED
        true, estimate = ((rows[name] * rows["count"]).sum() for name in ("true", "estimate"))
        ratios[method] = estimate / true
    shrunk = ratios["robust"] < 0.95
    cured = abs(1 - ratios["refit"]) < abs(1 - ratios["robust"])
    return Finding(
        HOLDS if shrunk and cured else PARTLY if shrunk else FAILS,
        f"E is {percent(ratios['robust'])} of the true noise where it was found, "
        f"{percent(ratios['refit'])} after the refit",
        "100 faces, all numbers of pixels",
    )


def _plain_sensitive(numbers: Numbers, mode: str) -> Finding:
    """The noise raises the error of NMF and of PCA."""
    cases = []
    for name, _, rows in plain_methods(numbers, "sensitivity", mode):
        rise = mean_of(rows, "msre_polluted") / mean_of(rows, "msre_clean") - 1
        cases.append((HOLDS if rise > _SENSITIVE else FAILS, f"{name}: {change(rise)}"))
    return joined(cases, "50 pixels of 255", head="error: ")


def _pictures(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF's pictures have a higher PSNR and SSIM than NMF's."""
    rows = pick(table_of(numbers, "pictures"), mode=mode)
    if not len(rows):
        return NOT_MEASURED
    ours, nmf = (
        pick(rows, method=method).groupby("image")[["psnr", "ssim"]].mean()
        for method in ("robust", "nmf")
    )
    gain = ours - nmf
    bad = [
        f"not {image} by {measure.upper()}"
        for image, row in gain.iterrows()
        for measure, value in row.items()
        if not value > 0
    ]
    low, high = gain.min(), gain.max()
    return Finding(
        share_verdict(gain.size - len(bad), gain.size),
        f"PSNR {low['psnr']:+.1f} to {high['psnr']:+.1f} dB, "
        f"SSIM {low['ssim']:+.2f} to {high['ssim']:+.2f} over {len(gain)} pictures",
        "; ".join(bad) or "every picture, by both measures",
    )


DECIDE: dict[str, Decide] = {
    "plain-sensitive": _plain_sensitive,
    "beats-by-faces": partial(_beats, "n", "pixels", "pixels"),
    "beats-by-pixels": partial(_beats, "pixels", "n", "faces"),
    "advantage-grows": _advantage_grows,
    "refit-beats": _refit_beats,
    "underestimates": _underestimates,
    "pictures": _pictures,
}
