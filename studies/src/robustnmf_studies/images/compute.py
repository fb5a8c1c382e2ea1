"""One picture, one damage, all methods."""

from __future__ import annotations

import functools
import math
import time
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf._common.optional import import_extra
from robustnmf._image.denoise import MODES
from robustnmf.image import denoise_image
from robustnmf.metrics import detection_scores, psnr
from robustnmf_studies.common.storage import Rows, save_pictures
from robustnmf_studies.images.data import damage, load_part
from robustnmf_studies.images.methods import METHODS
from robustnmf_studies.images.settings import CORRUPT_FROM, NATURAL, SHOWN, Case


def compute(case: Case, pictures: Path, seed: int) -> Rows:
    """Damage a picture, let every method restore it, and measure.

    Parameters
    ----------
    case : Case
        Which picture and damage.
    pictures : Path
        Where the results of the pictures to look at go.
    seed : int
        From which noise and starts follow.

    Returns
    -------
    dict of lists of rows
        ``images``: PSNR (none where a picture is exact), SSIM, detection and seconds.
    """
    _warm_up()
    clean = load_part(case.picture, case.side)
    dirty = damage(clean, case, seed)
    wrong = np.abs(dirty.astype(float) - clean) > CORRUPT_FROM
    rows = []
    shown = {"clean": clean, "dirty": dirty}
    for name, method in METHODS.items():
        began = time.perf_counter()
        # Only the oracle looks at what was changed.
        found = method(dirty, dirty != clean, seed)
        seconds = time.perf_counter() - began
        quality = psnr(clean, found.picture, data_range=255)
        scores = {}
        if found.mask is not None:
            scores = detection_scores(wrong, found.mask)._asdict()
        rows.append(
            {
                "picture": case.picture,
                "group": "natural" if case.picture in NATURAL else "hard",
                "damage": case.damage,
                "amount": case.amount,
                "side": case.side,
                "method": name,
                "psnr": round(quality, 4) if math.isfinite(quality) else None,
                "ssim": round(_ssim(clean, found.picture), 5),
                **{key: round(value, 5) for key, value in scores.items()},
                "changed": float((found.picture != dirty).mean()),
                "seconds": round(seconds, 4),
            }
        )
        shown[name] = found.picture.astype(np.uint8)
    if case.picture in SHOWN:
        path = pictures / f"{case.picture}-{case.damage}-{100 * case.amount:g}.npz"
        save_pictures(path, shown)
    return {"images": rows}


@functools.cache
def _warm_up() -> None:
    """Compile, once in a process: that is no part of the time a method takes."""
    small = np.random.default_rng(0).integers(0, 256, (32, 32)).astype(np.uint8)
    for mode in MODES:
        denoise_image(small, mode=mode, random_state=0)


def _ssim(clean: Any, restored: Any) -> float:
    metrics = import_extra("skimage.metrics", "image", "SSIM needs")
    a, b = clean.astype(np.float64), restored.astype(np.float64)
    return float(metrics.structural_similarity(a, b, data_range=255))
