"""What a fitted model says of any data: W, E, which entries are corrupt, and clean data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from robustnmf._auto import LearnedDetection
from robustnmf._common.checks import check_choice
from robustnmf._engines import (
    Placed,
    Written,
    adopted,
    answered_later,
    closed_after,
    engine_for,
    single_threaded_blas,
    stack_rows,
)
from robustnmf._estimators import answers
from robustnmf._estimators.base import Factorization, like_input
from robustnmf._estimators.frames import framed_like_input, like_frame
from robustnmf._estimators.later import probabilities_later
from robustnmf._estimators.memory import remembered
from robustnmf._estimators.progress import told_of
from robustnmf._estimators.saving import PathName
from robustnmf._fitting.data import Summary
from robustnmf._fitting.explained import EVERYTHING, NOTHING, Keep

# In the answer for sparse data, probabilities below this are left out.
NEGLIGIBLE = 0.01
# What a model needs for nothing but the rows themselves.
DECOMPOSED = {"W": answers.weights, "noise": answers.noise, "mask": answers.mask}


class Decomposition(NamedTuple):
    """Data taken apart by a fitted model: X ≈ W H + noise."""

    W: Any
    """How much of each component each sample holds."""
    noise: Any
    """E: by how much each entry is wrong; only corrupt entries are stored."""
    mask: Any
    """True where an entry is corrupt."""
    restored: Any
    """The data with corrupt entries replaced and missing ones filled."""


class Cleaning(Factorization):
    """The methods of an estimator that tells noise from data.

    They may be called one after the other: the same data are solved for once. About data of Dask
    they return Dask arrays, or frames for a frame, which are computed when their values are wanted.
    """

    def transform(self, X: Any, *, out: Any = None) -> np.ndarray:
        """Return W of new data: how much of each component each sample holds, noise set aside.

        Each sample is solved to the optimum by itself, whatever the others are.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
        out : array of shape (n_samples, n_components), default=None
            Where to put the answer: any array whose rows can be assigned (memory-mapped, Zarr,
            HDF5). It is written a block at a time, so that neither X nor the answer need fit into
            memory, and returned.

        Returns
        -------
        ndarray of shape (n_samples, n_components), or `out`
        """
        self._refuse_elsewhere(X, "transform")
        if out is not None:
            return self._written(X, {"out": (answers.weights, out)})
        later = self._later(X, "transform", answers.weights)
        if later is not None:
            return later[0]
        # A copy, here and below: the answer is kept for the next question.
        return self._answer(X, Keep(noise=False))[2].W.copy()

    def decompose(self, X: Any, *, out: Mapping[str, Any] | None = None) -> Decomposition:
        """Return all that the model says of data, from one solve.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
        out : dict of arrays, default=None
            Where to put "W", "noise" (in full), "mask" and "restored", as in `transform`. What is
            not named is not made, and None in the answer.

        Returns
        -------
        Decomposition
            With `W` as from `transform`, `noise` as from `estimate_noise`, `mask` as from `detect`
            and `restored` as from `denoise`; frames for a frame.

        Examples
        --------
        >>> import numpy as np
        >>> from robustnmf import RobustNMF
        >>> rng = np.random.default_rng(0)
        >>> clean = rng.exponential(size=(200, 3)) @ rng.exponential(size=(3, 100))
        >>> wrong = rng.random(clean.shape) < 0.05
        >>> X = np.where(wrong, clean + 20, clean)
        >>> found = RobustNMF(3, lam="auto", random_state=0).fit(X).decompose(X)
        >>> bool((found.mask == wrong).all()), bool(abs(found.restored - clean).mean() < 0.01)
        (True, True)
        """
        self._refuse_elsewhere(X, "decompose")
        if out is not None:
            return self._decomposed_into(X, out)
        later = self._later(X, "decompose", *DECOMPOSED.values(), self._restorer())
        if later is not None:
            return Decomposition(*later)
        with single_threaded_blas:
            checked, summary, found = self._answer(X)
            restored = self._restored(checked, summary, found, keep_clean=True)
        return Decomposition(
            found.W.copy(),
            like_frame(found.E.copy(), X),
            like_frame(like_input(found.E != 0, checked), X),
            like_frame(restored, X),
        )

    def save(self, path: PathName, *, include_noise: bool = False) -> None:
        """Save the fitted model to a file, from which `load` makes the same again.

        The file holds numbers and words and nothing that could be run. It is written whole or not
        at all, and replaces one that exists.

        Parameters
        ----------
        path : str or path-like
            The file; any name will do, ``.robustnmf`` is the usual suffix.
        include_noise : bool, default=False
            Whether `noise_` is saved, too. It can be as large as the data, it holds values of
            theirs, which who shares a model may not want to share, and no method needs it:
            ``estimate_noise(X)`` says the same of the same data. Without it the model that is
            loaded has no `noise_`.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from pathlib import Path
        >>> from robustnmf import RobustNMF
        >>> X = np.random.default_rng(0).random((30, 8))
        >>> model = RobustNMF(2, random_state=0).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "m.robustnmf")
        ...     again = RobustNMF.load(Path(folder) / "m.robustnmf")
        >>> bool((again.detect(X) == model.detect(X)).all()), hasattr(again, "noise_")
        (True, False)
        """
        check_choice("include_noise", include_noise, (True, False))
        self._save(path, () if include_noise else ("noise_",))

    def _answer(self, X: Any, keep: Keep = EVERYTHING) -> tuple[Any, Summary, Any]:
        """Return the data as they were checked, their summary, and what the model says of them.

        Of data that lie elsewhere no more than is to be kept.
        """
        check_is_fitted(self)
        with single_threaded_blas:
            checked, _, summary = self._check_data(X, reset=False)
            # Data that lie elsewhere cannot be compared with those of the last question.
            if adopted(checked) is not None:
                return checked, summary, self._explain(checked, summary, keep=keep)
            found = remembered(
                self, (checked, self.components_), lambda: self._explain(checked, summary)
            )
        return checked, summary, found

    @framed_like_input
    def estimate_noise(self, X: Any, *, out: Any = None) -> sparse.csr_array:
        """Return E of any data: by how much each entry is wrong; only corrupt entries are stored.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
        out : array of the shape of X, default=None
            Where to put E in full, as in `transform`.

        Returns
        -------
        csr_array of shape (n_samples, n_features), a frame for a frame, or `out`
        """
        self._refuse_elsewhere(X, "estimate_noise")
        if out is not None:
            return self._written(X, {"out": (answers.noise, out)})
        later = self._later(X, "noise", answers.noise)
        if later is not None:
            return later[0]
        return self._answer(X, Keep(weights=False))[2].E.copy()

    @framed_like_input
    def detect(self, X: Any, *, out: Any = None) -> Any:
        """Return True where an entry is corrupt.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
        out : array of the shape of X, default=None
            Where to put the answer, as in `transform`.

        Returns
        -------
        boolean ndarray, csr_array for sparse X, frame for a frame, or `out`; of the shape of X
        """
        self._refuse_elsewhere(X, "detect")
        if out is not None:
            return self._written(X, {"out": (answers.mask, out)})
        later = self._later(X, "detect", answers.mask)
        if later is not None:
            return later[0]
        X, _, found = self._answer(X, Keep(weights=False))
        return like_input(found.E != 0, X)

    @framed_like_input
    def denoise(self, X: Any, *, keep_clean: bool = True, out: Any = None) -> Any:
        """Return clean data.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        keep_clean : bool, default=True
            Replace only the corrupt and the missing entries, by their prediction W H, and keep all
            others as measured. False returns W H for all, as in the paper. With ``lam="auto"``
            a corrupt entry is replaced only if its prediction is likely to be nearer to the truth:
            it is more likely corrupt than not, and hidden entries of its feature were predicted
            better than by the feature's own middle. Others are left, and `detect` tells of them.
            Unless `diagnosis_` is "reliable" only clear cases are replaced (a probability of
            0.99 or more, and far beyond the usual error); with the verdict "no structure", none.
            What is filled in stays within twice the range of the feature's trusted values.
        out : array of the shape of X, default=None
            Where to put the answer, as in `transform`.

        Returns
        -------
        ndarray, csr_array for sparse X with `keep_clean`, frame for a frame, or `out`
            Of the shape of X.
        """
        self._refuse_elsewhere(X, "denoise")
        if out is not None:
            return self._written(X, {"out": (self._restorer(keep_clean), out)})
        later = self._later(X, "denoise", self._restorer(keep_clean))
        if later is not None:
            return later[0]
        with single_threaded_blas:
            X, summary, found = self._answer(X, Keep(noise=keep_clean))
            return self._restored(X, summary, found, keep_clean)

    def _restored(self, X: Any, summary: Summary, found: Any, keep_clean: bool) -> Any:
        H = self.components_.astype(summary.dtype, copy=False)
        if not keep_clean:
            return found.W @ H
        model = self._model()

        def restore(rows: slice, X: np.ndarray, weights: None) -> np.ndarray:
            corrupt, replaced = (A[rows].toarray() != 0 for A in (found.E, found.replaceable))
            return answers.restore(model, X, found.W[rows] @ H, corrupt, replaced)

        blocks = engine_for(X, dtype=summary.dtype).stream(restore)
        if sparse.issparse(X):
            return stack_rows(map(sparse.csr_array, blocks), X.shape[1])
        return np.concatenate(list(blocks))

    def _restorer(self, keep_clean: bool = True) -> answers.Part:
        check_is_fitted(self)
        return answers.restorer(self._model(), self.components_, keep_clean=keep_clean)

    def _decomposed_into(self, X: Any, out: Mapping[str, Any]) -> Decomposition:
        parts = {**DECOMPOSED, "restored": self._restorer()}
        if not isinstance(out, Mapping) or not out or not set(out) <= set(parts):
            names = ", ".join(map(repr, parts))
            raise ValueError(f"out must be a dict with some of {names}; got {out!r}")
        self._written(X, {f"out[{name!r}]": (parts[name], A) for name, A in out.items()})
        return Decomposition(*(out.get(name) for name in parts))

    def score(self, X: Any, y: Any = None) -> float:
        """Return minus the objective per known entry of X: higher is better.

        It compares models with the same `lam`, `penalty` and `refit`, of different `n_components`,
        say: a smaller `lam` or a refit changes the objective itself.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        float
        """
        self._refuse_elsewhere(X, "score")
        _, summary, found = self._answer(X, NOTHING)
        return -found.objective / summary.n_known

    @framed_like_input
    def noise_probability(self, X: Any, *, out: Any = None) -> Any:
        """Return how likely each entry is to be corrupt: a score to rank entries by.

        Only for models fitted with ``lam="auto"``, which learn what clean residuals and corrupt
        values look like. `detect` is True where it exceeds a bar between 0.3 and 0.5. With the
        verdict "no structure" it is at most 0.5, except for values that turn up again and again
        where they should not.

        Parameters
        ----------
        X : array, sparse matrix, blocks of rows or Dask, of shape (n_samples, n_features)
        out : array of the shape of X, default=None
            Where to put the answer, as in `transform`.

        Returns
        -------
        ndarray, csr_array for sparse X, frame for a frame, or `out`; of the shape of X
            Numbers in [0, 1]; 0 for missing entries, and in a csr_array for all below 1 %.
        """
        self._refuse_elsewhere(X, "noise_probability")
        model = self._model()
        if not isinstance(model, LearnedDetection):
            raise AttributeError(
                "noise_probability needs a model fitted with lam='auto', which learns what noise "
                "looks like; with a number for lam, detect(X) tells which entries are corrupt"
            )
        data = answered_later(X) if out is None else None
        if data is not None:
            data = self._check_features(data, reset=False)
            return probabilities_later(model, data, type(self).__name__)
        with single_threaded_blas:
            X, _, summary = self._check_data(X, reset=False)
            blocks = model.probabilities(X, summary)
            if out is not None:
                answers.check_out("out", out, X.shape)
                target = Written(out)
                with closed_after(told_of(blocks, self, X.shape[0])) as given:
                    for rows, probability in given:
                        target.put(rows, probability)
                return out
            found = np.concatenate([probability for _, probability in blocks])
        if isinstance(X, Placed):
            return X.place.put(found)
        if sparse.issparse(X):
            return sparse.csr_array(np.where(found < NEGLIGIBLE, 0, found))
        return found
