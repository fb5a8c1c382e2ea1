"""Answers about data that lie elsewhere, which stay there.

Of partitions of Dask they are computed when somebody asks for their values, a partition at a time:
each row is judged by what was learned and by itself, so each partition can be. Of arrays on a
device they are arrays there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from robustnmf._auto import LearnedDetection
from robustnmf._common.arrays import Array
from robustnmf._engines import Outline, Placed, joined
from robustnmf._estimators import answers
from robustnmf._fitting.data import Summary, as_rows, examine, result_dtype
from robustnmf._fitting.inference import Learned


def explained_later(
    model: Learned, data: Any, what: str, parts: Sequence[answers.Part], owner: str
) -> list[Any]:
    """Return parts of what a model says of data, from one solve for all that is asked together.

    Parameters
    ----------
    model : Learned
        What is known.
    data : object
        What `answered_later` returned.
    what : str
        A word for the tasks.
    parts : sequence of Part
        What is to be taken.
    owner : str
        Whose name is in errors about values.
    """
    dtype = result_dtype(data)
    outlines = [
        Outline(
            model.components.shape[0] if part is answers.weights else None,
            np.dtype(bool) if part is answers.mask else dtype,
        )
        for part in parts
    ]
    return data.lazily(what, partial(_explained, model, parts, owner), outlines)


def explained_there(
    model: Learned, data: Placed, summary: Summary, parts: Sequence[answers.Part]
) -> list[Array]:
    """Return parts of what a model says of an array on a device, in arrays there."""
    put = data.place.put
    taken = [[put(part(block)) for part in parts] for block in model.explain(data, summary)]
    return [joined(blocks) for blocks in zip(*taken, strict=True)]


def probabilities_later(model: LearnedDetection, data: Any, owner: str) -> Any:
    """Return how likely each entry is to be corrupt."""
    outline = Outline(None, result_dtype(data))
    (found,) = data.lazily("probability", partial(_probabilities, model, owner), [outline])
    return found


def _explained(
    model: Learned, parts: Sequence[answers.Part], owner: str, first_row: int, X: Any
) -> tuple[Array, ...]:
    X = as_rows(X)
    summary = examine(X, None, owner, columns=False, first_row=first_row)
    taken = [[part(block) for part in parts] for block in model.explain(X, summary)]
    return tuple(np.concatenate(blocks) for blocks in zip(*taken, strict=True))


def _probabilities(
    model: LearnedDetection, owner: str, first_row: int, X: Any
) -> tuple[Array, ...]:
    X = as_rows(X)
    summary = examine(X, None, owner, columns=False, first_row=first_row)
    return (np.concatenate([found for _, found in model.probabilities(X, summary)]),)
