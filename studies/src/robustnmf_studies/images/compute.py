"""One picture, one damage, all methods."""

from __future__ import annotations

import functools
import math
from dataclasses import asdict
from pathlib import Path

import numpy as np

from robustnmf._image.denoise import MODES
from robustnmf.image import denoise_image
from robustnmf.metrics import detection_scores
from robustnmf_studies.common.photographs import quality
from robustnmf_studies.common.problem import timed
from robustnmf_studies.common.storage import Rows, save_pictures
from robustnmf_studies.images.data import damage, load_part
from robustnmf_studies.images.methods import METHODS
from robustnmf_studies.images.settings import CORRUPT_FROM, NATURAL, SHOWN, Case


def compute(case: Case, pictures: Path, seed: int) -> Rows:
    """Damage a picture, let every method restore it, and measure.

    Gives a row for each method: PSNR (none where a picture is exact), SSIM, detection and seconds.
    """
    _warm_up()
    clean = load_part(case.picture, case.side)
    dirty = damage(clean, case, seed)
    wrong = np.abs(dirty.astype(float) - clean) > CORRUPT_FROM
    columns = asdict(case) | {"group": "natural" if case.picture in NATURAL else "hard"}
    rows = []
    shown = {"clean": clean, "dirty": dirty}
    for name, method in METHODS.items():
        # Only the oracle looks at what was changed.
        found, seconds = timed(functools.partial(method, dirty, dirty != clean, seed))
        scores = quality(clean, found.picture)
        scores["ssim"] = round(scores["ssim"], 5)
        if found.mask is not None:
            detection = detection_scores(wrong, found.mask)._asdict()
            scores |= {key: round(value, 5) for key, value in detection.items()}
        psnr = round(scores.pop("psnr"), 4)
        rows.append(
            {
                **columns,
                "method": name,
                "psnr": psnr if math.isfinite(psnr) else None,
                **scores,
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
