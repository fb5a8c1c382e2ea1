"""What is measured: the pictures, what is done to them, and the points of the study."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

# Photographs that come with scikit-image, chosen by what they show, not by any result.
NATURAL = (
    "astronaut",
    "camera",
    "chelsea",
    "clock",
    "coffee",
    "coins",
    "hubble_deep_field",
    "immunohistochemistry",
    "moon",
    "motorcycle",
    "retina",
    "rocket",
)
# Textures as rough as noise, and print: pictures on which any such method is in difficulty.
HARD = ("brick", "grass", "gravel", "page", "text")
# Pictures on which the constants of `robustnmf.image` were chosen (with other noise).
TUNED_ON = ("astronaut", "camera", "coffee", "coins", "motorcycle", "page", "rocket")

SALT_PEPPER, RANDOM, LINES = "salt_pepper", "random", "lines"
OCCLUSION, CLEAN = "occlusion", "clean"
IMPULSES = (SALT_PEPPER, RANDOM)
LEVELS = (0.05, 0.1, 0.2, 0.3)
DAMAGE_NAMES = {
    SALT_PEPPER: "salt & pepper",
    RANDOM: "random-valued impulses",
    LINES: "dead lines",
    OCCLUSION: "occlusion",
    CLEAN: "nothing",
}
# Only pixels changed by more than this many of 255 grey levels count as corrupt.
CORRUPT_FROM = 20
# Side of a picture.
SIDE, QUICK_SIDE = 256, 128
# Pictures kept to look at.
SHOWN = ("astronaut", "coffee", "motorcycle")


@dataclass(frozen=True)
class Case:
    """One picture with one damage; all methods restore it.

    `amount` is a share of the pixels, 0 where there is none to choose; `side` is the height and
    width of the part of the picture that is used.
    """

    picture: str
    damage: str
    amount: float
    side: int

    @property
    def key(self) -> str:
        """Name of the case in the journal."""
        return f"{self.picture} {self.damage} {self.amount:g} side={self.side}"

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core."""
        return 8.0 * (self.side / SIDE) ** 2


def cases_of(*, quick: bool) -> list[Case]:
    """Return the cases of the study."""
    if quick:
        small = [(SALT_PEPPER, 0.1), (RANDOM, 0.1), (CLEAN, 0.0)]
        return [Case(name, *damage, QUICK_SIDE) for name in NATURAL[:8] for damage in small]
    impulses, few = (list(itertools.product(IMPULSES, levels)) for levels in (LEVELS, (0.1, 0.2)))
    others = [(kind, 0.0) for kind in (LINES, OCCLUSION, CLEAN)]
    return [
        *(Case(name, *damage, SIDE) for name in NATURAL for damage in (*impulses, *others)),
        *(Case(name, *damage, SIDE) for name in HARD for damage in (*few, (CLEAN, 0.0))),
    ]


def noise_words(kind: str, level: float) -> str:
    """Name a damage and its share.

    Examples
    --------
    >>> noise_words(RANDOM, 0.1), noise_words(LINES, 0)
    ('random-valued impulses, 10 %', 'dead lines')
    """
    return DAMAGE_NAMES[kind] + (f", {100 * level:g} %" if level else "")
