"""What `judging` learned of a table in a file: each thing, how it is stored, what is checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from robustnmf._saving import (
    Flag,
    Number,
    Optional,
    Record,
    Several,
    Tensor,
    Text,
    Whole,
)
from robustnmf._saving.arrays import anything, not_nan, not_negative, rising
from robustnmf._tables.judging import Learned
from robustnmf._tables.judging.columns import Columns
from robustnmf._tables.judging.density import CleanDensity
from robustnmf._tables.judging.gaussian import Gaussian
from robustnmf._tables.judging.kinds import Codes, Kind
from robustnmf._tables.judging.repeats import Common
from robustnmf._tables.judging.scales import KINDS, Scale
from robustnmf._tables.judging.slips import SLIPS
from robustnmf._tables.judging.ties import Ties
from robustnmf._tables.judging.witness import Witness
from robustnmf._tables.numerals import MOST_DIGITS

_USED = "used columns"
_PER_USED = Tensor((_USED,))
_WHICH_USED = Tensor((_USED,), ("bool",), anything)


class Decimals:
    """How many decimals a column has."""

    def pack(self, value: int, at: str, tensors: Any) -> int:
        """Return it."""
        return int(value)

    def unpack(self, found: Any, at: str, source: Any) -> int:
        """Return it, if it is a number of decimals."""
        return min(Whole().unpack(found, at, source), MOST_DIGITS)


def _wrong_scale(scale: Scale) -> str:
    if scale.kind not in KINDS:
        return f"there is no scale of the kind {scale.kind[:20]!r}"
    return "" if scale.spread > 0 else "its spread is not above 0"


def _wrong_columns(columns: Columns) -> str:
    used = columns.used
    if len(columns.scales) != len(used) or (np.diff(used) <= 0).any():
        return "each used column must have a scale, and a place behind the one before"
    return "" if used[-1] < len(columns.kinds) else "more columns are used than there are"


def _wrong_gaussian(model: Gaussian) -> str:
    try:
        np.linalg.cholesky(model.covariance)
    except np.linalg.LinAlgError:
        return "its covariance is that of no numbers"
    return ""


def _wrong_common(common: Common) -> str:
    if len({len(A) for A in common}) > 1:
        return "it has shares of other values than it has"
    return ""


def _wrong_learned(learned: Learned) -> str:
    used, n = len(learned.columns.used), len(learned.columns.kinds)
    lists = (learned.piles, learned.ties.usual, learned.ties.common)
    if any(len(own) != used for own in lists) or len(learned.decimals) != n:
        return "it has lists that do not go with its columns"
    if len(learned.witness.models) != 1 or len(learned.witness.series) or learned.folds != 1:
        return "it is not made for new rows"
    if len(learned.rates) != 2 + len(SLIPS) or not 0 < learned.rate < 1:
        return "its rates make no sense"
    return ""


DECIMALS = Several(Optional(Decimals()), list)
_KIND = Record(
    "kind",
    Kind,
    {
        "name": Text(),
        "judged": Flag(),
        "codes": Optional(
            Record(
                "codes",
                Codes,
                {"lowest": Number(), "highest": Number(), "commonest": Number()},
            )
        ),
    },
)
_SCALE = Record(
    "scale",
    Scale,
    {"kind": Text(), "middle": Number(), "spread": Number(least=0), "nil": Number(least=0)},
    _wrong_scale,
)
_COLUMNS = Record(
    "columns",
    Columns,
    {
        "kinds": Several(_KIND, list),
        "used": Tensor((_USED,), ("int64",), not_negative),
        "judged": _WHICH_USED,
        "scales": Several(_SCALE, list),
        "lowest": _PER_USED,
        "highest": _PER_USED,
        "steps": Tensor((_USED,), rule=not_nan),
    },
    _wrong_columns,
)
_WITNESS = Record(
    "witness",
    Witness,
    {
        "series": Tensor((None,), ("int64",), not_negative),
        "shrinkage": Number(least=0),
        "models": Several(
            Record(
                "gaussian",
                Gaussian,
                {"mean": _PER_USED, "covariance": Tensor((_USED, _USED))},
                _wrong_gaussian,
            ),
            list,
        ),
    },
)
_TIES = Record(
    "ties",
    Ties,
    {
        "usual": Several(Number(least=0), list),
        "common": Several(
            Record(
                "common",
                Common,
                {
                    "values": Tensor((None,), rule=rising),
                    "shares": Tensor((None,), rule=not_negative),
                    "elsewhere": Tensor((None,), rule=not_negative),
                },
                _wrong_common,
            ),
            list,
        ),
        "n": Whole(),
    },
)
LEARNED = Record(
    "learned",
    Learned,
    {
        "columns": _COLUMNS,
        "witness": _WITNESS,
        "density": Record(
            "density",
            CleanDensity,
            {
                "spread": Tensor(("sides", _USED), rule=not_negative),
                "tails": Tensor(("sides", _USED), rule=not_negative),
            },
            lambda density: "" if len(density.spread) == 2 else "it has not two sides",
        ),
        "helpful": _WHICH_USED,
        "gain": _PER_USED,
        "rate": Number(least=0),
        "piles": Several(Tensor((None,)), list),
        "ties": _TIES,
        "folds": Whole(),
        "decimals": DECIMALS,
        "rates": Tensor(("rates",), rule=not_negative),
        "chance_gain": Number(),
        "by_chance": Tensor(("numbers of odd cells",), rule=not_negative),
        "alike": Tensor((_USED,), rule=not_negative),
    },
    _wrong_learned,
)
