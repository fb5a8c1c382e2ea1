"""Claims about restoring faces and pictures (the paper's section 6.2)."""

from __future__ import annotations

import pandas as pd

from robustnmf_studies.common.frames import (
    Numbers,
    curve_of,
    mean_of,
    pick,
    table_of,
    unique_of,
    values_of,
)
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import (
    FAILS,
    HOLDS,
    NOT_MEASURED,
    PARTLY,
    Finding,
    among,
    change,
    paired,
    percent,
    share_verdict,
    thousands,
    trend,
    worst,
)
from robustnmf_studies.paper.compute import FIXED
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.settings import OPTIMUM

# By how much the error must grow for a method to be called sensitive.
SENSITIVE = 0.1


def _faces(numbers: Numbers, method: str, mode: str) -> pd.DataFrame:
    return pick(table_of(numbers, "faces"), method=method, mode=mode, lam=LAM)


def _beats(numbers: Numbers, mode: str, x: str, fixed: str) -> Finding:
    """Compare mean errors at every place of the curves over `x`."""
    passed, total, words, where = 0, 0, [], []
    for method in ("robust", "refit"):
        nmf, ours = _faces(numbers, "nmf", mode), _faces(numbers, method, mode)
        gains: list[float] = []
        for value in FIXED:
            gain = paired(pick(nmf, **{fixed: value}), x, "msre", pick(ours, **{fixed: value}))
            base = curve_of(pick(nmf, **{fixed: value}), x, "msre")
            # With one place there is no curve over x, only a point of another one.
            if len(gain.x) < 2:
                continue
            level = dict(zip(base.x, base.mean, strict=True))
            gains += [g / level[place] for place, g in zip(gain.x, gain.mean, strict=True)]
            good = [place for place, g in zip(gain.x, gain.mean, strict=True) if g > 0]
            passed, total = passed + len(good), total + len(gain.x)
            unit = "pixels" if fixed == "pixels" else "faces"
            if good != gain.x:
                where.append(f"{NAMES[method]}, {value} {unit}: {among(gain.x, good)}")
        if gains:
            words.append(f"{NAMES[method]}: error {change(-max(gains))} to {change(-min(gains))}")
    if not total:
        return NOT_MEASURED
    summary = f"better at {passed} of {total} places; against NMF, " + "; ".join(words)
    return Finding(share_verdict(passed, total), summary, "; ".join(where) or "everywhere")


def beats_by_faces(numbers: Numbers, mode: str) -> Finding:
    """Both methods beat NMF for every number of faces."""
    return _beats(numbers, mode, "n", "pixels")


def beats_by_pixels(numbers: Numbers, mode: str) -> Finding:
    """Both methods beat NMF for every number of polluted pixels."""
    return _beats(numbers, mode, "pixels", "n")


def advantage_grows(numbers: Numbers, mode: str) -> Finding:
    """The error saved rises with the number of polluted pixels."""
    verdicts, words, where = [], [], []
    for n in FIXED:
        nmf = pick(_faces(numbers, "nmf", mode), n=n)
        for method in ("robust", "refit"):
            gain = paired(nmf, "pixels", "msre", pick(_faces(numbers, method, mode), n=n))
            if len(gain.x) < 2:
                continue
            verdicts.append(trend(gain))
            words.append(
                f"{NAMES[method]}, {n} faces: {thousands(gain.mean[0])} → "
                f"{thousands(gain.mean[-1])}"
            )
            top = gain.x[gain.mean.index(max(gain.mean))]
            if top != gain.x[-1]:
                where.append(f"{NAMES[method]}, {n} faces: largest at {top:g} pixels")
    if not verdicts:
        return NOT_MEASURED
    return Finding(
        worst(verdicts), "error saved: " + "; ".join(words), "; ".join(where) or "everywhere"
    )


def refit_beats(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF+WNMF has a lower error than RobustNMF at every place."""
    plain, refit = _faces(numbers, "robust", mode), _faces(numbers, "refit", mode)
    passed, total, where, gains = 0, 0, [], []
    for n in unique_of(plain, "n"):
        gain = paired(pick(plain, n=n), "pixels", "msre", pick(refit, n=n))
        level = curve_of(pick(plain, n=n), "pixels", "msre")
        gains += [g / base for g, base in zip(gain.mean, level.mean, strict=True)]
        bad = [place for place, g in zip(gain.x, gain.mean, strict=True) if not g > 0]
        passed, total = passed + len(gain.x) - len(bad), total + len(gain.x)
        if bad:
            where.append(f"not at {n:g} faces with {', '.join(f'{p:g}' for p in bad)} pixels")
    if not total:
        return NOT_MEASURED
    return Finding(
        share_verdict(passed, total),
        f"better at {passed} of {total} places; error {change(-max(gains))} to "
        f"{change(-min(gains))}",
        "; ".join(where) or "everywhere",
    )


def underestimates(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF's E is smaller than the true noise, and the refit's is not."""
    ratios = {}
    for method in ("robust", "refit"):
        rows = pick(table_of(numbers, "shrinkage"), method=method, mode=mode, n=100)
        weight = sum(values_of(rows, "count"))
        if not weight:
            return NOT_MEASURED
        true, estimate = (
            float((rows[name] * rows["count"]).sum()) / weight for name in ("true", "estimate")
        )
        ratios[method] = estimate / true
    shrunk = ratios["robust"] < 0.95
    cured = abs(1 - ratios["refit"]) < abs(1 - ratios["robust"])
    return Finding(
        HOLDS if shrunk and cured else PARTLY if shrunk else FAILS,
        f"E is {percent(ratios['robust'])} of the true noise where it was found, "
        f"{percent(ratios['refit'])} after the refit",
        "100 faces, all numbers of pixels",
    )


def plain_sensitive(numbers: Numbers, mode: str) -> Finding:
    """The noise raises the error of NMF and of PCA."""
    verdicts, words = [], []
    methods = [("NMF", "nmf", mode), *([("PCA", "pca", OPTIMUM)] if mode == OPTIMUM else [])]
    for name, method, of_mode in methods:
        for n in FIXED:
            rows = pick(table_of(numbers, "sensitivity"), method=method, mode=of_mode, n=n)
            if not len(rows):
                continue
            rise = mean_of(rows, "msre_polluted") / mean_of(rows, "msre_clean") - 1
            verdicts.append(HOLDS if rise > SENSITIVE else FAILS)
            words.append(f"{name}, {n} faces: {change(rise)}")
    if not verdicts:
        return NOT_MEASURED
    return Finding(worst(verdicts), "error: " + "; ".join(words), "50 pixels of 255")


def pictures_better(numbers: Numbers, mode: str) -> Finding:
    """RobustNMF's pictures have a higher PSNR and SSIM than NMF's."""
    rows = pick(table_of(numbers, "pictures"), mode=mode)
    passed, total, where = 0, 0, []
    gains: dict[str, list[float]] = {"psnr": [], "ssim": []}
    for image in unique_of(rows, "image"):
        ours, nmf = (pick(rows, image=image, method=name) for name in ("robust", "nmf"))
        for measure, found in gains.items():
            gain = mean_of(ours, measure) - mean_of(nmf, measure)
            found.append(gain)
            total, passed = total + 1, passed + (gain > 0)
            if not gain > 0:
                where.append(f"not {image} by {measure.upper()}")
    if not total:
        return NOT_MEASURED
    psnr, ssim = gains["psnr"], gains["ssim"]
    return Finding(
        share_verdict(passed, total),
        f"PSNR {min(psnr):+.1f} to {max(psnr):+.1f} dB, SSIM {min(ssim):+.2f} to {max(ssim):+.2f} "
        f"over {len(psnr)} pictures",
        "; ".join(where) or "every picture, by both measures",
    )
