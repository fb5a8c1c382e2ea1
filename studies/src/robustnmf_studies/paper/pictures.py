"""Photographs cut into patches, polluted, and put together again (figure 4)."""

from __future__ import annotations

import functools
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._image.patches import cut_patches, join_patches
from robustnmf.datasets import corrupt
from robustnmf_studies.common.detection import score
from robustnmf_studies.common.photographs import load_picture, quality
from robustnmf_studies.common.problem import Array, Problem, timed
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.paper.methods import METHODS
from robustnmf_studies.paper.settings import OPTIMUM, REFERENCE, Point, Settings
from robustnmf_studies.paper.traces import negative_share, start_rules


def denoise(point: Point, settings: Settings) -> tuple[Rows, dict[str, NDArray[np.uint8]]]:
    """Pollute one picture and let every method restore it.

    Returns tables and the pictures themselves, by ``method/mode``. ``pictures`` has PSNR and SSIM
    of each method, and how much noise it found; ``constraint`` where the paper's rules, to the
    letter, make the cleaned picture negative.
    """
    clean = load_picture(point.image, settings.picture)
    shape, side = clean.shape, settings.patch
    seed = [settings.seed, point.run, *map(ord, point.image)]
    # As one sample, so that the share is exact for the picture, not for each patch.
    polluted, wrong = corrupt(
        clean.reshape(1, -1),
        "salt_pepper",
        settings.density,
        high=255,
        random_state=np.random.default_rng(seed),
    )
    whole = Problem(
        polluted.astype(np.float64),
        clean.astype(np.float64).reshape(1, -1),
        wrong,
        settings.seed + point.run,
        image_shape=shape,
    )
    cut = [cut_patches(a.reshape(shape), side) for a in (whole.X, whole.clean, wrong)]
    patches = Problem(cut[0], cut[1], cut[2], whole.seed)
    columns = {"image": point.image, "run": point.run}
    rows: list[dict[str, Any]] = []
    shown = {"truth": clean}

    def add(name: str, mode: str, restored: Array, seconds: float, **found: Any) -> None:
        joined = join_patches(restored, shape, side) if len(restored) > 1 else restored
        # No picture shows less than black or more than white; this helps all methods alike.
        picture = np.clip(joined.reshape(shape), 0, 255)
        row = columns | {"method": name, "mode": mode} | quality(clean, picture) | found
        rows.append(row | {"seconds": round(seconds, 4)})
        shown[f"{name}/{mode}" if mode else name] = np.rint(picture).astype(np.uint8)

    add("polluted", "", whole.X, 0.0)
    for (name, mode), method in METHODS.items():
        # A median filter looks at neighbours, which patches cut apart.
        problem = whole if name == "median" else patches
        answer, seconds = timed(functools.partial(method, problem, settings))
        found = {}
        if answer.noise is not None and mode != REFERENCE:
            found = score(patches.mask, answer.noise != 0)._asdict()
        add(name, mode, answer.restored, seconds, **found)
        if (name, mode) == ("robust", OPTIMUM):
            add("keep", OPTIMUM, answer.keep_clean(patches.X).restored, seconds)
    # Black pixels are where X − E ≥ 0 can break, and faces have none.
    states = islice(start_rules(patches), settings.iterations + 1)
    share = max(negative_share(patches, state) for state in states)
    return {"pictures": rows, "constraint": [columns | {"negative_share": share}]}, shown
