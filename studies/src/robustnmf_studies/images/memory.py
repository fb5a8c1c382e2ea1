"""How much memory a large picture takes: run in a process of its own, which it measures.

To measure an 8,000 × 8,000 picture::

    python -m robustnmf_studies.images.memory 8000
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from robustnmf.image import denoise_image
from robustnmf_studies.images.data import load_part

_AMOUNT = 0.05
_STRIP = 500


def measure(side: int) -> dict[str, float]:
    """Denoise a photograph, repeated, with 5 % salt & pepper, and say what it took.

    ``peak_gb`` is the most memory this process ever held, all of Python and the picture itself
    among it; ``replaced`` a share of the pixels.
    """
    part = load_part("camera", 512)
    times = -(-side // len(part))
    picture = np.tile(part, (times, times))[:side, :side].copy()
    rng = np.random.default_rng(0)
    # A strip at a time, so that making the picture does not take more than restoring it.
    for top in range(0, side, _STRIP):
        strip = picture[top : top + _STRIP]
        wrong = rng.random(strip.shape) < _AMOUNT
        strip[wrong] = rng.choice([0, 255], int(wrong.sum()))
    began = time.perf_counter()
    result = denoise_image(picture, random_state=0, return_details=True)
    # Kilobytes, but bytes on a Mac.
    unit = 1 if sys.platform == "darwin" else 1024
    return {
        "seconds": time.perf_counter() - began,
        "peak_gb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e9,
        "replaced": float(result.mask.mean()),
    }


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit("usage: python -m robustnmf_studies.images.memory SIDE")
    for name, value in measure(int(sys.argv[1])).items():
        print(f"{name}: {value:.3f}")
