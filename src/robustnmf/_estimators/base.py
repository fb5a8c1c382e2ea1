"""What the estimators share: validation of X, the transformer's surface, the tags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from robustnmf._common.places import cast
from robustnmf._core.loop import Trace
from robustnmf._engines import (
    adopted,
    answered_later,
    placed,
    single_threaded_blas,
    source_of,
    stored,
)
from robustnmf._estimators import answers
from robustnmf._estimators.later import explained_later, explained_there
from robustnmf._estimators.moving import Moving
from robustnmf._estimators.progress import CallbackSupportMixin, Progress, told_of
from robustnmf._estimators.saving import Saving
from robustnmf._fitting.data import (
    Summary,
    as_rows,
    check_weights,
    examine,
    refuse_masked,
    result_dtype,
)
from robustnmf._fitting.explained import EVERYTHING, Inferred, Keep
from robustnmf._fitting.factorize import Settings, warn_unconverged
from robustnmf._fitting.inference import Learned


class Factorization(
    Saving,
    Moving,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    BaseEstimator,
):
    """Base of the estimators. Subclasses say what is learned (`_model`) and how."""

    components_: Any

    def _model(self) -> Learned:
        raise NotImplementedError

    def _as_fitted(self, H: np.ndarray) -> dict[str, Any]:
        """Attributes with which a copy of this estimator would work with the components H."""
        return {"components_": H}

    def inverse_transform(self, X: Any = None, *, W: Any = None, out: Any = None) -> Any:
        """Return the data that W stands for: W H.

        Parameters
        ----------
        X : array-like or blocks of rows, of shape (n_samples, n_components)
            What `transform` returned: W. It is called X because scikit-learn calls it that.
        W : array-like or blocks of rows, of shape (n_samples, n_components)
            Another name for it.
        out : array of shape (n_samples, n_features), default=None
            Where to put the answer, a block at a time: any array whose rows can be assigned
            (memory-mapped, Zarr, HDF5).

        Returns
        -------
        ndarray of shape (n_samples, n_features), or `out`
        """
        check_is_fitted(self)
        if (X is None) == (W is None):
            raise TypeError("inverse_transform takes one array: what transform returned")
        W = X if W is None else W
        self._refuse_elsewhere(W, "inverse_transform")
        data = adopted(W)
        if data is None:
            data = check_array(W, dtype=[np.float64, np.float32], input_name="W")
        n_components = self.components_.shape[0]
        if data.shape[1] != n_components:
            raise ValueError(
                f"W has {data.shape[1]} columns, but the model has {n_components} "
                "components; give what transform returned"
            )
        dtype = result_dtype(data)
        H = cast(self.components_, dtype)
        if out is None and isinstance(data, np.ndarray):
            return data @ H
        return answers.product(data, H, out)

    @property
    def _n_features_out(self) -> int:
        n_components: int = self.components_.shape[0]
        return n_components

    def __sklearn_is_fitted__(self) -> bool:
        # An interrupted first fit leaves n_features_in_ behind, which does not make a model.
        return hasattr(self, "components_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.allow_nan = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        tags.array_api_support = True
        return tags

    def _check_data(
        self, X: Any, weights: Any = None, *, reset: bool, digest: bool = False
    ) -> tuple[Any, Any, Summary]:
        """Validate without copying, then look at every value once; `digest` as for `examine`."""
        data = adopted(X)
        if data is not None:
            # They stay where they are; what is left for scikit-learn to check are the features.
            X = self._check_features(data, reset=reset)
        else:
            refuse_masked("X", X)
            X = validate_data(
                self,
                X,
                reset=reset,
                accept_sparse=("csr", "csc"),
                dtype="numeric",
                # Checked below, block by block: check_array knows nothing of blocks.
                ensure_all_finite=False,
            )
            X = as_rows(X)
        weights = check_weights(weights, X)
        if weights is not None and source_of(weights, "weights") is not None:
            # They are read in order, beside data that are.
            if data is not None and source_of(X) is None:
                raise TypeError(
                    "weights are read a part at a time, in order, and X of this kind is not; give "
                    "weights as an array in memory"
                )
            X = stored(X) if data is None else X
        owner = type(self).__name__
        return X, weights, examine(X, weights, owner, columns=reset, digest=digest)

    def _check_features(self, data: Any, *, reset: bool) -> Any:
        """Check the features of data that have an engine of their own."""
        validate_data(self, getattr(data, "header", data), reset=reset, skip_check_array=True)
        return data

    def _later(self, X: Any, what: str, *parts: answers.Part) -> list[Any] | None:
        """Return answers about data that lie elsewhere, there; None for all that is in memory.

        For data of Dask they are computed when they are wanted.
        """
        on_device = placed(X)
        if on_device is not None:
            data, _, summary = self._check_data(on_device, reset=False)
            return explained_there(self._model(), data, summary, parts)
        data = answered_later(X)
        if data is None:
            return None
        check_is_fitted(self)
        data = self._check_features(data, reset=False)
        return explained_later(self._model(), data, what, parts, type(self).__name__)

    def _infer(
        self, X: Any, weights: Any = None, keep: Keep = EVERYTHING
    ) -> tuple[Any, Summary, Inferred]:
        """Explain new data by the components."""
        check_is_fitted(self)
        with single_threaded_blas:
            X, weights, summary = self._check_data(X, weights, reset=False)
            return X, summary, self._explain(X, summary, weights, keep)

    def _written(
        self, X: Any, parts: Mapping[str, tuple[answers.Part, Any]], weights: Any = None
    ) -> Any:
        """Fill arrays with what the model says of data, and return the last of them."""
        check_is_fitted(self)
        with single_threaded_blas:
            X, weights, summary = self._check_data(X, weights, reset=False)
            W_shape = (X.shape[0], self.components_.shape[0])
            shapes = {
                name: W_shape if part is answers.weights else tuple(X.shape)
                for name, (part, _) in parts.items()
            }
            blocks = told_of(self._model().explain(X, summary, weights), self, X.shape[0])
            answers.write(blocks, parts, shapes)
        return list(parts.values())[-1][1]

    def _explain(
        self, X: Any, summary: Summary, weights: Any = None, keep: Keep = EVERYTHING
    ) -> Inferred:
        """Solve for W and E of data that were checked, and keep some of it in memory."""
        return self._model().infer(X, summary, weights, keep=keep)

    def _conclude(
        self,
        found: Inferred,
        trace: Trace,
        settings: Settings,
        progress: Progress,
        refit: Trace | None = None,
        earlier: int = 0,
    ) -> np.ndarray:
        """Set what every fit reports, and return W; `earlier` iterations led up to the trace."""
        traces = [trace] if refit is None else [trace, refit]
        self.n_components_ = settings.n_components
        self.n_iter_ = earlier + sum(t.n_iter for t in traces)
        self.converged_ = all(t.converged for t in traces)
        self.objective_ = found.objective
        self.reconstruction_err_ = float(np.sqrt(found.misfit))
        self.history_ = trace.history
        if not all(t.settled for t in traces):
            warn_unconverged(settings, type(self).__name__)
        ending = "converged" if self.converged_ else "stopped"
        progress.finish(
            f"{ending} after {self.n_iter_} iterations, objective {found.objective:.6g}"
        )
        return found.W


def like_input(found: sparse.csr_array, X: Any) -> Any:
    """Return a sparse result for sparse data, and a dense one for dense data."""
    return found if sparse.issparse(X) else found.toarray()
