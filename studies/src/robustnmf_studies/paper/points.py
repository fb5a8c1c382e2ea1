"""Points: the units of work. A finished point is written down and never run again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from robustnmf_studies.common.problem import LAM, K


class Unit(Protocol):
    """What running and storing need to know of a point, whatever study it belongs to."""

    @property
    def key(self) -> str:
        """Name of the point in the journal."""

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core."""


@dataclass(frozen=True)
class Point:
    """One draw of the data, with all that is computed from it.

    Attributes
    ----------
    kind : str
        Which computation: a key of `robustnmf_studies.paper.compute.COMPUTE`.
    run : int
        Repetition.
    n, pixels : int
        Faces, and polluted pixels in each; 0 where there are none.
    lam : float
        λ.
    image : str
        Name of a picture, where there is one.
    k : int
        Number of components.
    """

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
        rank = "" if self.k == K else f" k={self.k}"
        return f"{self.kind} {subject}{rank} run={self.run}"

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core, for the time left."""
        if self.kind == "picture":
            return 3.0
        if self.kind == "faces" and self.lam == LAM:
            # Few faces can be fitted to the last digit, which takes long for their number.
            return 5.0
        per_face = {"faces": 0.016, "portion": 0.006, "curves": 0.017, "trace": 0.04}
        # More components take longer, and more of them to settle.
        return per_face.get(self.kind, 0.002 * self.k) * self.n
