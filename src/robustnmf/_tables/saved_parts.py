"""What the parts of a table taught in a file: each thing, how it is stored, what is checked."""

from __future__ import annotations

from robustnmf._estimators import RobustNMF
from robustnmf._estimators.saving import StoredEstimator
from robustnmf._saving import Flag, Number, Optional, Record, Tensor
from robustnmf._saving.arrays import not_nan, not_negative
from robustnmf._tables.prepare import Scaling
from robustnmf._tables.row_judges import RowsByParts
from robustnmf._tables.saved_judging import DECIMALS
from robustnmf._tables.screen import Screen

_PER_COLUMN = Tensor(("features",))


def _wrong_scaling(scaling: Scaling) -> str:
    return "" if (scaling.scale > 0).all() else "a column has no size"


def by_parts() -> Record:
    """Return how what judges rows by the parts of a table is stored."""
    screen = Record("screen", Screen, {"log_sizes": _PER_COLUMN, "limit": Number(least=0)})
    scaling = Record(
        "scaling",
        Scaling,
        {
            "scale": Tensor(("features",), rule=not_negative),
            "shift": _PER_COLUMN,
            "negative_missing": Flag(),
            "screen": Optional(screen),
        },
        _wrong_scaling,
    )
    bounds = Tensor(("features",), rule=not_nan)
    return Record(
        "by parts",
        RowsByParts,
        {
            # The noise of the table that was learned from says nothing of other rows.
            "model": StoredEstimator(RobustNMF, ("noise_",)),
            "scaling": scaling,
            "low": bounds,
            "high": bounds,
            "decimals": DECIMALS,
        },
        lambda judge: "" if len(judge.decimals) == len(judge.low) else "decimals are missing",
    )
