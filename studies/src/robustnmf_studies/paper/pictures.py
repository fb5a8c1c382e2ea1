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
from robustnmf_studies.common.problem import Problem
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.paper.methods import METHODS, Answer, keep_clean, timed
from robustnmf_studies.paper.settings import OPTIMUM, REFERENCE, Point, Settings
from robustnmf_studies.paper.traces import negative_share, start_rules

Array = NDArray[Any]


def denoise(point: Point, settings: Settings) -> tuple[Rows, dict[str, NDArray[np.uint8]]]:
    """Pollute one picture and let every method restore it.

    Returns tables and the pictures themselves, by ``method/mode``. ``pictures`` has PSNR and SSIM
    of each method, and how much noise it found; ``constraint`` where the paper's rules, to the
    letter, make the cleaned picture negative.
    """
    clean = load_picture(point.image, settings.picture)
    seed = [settings.seed, point.run, *map(ord, point.image)]
    # As one sample, so that the share is exact for the picture, not for each patch.
    X, wrong = corrupt(
        clean.reshape(1, -1),
        "salt_pepper",
        settings.density,
        high=255,
        random_state=np.random.default_rng(seed),
    )
    polluted, mask = X.reshape(clean.shape), wrong.reshape(clean.shape)
    start, side = settings.seed + point.run, settings.patch
    patches = Problem(
        cut_patches(polluted.astype(np.float64), side),
        cut_patches(clean.astype(np.float64), side),
        cut_patches(mask, side),
        start,
    )
    whole = Problem(
        X.astype(np.float64),
        clean.astype(np.float64).reshape(1, -1),
        wrong,
        start,
        image_shape=clean.shape,
    )
    place = {"image": point.image, "run": point.run}
    rows: list[dict[str, Any]] = []
    shown = {"truth": clean}

    def add(name: str, mode: str, restored: Array, seconds: float, **found: Any) -> None:
        row = place | {"method": name, "mode": mode} | _quality(clean, restored) | found
        rows.append(row | {"seconds": round(seconds, 4)})
        shown[f"{name}/{mode}" if mode else name] = np.rint(restored).astype(np.uint8)

    add("polluted", "", polluted, 0.0)
    for (name, mode), method in METHODS.items():
        # A median filter looks at neighbours, which patches cut apart.
        problem = whole if name == "median" else patches
        answer, seconds = timed(method, problem, settings)
        found = {}
        if answer.noise is not None and mode != REFERENCE:
            found = score(patches.mask, answer.noise != 0)._asdict()
        add(name, mode, _assemble(answer, clean.shape, side), seconds, **found)
        if (name, mode) == ("robust", OPTIMUM):
            kept = keep_clean(answer, patches.X)
            add("keep", OPTIMUM, _assemble(kept, clean.shape, side), seconds)
    # Black pixels are where X − E ≥ 0 can break, and faces have none.
    states = islice(start_rules(patches), settings.iterations + 1)
    share = max(negative_share(patches, state) for state in states)
    return {"pictures": rows, "constraint": [place | {"negative_share": share}]}, shown


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
