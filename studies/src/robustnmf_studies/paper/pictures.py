"""Photographs cut into patches, polluted, and put together again (figure 4)."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.optional import import_extra
from robustnmf._image.patches import cut_patches, join_patches
from robustnmf.datasets import corrupt
from robustnmf.metrics import psnr
from robustnmf_studies.common.detection import score
from robustnmf_studies.common.photographs import load_picture
from robustnmf_studies.common.problem import LAM
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.paper.methods import (
    ALL,
    Answer,
    Problem,
    keep_clean,
    timed,
)
from robustnmf_studies.paper.points import Point
from robustnmf_studies.paper.settings import OPTIMUM, REFERENCE, Settings
from robustnmf_studies.paper.traces import negative_share, start_rules

Array = NDArray[Any]


def denoise(point: Point, settings: Settings) -> tuple[Rows, dict[str, NDArray[np.uint8]]]:
    """Pollute one picture and let every method restore it.

    Parameters
    ----------
    point : Point
        Which picture and run.
    settings : Settings
        Size, patches, share of wrong pixels, iterations, seed.

    Returns
    -------
    tables : dict of lists of rows
        ``pictures``: PSNR and SSIM of each method, and how much noise it found; ``constraint``:
        where the paper's rules, to the letter, make the cleaned picture negative.
    pictures : dict of ndarray
        The results themselves, by ``method/mode``.
    """
    clean = load_picture(point.image, settings.picture)
    name = [ord(letter) for letter in point.image]
    noise = np.random.default_rng([settings.seed, point.run, *name])
    # As one sample, so that the share is exact for the picture, not for each patch.
    polluted, mask = (
        part.reshape(clean.shape)
        for part in corrupt(
            clean.reshape(1, -1), "salt_pepper", settings.density, high=255, random_state=noise
        )
    )
    side = settings.patch
    patches = Problem(
        cut_patches(polluted.astype(np.float64), side),
        cut_patches(clean.astype(np.float64), side),
        cut_patches(mask, side),
        seed=settings.seed + point.run,
        lam=LAM,
    )
    whole = Problem(
        polluted.astype(np.float64).reshape(1, -1),
        clean.astype(np.float64).reshape(1, -1),
        mask.reshape(1, -1),
        seed=settings.seed + point.run,
        image_shape=clean.shape,
    )
    results: dict[tuple[str, str], tuple[Array, float]] = {
        ("truth", ""): (clean, 0.0),
        ("polluted", ""): (polluted, 0.0),
    }
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for method in ALL:
        # A median filter looks at neighbours, which patches cut apart.
        problem = whole if method.name == "median" else patches
        answer, seconds = timed(method, problem, settings)
        results[method.name, method.mode] = _assemble(answer, clean.shape, side), seconds
        if answer.noise is not None and method.mode != REFERENCE:
            scores = score(patches.mask, answer.noise != 0)
            found[method.name, method.mode] = scores._asdict()
        if (method.name, method.mode) == ("robust", OPTIMUM):
            kept = keep_clean(answer, patches.X)
            results["keep", OPTIMUM] = _assemble(kept, clean.shape, side), seconds
    rows = [
        {
            "image": point.image,
            "run": point.run,
            "method": method,
            "mode": mode,
            **_quality(clean, restored),
            **found.get((method, mode), {}),
            "seconds": round(seconds, 4),
        }
        for (method, mode), (restored, seconds) in results.items()
        if method != "truth"
    ]
    shown = {
        f"{method}/{mode}" if mode else method: np.rint(restored).astype(np.uint8)
        for (method, mode), (restored, _) in results.items()
    }
    # Black pixels are where X − E ≥ 0 can break, and faces have none.
    states = islice(start_rules(patches), settings.iterations + 1)
    share = max(negative_share(patches, state) for state in states)
    constraint = [{"image": point.image, "run": point.run, "negative_share": share}]
    return {"pictures": rows, "constraint": constraint}, shown


def _assemble(answer: Answer, shape: tuple[int, ...], side: int) -> Array:
    height, width = shape
    restored = answer.restored
    if len(restored) > 1:
        restored = join_patches(restored, (height, width), side)
    # No picture shows less than black or more than white; this helps all methods alike.
    return np.clip(restored.reshape(height, width), 0, 255)


def _quality(clean: Array, restored: Array) -> dict[str, float]:
    metrics = import_extra("skimage.metrics", "image", "SSIM needs")
    a, b = clean.astype(np.float64), restored.astype(np.float64)
    return {
        "psnr": psnr(a, b, data_range=255),
        "ssim": float(metrics.structural_similarity(a, b, data_range=255)),
    }
