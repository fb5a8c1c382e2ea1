"""Fitted estimators to files and back."""

from __future__ import annotations

import os
import warnings
from typing import Any, TypeVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from robustnmf._estimators.saved import ESTIMATORS
from robustnmf._fitting.factorize import user_level
from robustnmf._saving import Keys, RefusedError, load_parts, opened, save_parts
from robustnmf._saving.fields import Source, Tensors
from robustnmf._saving.refusal import shown

PathName = str | os.PathLike[str]
Estimator = TypeVar("Estimator", bound="Saving")


class Saving:
    """What saves an estimator and loads it. What is stored of it, `saved` says."""

    def save(self, path: PathName) -> None:
        """Save the fitted model to a file, from which `load` makes the same again.

        The file holds numbers and words and nothing that could be run. It is written whole or not
        at all, and replaces one that exists.

        Parameters
        ----------
        path : str or path-like
            The file; any name will do, ``.robustnmf`` is the usual suffix.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from pathlib import Path
        >>> from robustnmf import WeightedNMF
        >>> X = np.random.default_rng(0).random((30, 8))
        >>> model = WeightedNMF(2, random_state=0).fit(X)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "m.robustnmf")
        ...     again = WeightedNMF.load(Path(folder) / "m.robustnmf")
        >>> bool((again.transform(X) == model.transform(X)).all())
        True
        """
        self._save(path)

    @classmethod
    def load(cls: type[Estimator], path: PathName) -> Estimator:
        """Load a model that `save` wrote.

        Nothing in the file is run, and all of it is checked, so that a file from anywhere can be
        tried; what it says is as true as who wrote it.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        RobustNMF, WeightedNMF or MiniBatchRobustNMF
            Of the class that is asked.

        Raises
        ------
        ValueError
            If the file is damaged, is no model or one of another class, or is of a version that
            this library does not read; the message says which, and what to do.
        OSError
            If it cannot be read at all.

        Examples
        --------
        >>> import tempfile, numpy as np
        >>> from pathlib import Path
        >>> from robustnmf import RobustNMF
        >>> X = np.random.default_rng(0).random((30, 8))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     RobustNMF(2, random_state=0).fit(X).save(Path(folder) / "m.robustnmf")
        ...     RobustNMF.load(Path(folder) / "m.robustnmf")
        RobustNMF(n_components=2, random_state=0)
        """
        stored = StoredEstimator(cls)
        with opened(path) as found:
            if found.kind != cls.__name__:
                if found.kind in ESTIMATORS:
                    raise RefusedError(
                        f"it holds a {found.kind}, not a {cls.__name__}: use {found.kind}.load"
                    )
                raise RefusedError(f"it holds a {shown(found.kind)}, which is no estimator")
            model: Estimator = load_parts(found, stored)
        return model

    def _request(self) -> Any:
        """Check the parameters, and return what they ask for."""
        raise NotImplementedError

    def _save(self, path: PathName, left_out: tuple[str, ...] = ()) -> None:
        stored = StoredEstimator(type(self), left_out)
        check_is_fitted(self)
        self._request()
        # Files are of no package and no device.
        on_host: Any = self.to("numpy")  # type: ignore[attr-defined]
        save_parts(path, type(self).__name__, stored, on_host)

    def _resume(self, learned: Any, fitted: dict[str, Any]) -> None:
        """Become what was saved."""
        self._learned, self.components_ = learned, learned.components
        self.n_components_, self.n_features_in_ = learned.components.shape
        screening = getattr(learned, "screening_components", None)
        for name, value in (fitted | {"screening_components_": screening}).items():
            if value is not None:
                setattr(self, name, value)


class StoredEstimator:
    """The field of a fitted estimator; some of its attributes may be left out."""

    def __init__(self, cls: type, left_out: tuple[str, ...] = ()) -> None:
        if cls.__name__ not in ESTIMATORS:
            raise TypeError(
                f"{cls.__name__} can be neither saved nor loaded: the format knows the parameters "
                f"of {', '.join(ESTIMATORS)} alone, and of no class that is made of them"
            )
        self._cls, self._left_out = cls, left_out
        self._parts = ESTIMATORS[cls.__name__]()

    def pack(self, value: Any, at: str, tensors: Tensors) -> dict[str, Any]:
        """Return its parameters, what it learned and what it reports."""
        parameters = value.get_params(deep=False)
        fitted = self._parts.fields["fitted"]
        assert isinstance(fitted, Keys)
        own = {
            name: None if name in self._left_out else getattr(value, name, None)
            for name in fitted.fields
        }
        parts = {
            "parameters": parameters | {"random_state": _seed(parameters["random_state"])},
            "learned": value._model(),
            "fitted": own,
        }
        return self._parts.pack(parts, at, tensors)

    def unpack(self, found: Any, at: str, source: Source) -> Any:
        """Return it."""
        parts = self._parts.unpack(found, at, source)
        model = self._cls(**parts["parameters"])
        try:
            model._request()
        except (TypeError, ValueError) as error:
            raise RefusedError(f"parameters: {error}") from error
        model._resume(parts["learned"], parts["fitted"])
        return model


def _seed(random_state: Any) -> int | None:
    """Return a seed as it is saved."""
    if isinstance(random_state, np.random.RandomState):
        warnings.warn(
            "random_state is a RandomState, which is not saved: the model that is loaded has "
            "random_state=None. What was learned is the same; only to fit it anew would differ. "
            "Give a whole number to have that saved, too.",
            UserWarning,
            stacklevel=user_level(),
        )
        return None
    # The module numpy.random stands for the same as None.
    return None if random_state is np.random else random_state
