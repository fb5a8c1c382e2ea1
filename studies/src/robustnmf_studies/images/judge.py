"""The targets, each decided from the numbers."""

from __future__ import annotations

import itertools

import pandas as pd

from robustnmf_studies.common.frames import Numbers, pick, table_of
from robustnmf_studies.common.targets import Judged, decide
from robustnmf_studies.images.methods import MEDIANS, METHOD_NAMES, OURS, RIVALS
from robustnmf_studies.images.numbers import means, noise_words
from robustnmf_studies.images.settings import CLEAN, IMPULSES, LEVELS, RANDOM, SALT_PEPPER

LEAST_GAIN = 3.0
LEAST_F1 = {SALT_PEPPER: 0.95, RANDOM: 0.90}
MOST_CHANGED = 0.003

# A kind of noise, and its share.
_Noise = tuple[str, float]


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    images = table_of(numbers, "images")
    natural = pick(images, group="natural")
    psnr, f1 = (
        means(natural, measure, ["damage", "amount"], ["method"]) for measure in ("psnr", "f1")
    )
    noises = list(itertools.product(IMPULSES, LEVELS))
    return [
        *(_above_all(psnr, noise) for noise in noises),
        *(_above_medians(psnr, noise) for noise in noises if noise[1] <= 0.1),
        *(_detects(f1, noise) for noise in noises if noise[1] <= 0.2),
        _leaves_clean(pick(images, damage=CLEAN, method=OURS)),
    ]


def _at(means: pd.DataFrame, noise: _Noise) -> pd.Series:
    """Return the means of the methods at a noise; nothing for those without."""
    found = means.loc[noise] if noise in means.index else pd.Series(dtype=float)
    return found.reindex(list(METHOD_NAMES))


def _above_all(psnr: pd.DataFrame, noise: _Noise) -> Judged:
    target = f"{noise_words(*noise)}: mean PSNR above every unsupervised rival"
    ours, rivals = _at(psnr, noise)[OURS], _at(psnr, noise)[list(RIVALS)].dropna()
    if pd.isna(ours) or rivals.empty:
        return decide(target, "", None)
    best = rivals.max()
    measured = f"{ours:.1f} dB; best rival {METHOD_NAMES[rivals.idxmax()]}, {best:.1f} dB"
    return decide(target, measured, ours > best)


def _above_medians(psnr: pd.DataFrame, noise: _Noise) -> Judged:
    target = f"{noise_words(*noise)}: ≥ {LEAST_GAIN:g} dB above the better median filter"
    gain = _at(psnr, noise)[OURS] - _at(psnr, noise)[list(MEDIANS)].max()
    return decide(target, f"{gain:+.1f} dB", None if pd.isna(gain) else gain >= LEAST_GAIN)


def _detects(f1: pd.DataFrame, noise: _Noise) -> Judged:
    least = LEAST_F1[noise[0]]
    found = _at(f1, noise)[OURS]
    good = None if pd.isna(found) else found >= least
    return decide(f"{noise_words(*noise)}: F1 ≥ {least:.2f}", f"{found:.3f}", good)


def _leaves_clean(own: pd.DataFrame) -> Judged:
    target = f"clean pictures, the hard ones too: ≤ {100 * MOST_CHANGED:g} % of the pixels change"
    if not len(own):
        return decide(target, "", None)
    worst = own.loc[own["changed"].idxmax()]
    measured = f"at most {100 * worst['changed']:.3f} % ({worst['picture']})"
    return decide(target, measured, worst["changed"] <= MOST_CHANGED)
