"""What a fitted estimator is in a file: each attribute, how it is stored, what is checked.

A class that is to be saved gets a record here; what is in no record cannot be in a file. Sizes that
have a name (features, components, ...) are the same in all arrays that name them: compiled kernels
do not look whether an array is as long as another one says.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from robustnmf._auto import LearnedDetection
from robustnmf._auto.detection import Detector
from robustnmf._auto.detection.repair import Repair
from robustnmf._auto.detection.scales import Scales
from robustnmf._auto.detection.values import Classes
from robustnmf._common.diagnosis import Diagnosis
from robustnmf._core.growth import Stage
from robustnmf._core.noise import NoNoise
from robustnmf._core.penalties import PENALTIES, penalty_class
from robustnmf._fitting.inference import LearnedComponents
from robustnmf._kernels.density import Tail
from robustnmf._saving import (
    Curves,
    Either,
    Field,
    Flag,
    Keys,
    Names,
    Number,
    OneOf,
    Optional,
    Record,
    RefusedError,
    Scalar,
    Several,
    Tensor,
    Text,
    Whole,
)
from robustnmf._saving.arrays import FLOATS, anything, not_nan, not_negative, rising
from robustnmf._solvers import Sums

# Levels are counted in a byte.
MOST_LEVELS = 127

_M, _K = "features", "components"
_SHARED_PARAMETERS = (
    "n_components",
    "solver",
    "init",
    "n_init",
    "max_iter",
    "tol",
    "random_state",
    "verbose",
)
_COMPONENTS = Tensor((_K, _M), FLOATS, not_negative)
_BY_FEATURE = Tensor((_M,), rule=not_nan)
_WHICH_FEATURES = Tensor((_M,), ("bool",), anything)
_POSITIONS = Tensor((None,), ("int64",), not_negative)
_ANY = Number(finite=False)
_HISTORY = Curves(("iteration",), ("objective", "seconds"))


def _wrong_scales(scales: Scales) -> str:
    levels = len(scales.levels)
    if len(scales.bounds) != levels - 1 or levels > MOST_LEVELS:
        return f"{len(scales.bounds)} bounds cannot lie between {levels} levels"
    return ""


def _wrong_classes(classes: Classes) -> str:
    bins, points = len(classes.edges) + 1, len(classes.points)
    if bins + len(classes.atoms) != points or (len(classes.atoms) and not classes.binned):
        return f"{bins} bins and {len(classes.atoms)} atoms are not {points} classes"
    return ""


SCALES = Record(
    "scales",
    Scales,
    {
        "typical": Number(least=0),
        "features": Tensor((_M,), rule=not_negative),
        "bounds": Tensor((None,), rule=rising),
        "levels": Tensor(("levels",), rule=not_negative),
        "least": Number(least=0),
    },
    _wrong_scales,
)
CLASSES = Record(
    "classes",
    Classes,
    {
        "points": Tensor(("classes",)),
        "widths": Tensor(("classes",), rule=not_negative),
        "edges": Tensor((None,), rule=rising),
        "atoms": Tensor((None,), rule=rising),
        "binned": Flag(),
    },
    _wrong_classes,
)
REPAIR = Record(
    "repair",
    Repair,
    {
        "errors": _BY_FEATURE,
        "useful": _WHICH_FEATURES,
        "stuck": Either(_WHICH_FEATURES, Flag()),
        "least": Number(),
        "rare": Number(),
        "ceiling": _ANY,
        "most_unexplained": _ANY,
        "low": Optional(_BY_FEATURE),
        "high": Optional(_BY_FEATURE),
    },
)
DETECTOR = Record(
    "detector",
    Detector,
    {
        "scales": SCALES,
        "classes": CLASSES,
        "prior": Tensor(("classes",), rule=not_nan),
        "tail": Record("tail", Tail, {"surprise": _ANY, "power": Number()}),
        "bar": Number(),
        "written": Optional(Tensor(("classes",), ("bool",), anything)),
        "bad_features": Optional(_WHICH_FEATURES),
        "surest": Number(least=0),
        "repair": Optional(REPAIR),
    },
)
STAGE = Record(
    "stage", Stage, {"components": Tensor((None, _M), FLOATS, not_negative), "hint": Number(0)}
)
DIAGNOSIS = Record("diagnosis", Diagnosis, {"verdict": Text(), "reasons": Several(Text())})

SUMS = Record(
    "sums",
    Sums,
    {
        "gram": Tensor((_K, _K), ("float64",), not_negative),
        "cross": Tensor((_K, _M), ("float64",)),
        "shares": Tensor((_K,), ("float64",), not_negative),
        **{name: Number(least=0) for name in Sums._fields[3:]},
    },
)
DETECTION = Record("detection", LearnedDetection, {"components": _COMPONENTS, "detector": DETECTOR})


def _learned(*others: Record) -> OneOf:
    """Return the field of what a fit learned, with all noise models that there are by now."""
    noise = OneOf(
        Record("none", NoNoise, {"largest_weight": Number(least=0)}),
        *(Record(name, penalty_class(name), {"lam": Number(least=0)}) for name in PENALTIES),
    )
    return OneOf(
        Record(
            "components",
            LearnedComponents,
            {
                "components": _COMPONENTS,
                "noise": noise,
                "screening_components": Optional(_COMPONENTS),
                "typical": Optional(Tensor((_M,), FLOATS, not_negative)),
                "hint": Number(least=0),
                "stages": Several(STAGE),
            },
        ),
        *others,
    )


class Noise:
    """E of the training data, a csr_array."""

    _parts = Keys(
        {
            "data": Tensor((None,), FLOATS),
            "indices": Tensor((None,), ("int32", "int64"), not_negative),
            "indptr": Tensor((None,), ("int32", "int64"), rising),
            "features": Whole(least=1),
        }
    )

    def pack(self, value: Any, at: str, tensors: Any) -> Any:
        """Lay its three arrays aside."""
        parts = {name: getattr(value, name) for name in ("data", "indices", "indptr")}
        return self._parts.pack({**parts, "features": value.shape[1]}, at, tensors)

    def unpack(self, found: Any, at: str, source: Any) -> sparse.csr_array:
        """Return it."""
        parts = self._parts.unpack(found, at, source)
        source.same(_M, parts["features"], at)
        data, indices, indptr = (parts[name] for name in ("data", "indices", "indptr"))
        shape = (max(len(indptr) - 1, 0), parts["features"])
        try:
            noise = sparse.csr_array((data, indices, indptr), shape=shape)
            noise.check_format(full_check=True)
        except (ValueError, IndexError) as error:
            raise RefusedError(f"{at} is no sparse array ({error})") from error
        return noise


class Init:
    """A start: its name, or the pair (W, H)."""

    _factor = Tensor((None, None), rule=not_negative)
    _pair = Keys({"W": _factor, "H": _factor})

    def pack(self, value: Any, at: str, tensors: Any) -> Any:
        """Return its name, or lay both arrays aside, as `fit` takes them."""
        if isinstance(value, str):
            return value
        pair = {name: np.asarray(A, dtype=np.float64) for name, A in zip("WH", value, strict=True)}
        return self._pair.pack(pair, at, tensors)

    def unpack(self, found: Any, at: str, source: Any) -> Any:
        """Return its name or a tuple."""
        if not isinstance(found, dict):
            return Text().unpack(found, at, source)
        return tuple(self._pair.unpack(found, at, source).values())


def _parameters(*more: str) -> Keys:
    names = (*_SHARED_PARAMETERS, *more)
    return Keys({name: Init() if name == "init" else Scalar() for name in names})


def _fitted(more: dict[str, Field]) -> Keys:
    shared: dict[str, Field] = {
        "n_iter_": Whole(),
        "converged_": Flag(),
        "objective_": Number(),
        "reconstruction_err_": Number(least=0),
        "history_": _HISTORY,
        "feature_names_in_": Optional(Names(_M)),
    }
    return Keys(shared | more)


def robust_fields() -> Keys:
    """Return how a RobustNMF is stored."""
    fitted: dict[str, Field] = {
        "lam_": Number(least=0),
        "noise_": Optional(Noise()),
        "noise_scale_": Optional(Number(least=0)),
        "corruption_": Optional(Number(least=0)),
        "outlier_samples_": Optional(_POSITIONS),
        "outlier_features_": Optional(_POSITIONS),
        "diagnosis_": Optional(DIAGNOSIS),
        "rank_path_": Optional(Curves(("n_components",), ("error", "standard_error"))),
    }
    return Keys(
        {
            "parameters": _parameters("lam", "penalty", "refit"),
            "learned": _learned(DETECTION),
            "fitted": _fitted(fitted),
        }
    )


def weighted_fields() -> Keys:
    """Return how a WeightedNMF is stored."""
    return Keys({"parameters": _parameters(), "learned": _learned(), "fitted": _fitted({})})


def minibatch_fields() -> Keys:
    """Return how a MiniBatchRobustNMF is stored, with what it needs to go on learning."""
    names = ("n_components", "lam", "penalty", "batch_size", "forget_factor", "max_iter", "tol")
    fitted: dict[str, Field] = {
        "_sums": SUMS,
        "lam_": Number(least=0),
        "objective_": Number(),
        "n_samples_seen_": Whole(),
        "n_steps_": Whole(),
        "noise_scale_": Optional(Number(least=0)),
        "corruption_": Optional(Number(least=0)),
        "diagnosis_": Optional(DIAGNOSIS),
        "n_iter_": Optional(Whole()),
        "converged_": Optional(Flag()),
        "history_": Optional(_HISTORY),
        "feature_names_in_": Optional(Names(_M)),
    }
    parameters = {name: Scalar() for name in (*names, "shuffle", "random_state", "verbose")}
    return Keys(
        {"parameters": Keys(parameters), "learned": _learned(DETECTION), "fitted": Keys(fitted)}
    )


ESTIMATORS = {
    "RobustNMF": robust_fields,
    "WeightedNMF": weighted_fields,
    "MiniBatchRobustNMF": minibatch_fields,
}
