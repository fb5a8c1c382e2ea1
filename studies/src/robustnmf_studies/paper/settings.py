"""What is run: the paper's numbers where it gives them, ours where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from robustnmf_studies.common.problem import LAM, K

# The paper's: 50 pixels of 255.
PIXELS = 50
# The paper's two numbers of faces for the curves over λ and pixels, and of pixels over faces.
FIXED = (50, 100)
TENS = tuple(range(10, 101, 10))
# The paper varies λ without saying over which values. These reach a factor of four to either side.
LAMS = (0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16)
# Faces for the questions which λ suits which share of corrupt pixels, and how much k matters.
MANY_FACES = 100
# Photographs that come with scikit-image itself, so that nothing is downloaded.
IMAGES = ("camera", "astronaut", "coffee", "chelsea", "coins", "moon")
# Shares of the data's mean up to which |E| counts as zero. None of it is in the paper.
TOLERANCES = (0.0, 0.001, 0.01, 0.1)
STATED_TOLERANCE = 0.01

PAPER, OPTIMUM, REFERENCE = "paper", "optimum", "reference"
MODES = {PAPER: "as in the paper", OPTIMUM: "at the optimum"}


@dataclass(frozen=True)
class Settings:
    """What all points of one folder share; points of other settings must not mix with them."""

    # Of the paper's rules; it does not say how many it took.
    iterations: int = 200
    # From which all random choices follow.
    seed: int = 0
    # Sides of the patches, which tile the picture, and of the picture, in pixels.
    patch: int = 8
    picture: int = 256
    # Share of a picture's pixels that become black or white.
    density: float = 0.05
    # How far the paper's rules are followed to see whether they converge.
    trace_iterations: int = 2000
    # When a fit counts as being at the optimum.
    tol: float = 1e-5
    max_iter: int = 5000


@dataclass(frozen=True)
class Plan:
    """How much is run: how often, and which points of each curve."""

    # Repetitions, each with its own faces, noise and start.
    runs: int = 10
    # Numbers of faces and of pixels.
    sweep: tuple[int, ...] = TENS
    lams: tuple[float, ...] = LAMS
    # Grid on which the best λ is sought; it is near 1 / pixels.
    portion_pixels: tuple[int, ...] = (25, 50, 100, 200)
    portion_lams: tuple[float, ...] = (0.0025, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16)
    # The paper gives k for figures 2 and 4 only; these show how much it matters.
    ranks: tuple[int, ...] = (5, 10, 20, 40)
    # Numbers of faces at which convergence is followed.
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


@dataclass(frozen=True)
class Point:
    """One draw of the data, with all that is computed from it: faces, or a picture by name."""

    # Which computation: see `robustnmf_studies.paper.compute`.
    kind: str
    run: int
    n: int = 0
    pixels: int = 0
    lam: float = LAM
    image: str = ""
    k: int = K

    @property
    def key(self) -> str:
        """Name of the point in the journal."""
        subject = self.image or f"n={self.n} pixels={self.pixels} lam={self.lam:g}"
        return f"{self.kind} {subject} k={self.k} run={self.run}"

    def columns(self, *more: str) -> dict[str, Any]:
        """Return what tells the rows of a point: its faces, pixels, run, and `more` of it."""
        return {name: getattr(self, name) for name in ("n", "pixels", *more, "run")}

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core, for the time left."""
        # More components take longer to settle; few faces, which can be fitted to the last digit,
        # take long for their number.
        of_faces = 5.0 if self.lam == LAM else 0.016 * self.n
        rates = {"portion": 0.006, "curves": 0.017, "trace": 0.04, "rank": 0.002 * self.k}
        return {"picture": 3.0, "faces": of_faces}.get(self.kind) or rates[self.kind] * self.n


def _detection(plan: Plan, run: int) -> list[Point]:
    return [
        *(Point("faces", run, n, PIXELS) for n in plan.sweep),
        *(Point("faces", run, n, PIXELS, lam) for n in FIXED for lam in plan.lams),
        *(Point(kind, run, n, PIXELS) for kind in ("faces", "curves") for n in FIXED),
        *(Point("trace", run, n, PIXELS) for n in plan.trace_faces),
        *(
            Point("portion", run, MANY_FACES, pixels, lam)
            for pixels in plan.portion_pixels
            for lam in plan.portion_lams
        ),
    ]


def _reconstruction(plan: Plan, run: int) -> list[Point]:
    return [
        *(Point("faces", run, n, pixels) for n in FIXED for pixels in plan.sweep),
        *(Point("faces", run, n, pixels) for pixels in FIXED for n in plan.sweep),
        *(Point("curves", run, n, PIXELS) for n in FIXED),
        *(Point("rank", run, MANY_FACES, PIXELS, k=k) for k in plan.ranks),
    ]


def _pictures(plan: Plan, run: int) -> list[Point]:
    return [Point("picture", run, image=name) for name in plan.images]


_POINTS = {"fig2": _detection, "fig3": _reconstruction, "fig4": _pictures}


def points_of(target: str, plan: Plan, n_faces: int) -> list[Point]:
    """Return the points of a figure, or of all, each once; the first run comes first.

    No point has more faces than there are.

    Examples
    --------
    >>> len(points_of("fig4", Plan(runs=2, images=("camera",)), 0))
    2
    """
    if target not in (*_POINTS, "all"):
        raise ValueError(f"target={target!r} is not known; choose one of {', '.join(_POINTS)}, all")
    figures = _POINTS.values() if target == "all" else [_POINTS[target]]
    asked = (point for run in range(plan.runs) for make in figures for point in make(plan, run))
    return [point for point in dict.fromkeys(asked) if point.n <= n_faces]
