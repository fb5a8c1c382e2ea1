"""What the patches of a picture predict: W H of a RobustNMF, overlap-added."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robustnmf._common.arrays import Array
from robustnmf._core.noise import NoNoise
from robustnmf._core.rows import solve_rows
from robustnmf._engines.threads import ordered_map, single_threaded_blas
from robustnmf._estimators import RobustNMF
from robustnmf._image.detection import Region
from robustnmf._image.factors import fit_grey
from robustnmf._image.grey_levels import WHITE
from robustnmf._image.mixture import Mixture
from robustnmf._image.patches import cut_patches, join_patches, patch_corners


@dataclass(frozen=True)
class PatchSettings:
    """Constants of learning from patches.

    Chosen on the seven development photographs of the study of pictures (``robustnmf reproduce
    images``, docs/images.md).

    Attributes
    ----------
    n_examples : int
        Patches to learn from: more would hardly change the components.
    max_iter : int
        Iterations of that; the components of patches settle long before the objective does.
    guess_weight : float
        Weight of a flagged pixel, at its repaired value: a component that lives in a gap alone
        cannot run wild there.
    hidden_share : float
        Share of the clean pixels that is hidden to compare patches with neighbours,
    compared_side : int
        in so many rows and columns of each region.
    largest_error : float
        A larger error, in grey levels, counts as this one in that comparison.
    block : int
        Patches solved at a time, which bounds memory.
    """

    n_examples: int = 4000
    max_iter: int = 100
    guess_weight: float = 0.05
    hidden_share: float = 0.03
    compared_side: int = 256
    largest_error: float = 30
    block: int = 2048


PATCHES = PatchSettings()


def patch_step(side: int) -> int:
    """Return the distance between patches with which each pixel lies in four of them."""
    return max(1, side // 2)


@dataclass(frozen=True)
class PatchModel:
    """The components of a picture's patches.

    Attributes
    ----------
    components : ndarray of shape (n_components, side * side)
        Of patches whose white is 1.
    side : int
        Height and width of the patches.
    weight : float
        Of their prediction beside that of the neighbours, from 0 to 1.
    """

    components: Array
    side: int
    weight: float = 0.0

    def repair(self, repaired: Array, flagged: Array) -> None:
        """Move the flagged pixels of some pictures towards the patches' prediction, in place.

        Parameters
        ----------
        repaired : ndarray of shape (n, height, width)
            The pictures as neighbours repair them, from 0 to 255.
        flagged : ndarray of bool, same shape
            Pixels that were repaired.
        """
        if self.weight == 0:
            return
        for plane, mask in zip(repaired, flagged, strict=True):
            predicted = self.predict(plane, mask)
            use = mask & np.isfinite(predicted)
            plane[use] += self.weight * (predicted[use] - plane[use])

    def predict(self, repaired: Array, flagged: Array) -> Array:
        """Predict the flagged pixels of one picture by the patches around them.

        Parameters
        ----------
        repaired : ndarray of shape (height, width)
            The picture, with a guess where a pixel is flagged; from 0 to 255.
        flagged : ndarray of bool, same shape
            Pixels that hardly count.

        Returns
        -------
        ndarray of shape (height, width)
            NaN outside of patches with a flagged pixel, and in those that hold little else.
        """
        height, width = repaired.shape
        step = patch_step(self.side)
        top, left = patch_corners((height, width), self.side, step)
        n_flagged = _count_in_patches(flagged, self.side)[top, left]
        # Where most of a patch is a gap, it would only repeat the guess.
        chosen = np.flatnonzero((n_flagged > 0) & (n_flagged <= self.side**2 // 2))
        blocks = [chosen[i : i + PATCHES.block] for i in range(0, len(chosen), PATCHES.block)]

        def work(block: Array) -> Array:
            pixels = cut_patches(repaired, self.side, step, block) / np.float32(WHITE)
            hidden = cut_patches(flagged, self.side, step, block)
            weights = np.where(hidden, np.float32(PATCHES.guess_weight), np.float32(1))
            W = solve_rows(pixels, self.components, NoNoise(), weights)
            return W @ self.components * WHITE

        with single_threaded_blas:
            found = ordered_map(work, blocks)
        rows = np.concatenate(found) if found else np.empty((0, self.side**2))
        return np.clip(join_patches(rows, (height, width), self.side, step, chosen), 0, WHITE)


def sample_patches(
    plane: Array, flagged: Array | None, side: int, n_pictures: int, rng: np.random.RandomState
) -> Array:
    """Draw patches to learn from.

    Parameters
    ----------
    plane : ndarray of shape (height, width)
        A picture.
    flagged : ndarray of bool, same shape, or None
        Pixels not to learn from: NaN in the patches. Patches that are mostly such have nothing
        to teach and are not drawn.
    side : int
        Of the patches.
    n_pictures : int
        Among how many pictures the examples are shared.
    rng : RandomState
        Draws them.

    Returns
    -------
    ndarray of shape (n_patches, side * side)
    """
    height, width = (length - side + 1 for length in plane.shape)
    if flagged is None:
        among = np.arange(height * width)
    else:
        among = np.flatnonzero(_count_in_patches(flagged, side) <= side**2 // 2)
    wanted = min(PATCHES.n_examples // n_pictures + 1, len(among))
    chosen = among[np.sort(rng.choice(len(among), wanted, replace=False))]
    patches = cut_patches(plane, side, 1, chosen)
    if flagged is not None:
        patches = np.where(cut_patches(flagged, side, 1, chosen), np.nan, patches)
    return patches


def fit_patches(patches: Array, n_components: int, rng: np.random.RandomState) -> RobustNMF:
    """Learn the components of patches of grey levels."""
    model = RobustNMF(n_components, max_iter=PATCHES.max_iter, random_state=rng)
    fit_grey(model, patches.astype(np.float32))
    return model


def learn_patches(
    regions: list[Region],
    mixture: Mixture,
    side: int,
    n_components: int,
    rng: np.random.RandomState,
) -> PatchModel | None:
    """Learn components from the clean pixels of some regions, and how much weight they deserve.

    Parameters
    ----------
    regions : list of Region
        After all rounds.
    mixture : Mixture
        The last one.
    side, n_components : int
        Of the patches and of the model.
    rng : RandomState
        Draws patches, start and hidden pixels.

    Returns
    -------
    PatchModel or None
        None if nothing is to be replaced, and if so few pixels are known that some pixel of a patch
        is known in none of them.
    """
    flags = [region.flagged for region in regions]
    planes = [plane for region in regions for plane in region.values]
    masks = [mask for flagged in flags for mask in flagged]
    if not any(mask.any() for mask in masks):
        return None
    examples = np.concatenate(
        [
            sample_patches(plane, mask, side, len(planes), rng)
            for plane, mask in zip(planes, masks, strict=True)
        ]
    )
    if np.isnan(examples).all(axis=0).any():
        return None
    model = PatchModel(fit_patches(examples, n_components, rng).components_, side)
    part = slice(PATCHES.compared_side)
    sums = np.zeros(2)
    for region, flagged in zip(regions, flags, strict=True):
        hidden = region.draw_clean(PATCHES.hidden_share, rng)
        repaired = region.repaired(mixture, flagged | hidden)
        for fields in zip(region.values, repaired, hidden, flagged, strict=True):
            sums += _compare(model, *(field[part, part] for field in fields))
    weight = min(max(sums[0] / sums[1], 0.0), 1.0) if sums[1] > 0 else 0.0
    return replace(model, weight=weight)


def _compare(
    model: PatchModel, truth: Array, repaired: Array, hidden: Array, flagged: Array
) -> Array:
    """Compare what patches and neighbours predict for known pixels that were hidden from both.

    Parameters
    ----------
    model : PatchModel
        Its weight does not matter.
    truth : ndarray of shape (height, width)
        The picture, from 0 to 255.
    repaired : ndarray of shape (height, width)
        The picture with hidden and flagged pixels as their neighbours predict them.
    hidden, flagged : ndarray of bool, same shape
        Pixels to compare at, and pixels not known.

    Returns
    -------
    ndarray of shape (2,)
        Two sums. They add up over pictures; the best weight of the patches is their ratio.
    """
    predicted = model.predict(repaired, hidden | flagged)
    use = hidden & np.isfinite(predicted)
    change = (predicted - repaired)[use].astype(np.float64)
    # Large errors, at pixels that the detection missed or on sharp edges, would decide alone.
    limit = PATCHES.largest_error
    error = np.clip(truth - repaired, -limit, limit)[use]
    return np.array([change @ error, change @ change])


def _count_in_patches(mask: Array, side: int) -> Array:
    """Count the marked pixels of the patch that begins at each pixel."""
    height, width = mask.shape
    sums = np.zeros((height + 1, width + 1), dtype=np.int32)
    sums[1:, 1:] = mask.cumsum(axis=0, dtype=np.int32).cumsum(axis=1, dtype=np.int32)
    return sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]
