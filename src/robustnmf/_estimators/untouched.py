"""An estimator is fitted, or it is as it was: nothing in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


def whole_or_untouched(method: Method) -> Method:
    """Let a method that raises leave the attributes of its object as they were; Ctrl-C raises, too.

    Examples
    --------
    >>> class Model:
    ...     @whole_or_untouched
    ...     def fit(self, X):
    ...         self.n_features_in_ = 3
    ...         raise KeyboardInterrupt
    >>> model = Model()
    >>> try:
    ...     model.fit(None)
    ... except KeyboardInterrupt:
    ...     vars(model)
    {}
    """

    @wraps(method)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> Any:
        before = dict(vars(self))
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            # In one step, for whoever presses Ctrl-C twice.
            self.__dict__ = before
            raise

    return guarded  # type: ignore[return-value]
