"""Arrays with a number or more for each row, one part for each partition, on the workers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from robustnmf._engines.dask.running import Handle
from robustnmf._engines.dask.tasks import Derived, Recipe, Stored


@dataclass(eq=False)
class Results:
    """What the tasks of one pass left, one of each partition."""

    handles: list[Handle]
    depth: int = 0
    """How many passes would be done again if all of them were lost with a worker."""
    origins: frozenset[Any] = frozenset()
    """What a cluster would begin with to do them again, and forget if nobody held it."""

    @classmethod
    def after(cls, sources: Sequence[Results], handles: list[Handle]) -> Results:
        """Return what was left by a pass that read the results of others."""
        depth = 1 + max((S.depth for S in sources), default=0)
        return cls(handles, depth, frozenset().union(*(S.origins for S in sources)))


class Rows:
    """An array of the rows; nobody but its engine looks inside.

    It is stored, as one of the arrays that the tasks of a pass left; or derived from others, which
    the next pass that reads it does on the way, so that no tasks of their own are needed for it.
    """

    def __init__(self) -> None:
        self.results: Results | None = None
        self.position = 0
        self.function: Callable[..., Any] | None = None
        self.inputs: tuple[Rows, ...] = ()

    @classmethod
    def stored(cls, results: Results, position: int = 0) -> Rows:
        """Return one that is stored."""
        new = cls()
        new.put(results, position)
        return new

    @classmethod
    def derived(cls, function: Callable[..., Any], inputs: Iterable[Rows]) -> Rows:
        """Return one that is made of others when it is read."""
        new = cls()
        new.function = function
        # As they are now: they may be written to before this is read.
        new.inputs = tuple(A.as_it_is() for A in inputs)
        return new

    @property
    def is_derived(self) -> bool:
        """Whether it has to be made anew whenever it is read."""
        return self.function is not None

    def as_it_is(self) -> Rows:
        """Return the same array, which later writing does not change."""
        if self.results is not None:
            return Rows.stored(self.results, self.position)
        assert self.function is not None
        return Rows.derived(self.function, self.inputs)

    def put(self, results: Results, position: int) -> None:
        """Say where it is stored from now on; what was before is let go."""
        self.results, self.position = results, position
        self.function, self.inputs = None, ()

    def recipe(self, sources: list[Results]) -> Recipe:
        """Return how a worker gets at it, and add to the sources what it needs for that."""
        if self.results is not None:
            if self.results not in sources:
                sources.append(self.results)
            return Stored(sources.index(self.results), self.position)
        assert self.function is not None, "an array of the rows was read before it was written"
        return Derived(self.function, tuple(A.recipe(sources) for A in self.inputs))

    def leaves(self) -> list[Rows]:
        """Return the stored arrays that it is, or is made of."""
        if self.results is not None:
            return [self]
        return [leaf for A in self.inputs for leaf in A.leaves()]

    def __reduce__(self) -> Any:
        # A worker is handed its part of it; what refers to the whole is of no use there.
        return type(None), ()
