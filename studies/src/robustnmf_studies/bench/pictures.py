"""Pictures: what each pixel costs, beside the filters that one would take otherwise."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from robustnmf._common.optional import import_extra
from robustnmf.image import denoise_image
from robustnmf_studies.bench.iteration import exponent
from robustnmf_studies.bench.plan import FULL, Plan
from robustnmf_studies.bench.results import EXPONENT, PER_PIXEL, SECONDS, Row, compared
from robustnmf_studies.bench.timing import Tell, alternate
from robustnmf_studies.common.processes import in_new_process

Picture = NDArray[np.uint8]

AMOUNT = 0.1
# Rivals that take long are timed on this part of the picture: theirs is the same for each pixel.
_RIVAL_SIDE = 512
_FIRST = """
import json, time
import numpy as np, skimage.data
picture = skimage.data.astronaut()[:64, :64]
times = []
for _ in range(2):
    began = time.perf_counter()
    from robustnmf.image import denoise_image
    denoise_image(picture[..., 1])
    denoise_image(picture, channel_axis=-1)
    times.append(time.perf_counter() - began)
print(json.dumps(dict(first=times[0], second=times[1])))
"""


def photograph(height: int, width: int, *, colour: bool) -> Picture:
    """Make a photograph of any size, a tenth of its values black or white.

    The picture of scikit-image that shows an astronaut, mirrored and put together.
    """
    whole = import_extra("skimage.data", "image", "the pictures need").astronaut()
    two = np.concatenate([whole, whole[:, ::-1]], axis=1)
    four = np.concatenate([two, two[::-1]])
    times = (-(-height // len(four)), -(-width // four.shape[1]), 1)
    picture = np.tile(four, times)[:height, :width]
    if not colour:
        picture = picture[..., 1]
    rng = np.random.default_rng(0)
    dirty = picture.copy()
    # A strip at a time: random numbers take more room than the picture.
    for top in range(0, height, 256):
        strip = dirty[top : top + 256]
        drawn = rng.random(strip.shape, dtype=np.float32)
        strip[drawn < AMOUNT] = 255
        strip[drawn < AMOUNT / 2] = 0
    return dirty


def measure(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Measure one of the cases."""
    found: list[Row] = {"first": first, "growth": growth}.get(case, single)(plan, case, tell)
    return found


def single(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Restore one photograph; the rivals restore part of it, channel by channel."""
    colour = case == "colour"
    height, width = plan.photograph
    dirty = photograph(height, width, colour=colour)
    part = dirty[:_RIVAL_SIDE, :_RIVAL_SIDE]
    options: dict[str, Any] = {"channel_axis": -1} if colour else {}
    ours = partial(denoise_image, dirty, **options)
    # Compile, which is a row of its own.
    denoise_image(part[:64, :64], **options)
    walls = []

    def our_share() -> float:
        began = time.perf_counter()
        spent = _per_pixel(ours, height * width)
        walls.append(time.perf_counter() - began)
        return spent

    n_part = part.shape[0] * part.shape[1]
    rivals = _rivals(part, colour=colour)
    sides = [partial(_per_pixel, function, n_part) for function in rivals.values()]
    rounds = alternate(plan.repeat, our_share, *sides, tell=tell)
    exact = plan.photograph == FULL.photograph
    size = f"{'colour' if colour else 'grey'}, {height * width / 1e6:.1f} megapixels"
    what = f"processor time to restore a photograph, {size}"
    rows = [
        Row(
            f"pictures.{case}",
            what,
            PER_PIXEL,
            [one[0] for one in rounds],
            ours=median(one[0] for one in rounds),
            unit="µs",
            exact=exact,
        ),
        Row(
            f"pictures.{case}-seconds",
            f"the same by the clock, on {_threads()}",
            SECONDS,
            walls,
            ours=median(walls),
            exact=exact,
        ),
    ]
    for at, name in enumerate(rivals, 1):
        pairs = [(one[0], one[at]) for one in rounds]
        key = f"pictures.{case}-{name.split()[0].lower()}"
        rows.append(compared(key, what, "× their time", pairs, unit="µs", rival=name))
    return rows


def _rivals(part: Picture, *, colour: bool) -> dict[str, Callable[[], Any]]:
    """Return what else one would take; none of them says which pixels are wrong."""
    restoration = import_extra("skimage.restoration", "image", "the comparison needs")
    size = (3, 3, 1) if colour else (3, 3)
    as_float = (part / np.float32(255)).astype(np.float32)
    axis = -1 if colour else None
    rivals: dict[str, Callable[[], Any]] = {
        "median 3×3 (SciPy)": partial(ndimage.median_filter, part, size=size),
        "non-local means (scikit-image)": partial(
            restoration.denoise_nl_means,
            as_float,
            patch_size=5,
            patch_distance=6,
            fast_mode=True,
            channel_axis=axis,
        ),
    }
    try:
        import cv2
    except ImportError:
        return rivals
    name = "fastNlMeansDenoisingColored" if colour else "fastNlMeansDenoising"
    return {**rivals, "OpenCV's " + name: partial(getattr(cv2, name), np.ascontiguousarray(part))}


def _per_pixel(function: Callable[[], Any], n_pixels: int) -> float:
    """Return microseconds of processor time, on all threads, for each pixel."""
    began = time.process_time()
    function()
    return 1e6 * (time.process_time() - began) / n_pixels


def _threads() -> str:
    from robustnmf._engines.threads import thread_count

    n = thread_count()
    return f"{n} threads" if n > 1 else "one thread"


def first(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time the first pictures of an interpreter, with nothing in Numba's cache."""
    found = []
    starts = max(1, plan.starts // 3)
    for i in range(starts):
        tell(i / starts)
        with tempfile.TemporaryDirectory() as folder:
            found.append(in_new_process(_FIRST, NUMBA_CACHE_DIR=folder))
    times = [one["first"] for one in found]
    return [
        Row(
            f"pictures.{case}",
            "first pictures, one grey and one in colour, Numba's cache empty",
            SECONDS,
            times,
            ours=median(times),
            details={"second": median(one["second"] for one in found)},
        )
    ]


def growth(plan: Plan, case: str, tell: Tell) -> list[Row]:
    """Time pictures of more and more pixels."""
    denoise_image(photograph(64, 64, colour=False))
    height, width = plan.growing_picture
    sizes = [(height * 2**i, width * 2**i) for i in range(plan.picture_doublings + 1)]
    times: list[list[float]] = []
    for turn in range(plan.repeat):
        times.append([])
        for i, size in enumerate(sizes):
            tell((turn + (4**i - 1) / 4 ** len(sizes)) / plan.repeat)
            dirty = photograph(*size, colour=False)
            times[-1].append(_per_pixel(partial(denoise_image, dirty), 1) / 1e6)
    pixels = [h * w for h, w in sizes]
    return [
        Row(
            f"pictures.{case}",
            f"processor time as a grey picture grows from {pixels[0] / 1e6:.1f} to "
            f"{pixels[-1] / 1e6:.1f} megapixels",
            EXPONENT,
            [exponent(pixels, tuple(one)) for one in times],
            exact=plan.growing_picture == FULL.growing_picture
            and plan.picture_doublings == FULL.picture_doublings,
            note=", ".join(
                f"{n / 1e6:.1f} megapixels: {1e6 * median(one[i] for one in times) / n:.2f} µs each"
                for i, n in enumerate(pixels)
            ),
        )
    ]
