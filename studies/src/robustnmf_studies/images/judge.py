"""The targets, each decided from the numbers; ``targets.toml`` has their words."""

from __future__ import annotations

import itertools
from typing import Any

import pandas as pd

from robustnmf_studies.common.frames import Numbers, mean_of, pick, table_of
from robustnmf_studies.common.targets import Judged, tell
from robustnmf_studies.common.words import read_words
from robustnmf_studies.images.methods import MEDIANS, METHOD_NAMES, OURS, RIVALS
from robustnmf_studies.images.settings import CLEAN, IMPULSES, LEVELS, noise_words

LEAST_GAIN = 3.0
LEAST_F1 = dict(zip(IMPULSES, (0.95, 0.90), strict=True))
MOST_CHANGED = 0.003


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every target from the numbers.

    Examples
    --------
    >>> judge({})[0].verdict
    'not measured'
    """
    images = table_of(numbers, "images")
    noises = list(itertools.product(IMPULSES, LEVELS))
    rows = {
        (kind, level): pick(images, group="natural", damage=kind, amount=level)
        for kind, level in noises
    }
    found = [
        *(("above-all", noise, _above_all(rows[noise])) for noise in noises),
        *(("above-medians", n, _above_medians(rows[n])) for n in noises if n[1] <= 0.1),
        *(("detects", n, _detects(rows[n], LEAST_F1[n[0]])) for n in noises if n[1] <= 0.2),
        ("leaves-clean", (CLEAN, 0.0), _leaves_clean(pick(images, damage=CLEAN, method=OURS))),
    ]
    words = read_words("images", "targets")
    return [tell(words[name], {"noise": noise_words(*n), **values}) for name, n, values in found]


def _psnr(rows: pd.DataFrame) -> pd.Series:
    means = {method: mean_of(pick(rows, method=method), "psnr") for method in METHOD_NAMES}
    return pd.Series(means)


def _above_all(rows: pd.DataFrame) -> dict[str, Any]:
    psnr = _psnr(rows)
    rivals = psnr[list(RIVALS)].dropna()
    if pd.isna(psnr[OURS]) or rivals.empty:
        return {}
    best = rivals.max()
    rival = METHOD_NAMES[rivals.idxmax()]
    return {"good": psnr[OURS] > best, "ours": psnr[OURS], "rival": rival, "best": best}


def _above_medians(rows: pd.DataFrame) -> dict[str, Any]:
    psnr = _psnr(rows)
    gain = psnr[OURS] - psnr[list(MEDIANS)].max()
    good = None if pd.isna(gain) else gain >= LEAST_GAIN
    return {"good": good, "gain": gain, "least": LEAST_GAIN}


def _detects(rows: pd.DataFrame, least: float) -> dict[str, Any]:
    f1 = mean_of(pick(rows, method=OURS), "f1")
    return {"good": None if pd.isna(f1) else f1 >= least, "f1": f1, "least": least}


def _leaves_clean(own: pd.DataFrame) -> dict[str, Any]:
    if not len(own):
        return {}
    worst = own.loc[own["changed"].idxmax()]
    return {"good": worst["changed"] <= MOST_CHANGED, **worst[["changed", "picture"]]}
