"""Claims about restoring faces and pictures, and about the algorithm itself.

The paper makes them in its sections 6.2, 4 and 5, and in its abstract.
"""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from robustnmf_studies.common import frames, verdicts
from robustnmf_studies.common.frames import Numbers, groups, mean_of, means, pick, table_of
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.verdicts import Cases, Decide, change, graded, percent, share_verdict
from robustnmf_studies.paper.methods import NAMES
from robustnmf_studies.paper.numbers import plain_methods
from robustnmf_studies.paper.settings import FIXED, PAPER

# By how much the error must grow for a method to be called sensitive.
_SENSITIVE = 0.1
# A rise below this share of the objective is rounding.
_ROUNDING = 1e-12
# The objective has settled when ten iterations lower it by less than this share.
_SETTLED = 1e-4
# Close enough to the best objective known to call a run done.
_NEAR = 0.01
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


def _beats(x: str, fixed: str, unit: str, numbers: Numbers, mode: str) -> Cases:
    """Both methods have a lower mean error than NMF at every point of the curves over `x`."""
    passed, total, words, where = 0, 0, [], []
    for method in _OURS:
        saved = _saved(numbers, mode, "nmf", method)
        gains: list[float] = []
        for value in FIXED:
            here = pick(saved, **{fixed: value})
            gain = means(here, x, "saved")
            # With one point there is no curve over x, only a point of another one.
            if len(gain) < 2:
                continue
            gains += (gain / means(here, x, "msre")).tolist()
            good = gain.index[gain > 0]
            passed, total = passed + len(good), total + len(gain)
            if len(good) < len(gain):
                at = verdicts.among(gain.index, good)
                where.append(f"{NAMES[method]}, {value} {unit}: {at}")
        if gains:
            words.append(f"{NAMES[method]}: {_span(gains)}")
    summary = f"better in {passed} of {total} cases; against NMF, " + "; ".join(words)
    yield share_verdict(passed, total), summary, "; ".join(where)


def _advantage_grows(numbers: Numbers, mode: str) -> Cases:
    """The error saved rises with the number of polluted pixels."""
    for n in FIXED:
        for method in _OURS:
            saved = pick(_saved(numbers, mode, "nmf", method), n=n)
            gain = frames.curve_of(saved, "pixels", "saved")
            if len(gain.x) > 1:
                name = f"{NAMES[method]}, {n} faces"
                first, last = (verdicts.thousands(gain.mean[end]) for end in (0, -1))
                top = gain.x[np.argmax(gain.mean)]
                where = f"{name}: largest at {top:g} pixels" if top != gain.x[-1] else ""
                yield verdicts.trend(gain), f"{name}: {first} → {last}", where


def _refit_beats(numbers: Numbers, mode: str) -> Cases:
    """RobustNMF+WNMF has a lower error than RobustNMF in every case."""
    saved = _saved(numbers, mode, "robust", "refit")
    if len(saved):
        mean = saved.groupby(["n", "pixels"])[["saved", "msre"]].mean()
        bad = mean.index[~(mean["saved"] > 0)].to_frame(index=False)
        where = [
            f"not at {n:g} faces with {', '.join(f'{p:g}' for p in own)} pixels"
            for n, own in bad.groupby("n")["pixels"]
        ]
        passed = len(mean) - len(bad)
        gains = (mean["saved"] / mean["msre"]).tolist()
        words = f"better in {passed} of {len(mean)} cases; {_span(gains)}"
        yield share_verdict(passed, len(mean)), words, "; ".join(where)


def _underestimates(numbers: Numbers, mode: str) -> Cases:
    """RobustNMF's E is smaller than the true noise, and the refit's is not."""
    rows = pick(table_of(numbers, "shrinkage"), method=_OURS, mode=mode, n=100)
    if len(frames.unique_of(rows, "method")) == len(_OURS):
        sums = rows[["true", "estimate"]].mul(rows["count"], axis=0).groupby(rows["method"]).sum()
        robust, refit = (sums["estimate"] / sums["true"])[list(_OURS)]
        shrunk = robust < 0.95
        words = (
            f"E is {percent(robust)} of the true noise where it was found, "
            f"{percent(refit)} after the refit"
        )
        yield graded(shrunk and abs(1 - refit) < abs(1 - robust), partly=shrunk), words


def _plain_sensitive(numbers: Numbers, mode: str) -> Cases:
    """The noise raises the error of NMF and of PCA."""
    for name, _, rows in plain_methods(numbers, "sensitivity", mode):
        rise = mean_of(rows, "msre_polluted") / mean_of(rows, "msre_clean") - 1
        yield rise > _SENSITIVE, f"{name}: {change(rise)}"


def _pictures(numbers: Numbers, mode: str) -> Cases:
    """RobustNMF's pictures have a higher PSNR and SSIM than NMF's."""
    rows = pick(table_of(numbers, "pictures"), mode=mode)
    if len(rows):
        means = rows.groupby(["method", "image"])[["psnr", "ssim"]].mean()
        gain = means.loc["robust"] - means.loc["nmf"]
        cells = gain.stack(future_stack=True)
        bad = cells.index[~(cells > 0)]
        words = (
            f"PSNR {gain['psnr'].min():+.1f} to {gain['psnr'].max():+.1f} dB, "
            f"SSIM {gain['ssim'].min():+.2f} to {gain['ssim'].max():+.2f} over {len(gain)} pictures"
        )
        where = "; ".join(f"not {image} by {measure.upper()}" for image, measure in bad)
        yield share_verdict(len(cells) - len(bad), len(cells)), words, where


def _never_rises(numbers: Numbers, mode: str) -> Cases:
    """The objective falls, or stays, in every iteration of every run."""
    rows = pick(table_of(numbers, "falls"), mode=mode)
    if len(rows):
        rises = rows["largest_rise"]
        good = rises <= _ROUNDING
        rose = "never rose" if good.all() else f"rose by up to {rises.max():.1e} of it"
        words = f"{rose} in {rows['iterations'].sum():,.0f} iterations of {len(rises)} runs"
        where = "eq. 8 and 9 to the letter" if mode == PAPER else "a rise would be rejected"
        yield share_verdict(int(good.sum()), len(rises)), words, where


def _converges(numbers: Numbers, mode: str) -> Cases:
    """The objective settles, and does so within the iterations stated."""
    for n, here in groups(pick(table_of(numbers, "falls"), mode=mode), "n"):
        early, late = mean_of(here, "late_fall_stated"), mean_of(here, "late_fall_last")
        falls = f"{percent_fine(late)} after {mean_of(here, 'iterations'):,.0f}"
        if mode == PAPER:
            falls = f"{percent_fine(early)} after the stated iterations, {falls}"
        yield graded(early < _SETTLED, partly=late < _SETTLED), f"{n:g} faces: {falls}"


def percent_fine(value: float) -> str:
    """Write a small share as a percentage.

    Examples
    --------
    >>> percent_fine(0.00374), percent_fine(2e-9)
    ('0.37 %', '< 0.001 %')
    """
    return "< 0.001 %" if value < 1e-5 else f"{100 * value:.2g} %"


def _efficient(numbers: Numbers, mode: str) -> Cases:
    """After the stated iterations the objective is within 1 % of the best known."""
    falls = table_of(numbers, "falls")
    if len(falls):
        best = falls.groupby(["n", "run"])["last"].transform("min")
        # An exact fit has objective zero, against which no share can be taken.
        above = falls["at_stated"] / np.maximum(best, 1e-6 * falls["first"]) - 1
        for n, value in means(pick(falls.assign(above=above), mode=PAPER), "n", "above").items():
            high = f"{100 * value:.2g} % above" if value < 1 else f"{1 + value:,.0f} times as high"
            yield value < _NEAR, f"{n:g} faces: {high}"


def _constraint(numbers: Numbers, mode: str) -> Cases:
    """X − E stays nonnegative under the rules as they stand."""
    for name, rows in (
        ("faces", pick(table_of(numbers, "falls"), solver="mu")),
        ("pictures with black pixels", table_of(numbers, "constraint")),
    ):
        shares = frames.values_of(rows, "negative_share")
        if shares:
            broken = f"broken at up to {percent_fine(max(shares))} of the entries"
            words = f"{name}: {broken if max(shares) else 'never broken'}"
            yield share_verdict(shares.count(0), len(shares)), words


DECIDE: dict[str, Decide] = {
    "plain-sensitive": _plain_sensitive,
    "beats-by-faces": partial(_beats, "n", "pixels", "pixels"),
    "beats-by-pixels": partial(_beats, "pixels", "n", "faces"),
    "advantage-grows": _advantage_grows,
    "refit-beats": _refit_beats,
    "underestimates": _underestimates,
    "pictures": _pictures,
    "never-rises": _never_rises,
    "converges": _converges,
    "efficient": _efficient,
    "constraint": _constraint,
}
