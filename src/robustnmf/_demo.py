"""The method on a hundred faces, in under a minute: noise at known pixels, found and removed."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from robustnmf._common.files import written_whole
from robustnmf._common.optional import import_extra
from robustnmf._common.progress import Step, silent
from robustnmf.datasets import corrupt, load_faces
from robustnmf.metrics import detection_scores, msre
from robustnmf.plot import plot_images

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_N_SHOWN = 10
_FOOTNOTE = (
    "found and restored by RobustNMF · error: squared difference from the original "
    "over a face (pixels from 0 to 1), mean of all faces · noise: red too bright, blue too dark"
)
_Options = dict[str, Any]


@dataclass(frozen=True)
class DemoRow:
    """One method's line in the table; None where a method has no such figure.

    Attributes
    ----------
    method : str
        Its name.
    precision, recall : float or None
        Of the corrupt entries found.
    error : float
        MSRE of ``W H`` against the clean faces.
    error_restored : float or None
        The same with only the entries found replaced, and all others kept as measured.
    seconds : float
        Time to fit, compilation apart.
    """

    method: str
    precision: float | None
    recall: float | None
    error: float
    error_restored: float | None
    seconds: float


@dataclass(frozen=True)
class DemoResult:
    """What the demo found.

    Attributes
    ----------
    rows : tuple of DemoRow
        Plain NMF, RobustNMF, RobustNMF+WNMF, RobustNMF with ``lam="auto"``.
    error_corrupted : float
        MSRE of the corrupted faces themselves: what doing nothing gives.
    settings : dict
        All that is needed to repeat the run.
    picture : Path
        The file written.
    """

    rows: tuple[DemoRow, ...]
    error_corrupted: float
    settings: dict[str, Any]
    picture: Path


@dataclass(frozen=True)
class _Fit:
    """A fitted method, with all that the table and the picture ask of it."""

    row: DemoRow
    model: Any
    W: NDArray[Any]
    product: NDArray[Any]
    restored: NDArray[Any]


def run_demo(
    out: str | os.PathLike[str],
    *,
    n_components: int = 20,
    amount: int = 50,
    random_state: int = 0,
    progress: Step | None = None,
) -> DemoResult:
    """Corrupt faces, clean them in four ways, and leave a picture.

    Parameters
    ----------
    out : path-like
        The picture to write, in any format that matplotlib knows. One that exists is replaced.
    n_components : int, default=20
        Number of parts to learn.
    amount : int, default=50
        Pixels of each face to overwrite with black or white, of 625. The methods are not told
        where they are. The first two robust fits are told how many there are, by
        ``lam = 1 / amount``, which balances precision and recall; ``lam="auto"`` is told nothing.
    random_state : int, default=0
        Seed of the noise and of the fits.
    progress : callable, optional
        Called as ``progress(what, share)`` before each step and at the end.

    Returns
    -------
    DemoResult
        The table, the settings and the path of the picture.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = run_demo(f"{folder}/demo.png", n_components=5)
    >>> [row.method for row in result.rows]
    ['plain NMF', 'RobustNMF', 'RobustNMF+WNMF', 'RobustNMF, lam="auto"']
    """
    from threadpoolctl import threadpool_limits

    progress = progress or silent
    path = Path(out)
    check_out(path)

    progress("loading faces", 0.0)
    faces = load_faces("builtin")
    clean = faces.data / 255
    X, mask = corrupt(clean, "salt_pepper", amount, high=1.0, random_state=random_state)
    lam = 1 / max(amount, 1)

    # Products this small are faster on one thread: several would mostly wait for one another.
    with threadpool_limits(1, user_api="blas"):
        progress("fitting plain NMF", 0.1)
        plain = _fit_plain(X, clean, n_components, random_state)
        # The first fit of all waits for the compiler; that is not the method's time.
        progress("compiling", 0.2)
        for price, refit in ((lam, "wnmf"), ("auto", None)):
            _fit_robust(X[:10], clean[:10], mask[:10], 2, price, refit, random_state)
        progress("fitting RobustNMF", 0.5)
        robust = _fit_robust(X, clean, mask, n_components, lam, None, random_state)
        progress("fitting RobustNMF+WNMF", 0.6)
        refitted = _fit_robust(X, clean, mask, n_components, lam, "wnmf", random_state)
        progress('fitting RobustNMF, lam="auto"', 0.7)
        auto = _fit_robust(X, clean, mask, n_components, "auto", None, random_state)

    progress("drawing", 0.8)
    figure = _draw(clean, X, faces.image_shape, plain, auto)
    with written_whole(path) as temporary:
        figure.savefig(temporary)
    progress("done", 1.0)
    return DemoResult(
        rows=(plain.row, robust.row, refitted.row, auto.row),
        error_corrupted=msre(clean, X),
        settings={
            "faces": faces.source,
            "noise": "salt_pepper",
            "amount": amount,
            "n_components": n_components,
            "lam": lam,
            "random_state": random_state,
        },
        picture=path,
    )


def check_out(path: Path) -> None:
    """Tell before the work, not after it, that the picture cannot be written.

    Parameters
    ----------
    path : Path
        The file to write.

    Raises
    ------
    ValueError or OSError
        If no picture can have this name.

    Examples
    --------
    >>> check_out(Path("faces.txt"))
    Traceback (most recent call last):
    ...
    ValueError: cannot write a picture as 'faces.txt': end the name in .png
    """
    known = import_extra("matplotlib.figure", "plot", "the demo's picture needs")
    formats = known.Figure().canvas.get_supported_filetypes()
    if path.suffix.lower().lstrip(".") not in formats:
        raise ValueError(f"cannot write a picture as {path.name!r}: end the name in .png")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"the folder {path.parent} does not exist: create it first")
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: give the name of a file")


def _fit_plain(X: NDArray[Any], clean: NDArray[Any], k: int, seed: int) -> _Fit:
    from sklearn.decomposition import NMF

    model = NMF(k, init="random", max_iter=5000, tol=1e-3, random_state=seed)
    start = time.perf_counter()
    W = model.fit_transform(X)
    seconds = time.perf_counter() - start
    product = model.inverse_transform(W)
    row = DemoRow("plain NMF", None, None, msre(clean, product), None, seconds)
    # It finds no noise, so all it can offer in place of the data is its product.
    return _Fit(row, model, W, product, product)


def _fit_robust(
    X: NDArray[Any],
    clean: NDArray[Any],
    mask: NDArray[np.bool_],
    k: int,
    lam: float | str,
    refit: str | None,
    seed: int,
) -> _Fit:
    from robustnmf import RobustNMF

    model = RobustNMF(k, lam=lam, refit=refit, random_state=seed)
    start = time.perf_counter()
    W = model.fit_transform(X)
    seconds = time.perf_counter() - start
    product = model.inverse_transform(W)
    restored = model.denoise(X)
    precision, recall, _ = detection_scores(mask, model.detect(X))
    row = DemoRow(
        method='RobustNMF, lam="auto"' if lam == "auto" else f"RobustNMF{'+WNMF' if refit else ''}",
        precision=precision,
        recall=recall,
        error=msre(clean, product),
        error_restored=msre(clean, restored),
        seconds=seconds,
    )
    return _Fit(row, model, W, product, restored)


def _draw(
    clean: NDArray[Any], X: NDArray[Any], shape: tuple[int, int], plain: _Fit, robust: _Fit
) -> Figure:
    """Draw the same ten faces in every row, then ten parts of either method."""
    # From the whole set, at even steps: not the ones that came out best.
    shown = np.linspace(0, len(clean) - 1, _N_SHOWN).round().astype(int)
    wrong = f"{np.mean((clean != X).sum(axis=1)):.0f} of {clean.shape[1]} pixels"
    scores, restored = robust.row, robust.restored
    grey: _Options = {"limits": (0.0, 1.0)}
    # Colours are full at half of the way from black to white, or most noise would look pale.
    noise: _Options = {"signed": True, "limits": (-0.5, 0.5)}
    part: _Options = {"stretch": True}
    rows: list[tuple[str, str, Any, _Options]] = [
        ("Original", "not shown to the methods", clean[shown], grey),
        ("Corrupted", f"{wrong}, error {msre(clean, X):.1f}", X[shown], grey),
        ("Plain NMF", f"W H, error {plain.row.error:.1f}", plain.product[shown], grey),
        (
            "Found noise",
            f"precision {scores.precision:.2f}, recall {scores.recall:.2f}",
            robust.model.noise_[shown],
            noise,
        ),
        (
            "Restored",
            f"error {scores.error_restored:.1f} (W H alone: {scores.error:.1f})",
            restored[shown],
            grey,
        ),
        ("Learned parts", "RobustNMF", _main_parts(robust), part),
        ("Learned parts", "plain NMF", _main_parts(plain), part),
    ]
    matplotlib = import_extra("matplotlib.figure", "plot", "the demo's picture needs")
    figure: Figure = matplotlib.Figure(figsize=(10, 0.86 * len(rows) + 0.3), dpi=160)
    axes = figure.subplots(len(rows))
    figure.subplots_adjust(left=0.2, right=0.99, top=0.99, bottom=0.05, hspace=0.08)
    for ax, (title, words, images, options) in zip(axes, rows, strict=True):
        plot_images(images, shape, n_columns=_N_SHOWN, gap=2, ax=ax, **options)
        ax.text(-0.02, 0.54, title, transform=ax.transAxes, ha="right", size=13, weight="bold")
        ax.text(-0.02, 0.28, words, transform=ax.transAxes, ha="right", size=8.5, color="0.35")
    figure.text(0.99, 0.018, _FOOTNOTE, ha="right", size=7.5, color="0.35")
    return figure


def _main_parts(fit: _Fit) -> NDArray[Any]:
    """Pick the parts that make up most of the faces."""
    H: NDArray[Any] = fit.model.components_
    # Neither factor alone tells: a part may be faint in H and strong in W, or the reverse.
    size = np.linalg.norm(H, axis=1) * np.linalg.norm(fit.W, axis=0)
    return H[np.argsort(-size)[:_N_SHOWN]]
