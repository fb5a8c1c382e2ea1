"""The noise models that users choose by name.

Names come without the models: the command line lists them and must not load NumPy for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from robustnmf._core.noise import Penalty

# The name of each, and where its class is.
PENALTIES = {
    "squared_l1": "robustnmf._core.noise.squared_l1:SquaredL1",
    "squared_l0": "robustnmf._core.noise.squared_l0:SquaredL0",
}


def penalty_class(name: str) -> type[Penalty]:
    """Return the noise model of a name; it takes λ.

    Examples
    --------
    >>> penalty_class("squared_l0")(lam=2.0)
    SquaredL0(lam=2.0)
    """
    module, _, model = PENALTIES[name].partition(":")
    found: Any = getattr(import_module(module), model)
    return found
