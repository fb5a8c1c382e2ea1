"""What is run: the paper's numbers where it gives them, ours where it does not."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

# The paper's: 50 pixels of 255.
PIXELS = 50

TENS = tuple(range(10, 101, 10))
# The paper varies λ without saying over which values. These reach a factor of four to either side.
LAMS = (0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16)
# For the question which λ suits which share of corrupt pixels; the best is near 1 / pixels.
PORTION_PIXELS = (25, 50, 100, 200)
PORTION_LAMS = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
PORTION_FACES = 100
# The paper gives k for figures 2 and 4 only; these show how much it matters.
RANKS = (5, 10, 20, 40)
RANK_FACES = 100
# Photographs that come with scikit-image itself, so that nothing is downloaded.
IMAGES = ("camera", "astronaut", "coffee", "chelsea", "coins", "moon")

PAPER, OPTIMUM, REFERENCE = "paper", "optimum", "reference"
MODES = (PAPER, OPTIMUM)


@dataclass(frozen=True)
class Settings:
    """What all points of one folder share; points of other settings must not mix with them.

    Attributes
    ----------
    iterations : int
        Of the paper's rules; it does not say how many it took.
    seed : int
        From which all random choices follow.
    patch : int
        Side of the patches in pixels. They do not overlap, and tile the picture.
    picture : int
        Side of the pictures in pixels.
    density : float
        Share of a picture's pixels that become black or white.
    trace_iterations : int
        How far the paper's rules are followed to see whether they converge.
    tol, max_iter : float, int
        When a fit counts as being at the optimum.
    """

    iterations: int = 200
    seed: int = 0
    patch: int = 8
    picture: int = 256
    density: float = 0.05
    trace_iterations: int = 2000
    tol: float = 1e-5
    max_iter: int = 5000

    def as_dict(self) -> dict[str, Any]:
        """Return the settings by name."""
        return dataclasses.asdict(self)


@dataclass(frozen=True)
class Plan:
    """How much is run: which places of each curve, and how often.

    Attributes
    ----------
    runs : int
        Repetitions, each with its own faces, noise and start.
    sweep : tuple of int
        Numbers of faces and of pixels.
    lams : tuple of float
        Values of λ.
    portion_pixels, portion_lams : tuple
        Grid on which the best λ is sought.
    ranks : tuple of int
        Values of k.
    trace_faces : tuple of int
        Numbers of faces at which convergence is followed.
    images : tuple of str
        Pictures to denoise.
    """

    runs: int = 10
    sweep: tuple[int, ...] = TENS
    lams: tuple[float, ...] = LAMS
    portion_pixels: tuple[int, ...] = PORTION_PIXELS
    portion_lams: tuple[float, ...] = PORTION_LAMS
    ranks: tuple[int, ...] = RANKS
    trace_faces: tuple[int, ...] = (10, 50, 100)
    images: tuple[str, ...] = IMAGES


FULL = Plan()
QUICK = Plan(
    runs=2,
    sweep=(10, 30, 50, 70, 100),
    lams=(0.01, 0.04, 0.16),
    portion_pixels=(25, 100),
    portion_lams=(0.0025, 0.01, 0.04, 0.16),
    ranks=(5, 10),
    trace_faces=(10, 50),
    images=IMAGES[:4],
)
