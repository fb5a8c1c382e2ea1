"""Fitted estimators from one package of arrays, or device, to another."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, TypeVar

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj
from sklearn.utils.validation import check_is_fitted

from robustnmf._common.places import Place, is_numpy
from robustnmf._engines import Placed, placed

Estimator = TypeVar("Estimator", bound="Moving")

HOST = Place(array_namespace(np.empty(0)), "cpu")
# The fitted attributes that live where the data did; beside what `_learned` holds.
PLACED = ("components_", "screening_components_", "outlier_samples_", "outlier_features_")


class Moving:
    """What knows where an estimator lives, and brings it elsewhere."""

    components_: Any
    _learned: Any

    def to(self: Estimator, where: Any) -> Estimator:
        """Return the same fitted model elsewhere; this one stays where it is.

        A model answers about data of the package and device that it was fitted with.

        Parameters
        ----------
        where : array, "numpy" or device
            An array of any package, to go where that is; "numpy" for arrays of NumPy; else a
            device of the package of the model's own arrays, as that names it: "cpu", "cuda:0".

        Returns
        -------
        RobustNMF, WeightedNMF or MiniBatchRobustNMF
            A copy.

        Examples
        --------
        >>> import numpy as np, array_api_strict as xp
        >>> from robustnmf import RobustNMF
        >>> X = xp.asarray(np.random.default_rng(0).random((30, 8)))
        >>> model = RobustNMF(2, random_state=0).fit(X)
        >>> type(model.to("numpy").components_)
        <class 'numpy.ndarray'>
        """
        check_is_fitted(self)
        return self.__sklearn_array_api_convert__(self._place_at(where).put)

    def __sklearn_array_api_convert__(
        self: Estimator, converter: Callable[[Any], Any]
    ) -> Estimator:
        """Return a copy with converted arrays: what scikit-learn asks for to move an estimator."""
        moved = copy(self)
        for name in PLACED:
            if hasattr(self, name):
                setattr(moved, name, converter(getattr(self, name)))
        if hasattr(self, "_learned"):
            moved._learned = self._learned.moved(converter)
        return moved

    def _place_at(self, where: Any) -> Place:
        if isinstance(where, str) and where == "numpy":
            return HOST
        if is_array_api_obj(where):
            return Place.of(where)
        xp = Place.of(self.components_).xp
        try:
            return Place.of(xp.empty(1, device=where))
        except (ValueError, TypeError, RuntimeError, AssertionError) as error:
            raise ValueError(
                f"cannot move the model to {where!r}, which is no device here of "
                f"{Place.of(self.components_).package}, whose arrays it holds ({error}); give an "
                "array that is where it is to go, or 'numpy'"
            ) from error

    def _refuse_elsewhere(self, X: Any, method: str) -> None:
        """Refuse data that are not where the model is."""
        check_is_fitted(self)
        if is_numpy(self.components_) and placed(X) is None:
            return
        here, there = Place.of(self.components_), place_of(X)
        if here == there:
            return
        target = "'numpy'" if there == HOST else "X"
        raise ValueError(
            f"Inputs passed to {type(self).__name__}.{method}() must use the same namespace and "
            f"the same device as those passed to fit(). The model holds {here}, the data are "
            f"{there}. Move the model, model = model.to({target}), or the data."
        )


def place_of(X: Any) -> Place:
    """Return where data are; what is no array of another package is in memory."""
    found: Placed | None = placed(X)
    return HOST if found is None else found.place
