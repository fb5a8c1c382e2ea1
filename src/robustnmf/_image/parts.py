"""What the parts of a picture say about its gaps: patches, RobustNMF, overlap-add."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from robustnmf._core.noise import NoNoise
from robustnmf._core.rows import solve_rows
from robustnmf._engines.threads import ordered_map, single_threaded_blas
from robustnmf._estimators import RobustNMF
from robustnmf._image.belief import WHITE
from robustnmf._image.patches import Grid, cut_patches, join_patches

Array = NDArray[Any]

# Patches to learn from: more would hardly change the parts.
_EXAMPLES = 4000
# Iterations of that; the parts of patches settle long before the objective does.
_PASSES = 100
# A guessed pixel counts this much, so that a part that lives in a gap alone cannot run wild there.
_HINT = 0.05
# A miss by more grey levels than this counts as this.
_LARGE_MISS = 30
_BLOCK = 2048


@dataclass(frozen=True)
class Parts:
    """The parts of a picture's patches.

    Attributes
    ----------
    components : ndarray of shape (n_components, side * side)
        Of patches whose white is 1.
    side : int
        Of the patches.
    share : float
        How much their word counts beside that of the neighbours, from 0 to 1.
    """

    components: Array
    side: int
    share: float

    @property
    def step(self) -> int:
        """Distance between patches: each pixel lies in four of them."""
        return max(1, self.side // 2)

    def predict(self, restored: Array, doubtful: Array) -> Array:
        """Predict the doubtful pixels of one picture by the patches around them.

        Parameters
        ----------
        restored : ndarray of shape (height, width)
            The picture, with a guess where a pixel is doubtful; from 0 to 255.
        doubtful : ndarray of bool, same shape
            Pixels that hardly count.

        Returns
        -------
        ndarray of shape (height, width)
            NaN outside of patches with a doubtful pixel, and in those that hold little else.
        """
        height, width = restored.shape
        top, left = Grid.over((height, width), self.side, self.step).corners()
        unknown = _box_count(doubtful, self.side)[top, left]
        # Where most of a patch is a gap, it would only repeat the guess.
        chosen = np.flatnonzero((unknown > 0) & (unknown <= self.side**2 // 2))
        blocks = [chosen[begin : begin + _BLOCK] for begin in range(0, len(chosen), _BLOCK)]

        def work(block: Array) -> Array:
            pixels = cut_patches(restored, self.side, self.step, block) / np.float32(WHITE)
            hidden = cut_patches(doubtful, self.side, self.step, block)
            weights = np.where(hidden, np.float32(_HINT), np.float32(1))
            W = solve_rows(pixels, self.components, NoNoise(), weights)
            return W @ self.components * WHITE

        with single_threaded_blas:
            found = ordered_map(work, blocks)
        rows = np.concatenate(found) if found else np.empty((0, self.side**2))
        return np.clip(join_patches(rows, (height, width), self.side, self.step, chosen), 0, WHITE)


def sample_patches(
    plane: Array, doubtful: Array | None, side: int, n_pictures: int, seed: Any
) -> Array:
    """Draw patches to learn from.

    Parameters
    ----------
    plane : ndarray of shape (height, width)
        A picture.
    doubtful : ndarray of bool, same shape, or None
        Pixels not to learn from: NaN in the patches. Patches that are mostly such have nothing
        to teach and are not drawn.
    side : int
        Of the patches.
    n_pictures : int
        Among how many pictures the examples are shared.
    seed : RandomState
        Draws them.

    Returns
    -------
    ndarray of shape (n_patches, side * side)
    """
    height, width = (length - side + 1 for length in plane.shape)
    if doubtful is None:
        among = np.arange(height * width)
    else:
        among = np.flatnonzero(_box_count(doubtful, side) <= side**2 // 2)
    wanted = min(_EXAMPLES // n_pictures + 1, len(among))
    chosen = among[np.sort(seed.choice(len(among), wanted, replace=False))]
    patches = cut_patches(plane, side, 1, chosen)
    if doubtful is not None:
        patches = np.where(cut_patches(doubtful, side, 1, chosen), np.nan, patches)
    return patches


def fit_patches(patches: Array, n_components: int, seed: Any) -> RobustNMF:
    """Learn the parts of patches of grey levels; they need not be right to the last digit."""
    model = RobustNMF(n_components, max_iter=_PASSES, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(patches.astype(np.float32) / np.float32(WHITE))


def weigh_parts(parts: Parts, truth: Array, near: Array, hidden: Array, doubtful: Array) -> Array:
    """Compare what patches and neighbours say of known pixels that were hidden from both.

    Parameters
    ----------
    parts : Parts
        Their share does not matter.
    truth : ndarray of shape (height, width)
        The picture, from 0 to 255.
    near : ndarray of shape (height, width)
        The picture with hidden and doubtful pixels as their neighbours predict them.
    hidden, doubtful : ndarray of bool, same shape
        Pixels to compare at, and pixels not known.

    Returns
    -------
    ndarray of shape (2,)
        Two sums. They add up over pictures; the best share of the patches is their ratio.
    """
    far = parts.predict(near, hidden | doubtful)
    use = hidden & np.isfinite(far)
    gain = (far - near)[use].astype(np.float64)
    # Large misses, at pixels that the detector missed or on sharp edges, would decide alone.
    miss = np.clip(truth - near, -_LARGE_MISS, _LARGE_MISS)[use]
    return np.array([gain @ miss, gain @ gain])


def _box_count(mask: Array, side: int) -> Array:
    """Count the marked pixels of the patch that begins at each place."""
    height, width = mask.shape
    sums = np.zeros((height + 1, width + 1), dtype=np.int32)
    sums[1:, 1:] = mask.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    return sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
