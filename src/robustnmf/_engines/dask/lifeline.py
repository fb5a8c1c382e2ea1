"""What happens when a worker dies in the middle of a fit.

A cluster remembers how everything that somebody holds was made, and makes it again if it is lost:
the data from what they are made of, what is kept for the rows from the pass before. So a fit goes
on with the same numbers, and nothing is to be done here, except that this memory would grow with
every pass, and so would the way back. So every now and then what is kept for the rows is set aside
on two workers, as something without a history, and the fit goes on from what is fetched from
there. If one of them dies, the other still has it; what was done since is done again.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, NamedTuple

from robustnmf._engines.dask.rows import Results, Rows
from robustnmf._engines.dask.running import Local, Remote, unique
from robustnmf._engines.dask.tasks import Done

# So many passes, at most, are done again for what was lost with a worker.
MOST_PASSES = 16
# Setting aside waits at most so many seconds for workers that come or go before it is put off.
PATIENCE = 20


class Place(NamedTuple):
    """Where an array of the rows is stored."""

    results: Results
    position: int


def secure(runner: Local | Remote, live: Iterable[Rows]) -> None:
    """Set aside what is kept for the rows, if the way back to it has become long."""
    if not isinstance(runner, Remote):
        return
    leaves = [leaf for A in list(live) for leaf in A.leaves()]
    places = [Place(leaf.results, leaf.position) for leaf in leaves if leaf.results is not None]
    wanted = [place for place in dict.fromkeys(places) if place.results.depth]
    if max((place.results.depth for place in wanted), default=0) < MOST_PASSES:
        return
    secured = _set_aside(runner.client, wanted)
    if secured is None:
        return
    for leaf in leaves:
        place = Place(leaf.results, leaf.position) if leaf.results is not None else None
        if place in wanted:
            leaf.put(secured, wanted.index(place))


def _set_aside(client: Any, places: list[Place]) -> Results | None:
    """Return the same arrays without a history; None while that cannot be done."""
    handles = places[0].results.handles
    workers, holders = sorted(client.nthreads()), _holders(client, handles)
    if len(workers) < 2 or not set(holders) <= set(workers):
        # Nobody else could hold them, or somebody has just gone.
        return None
    neighbours = dict(zip(workers, (*workers[1:], workers[0]), strict=True))
    name = unique("spare")
    spares = _Spares(client, [[f"{name}-{i}-{j}" for j in range(2)] for i in range(len(handles))])
    positions = [place.position for place in places]

    def submit(task: Any, key: Any, worker: str | None, *given: Any) -> Any:
        # If that worker has gone meanwhile, another one is better than none.
        where = {"workers": [worker], "allow_other_workers": True}
        return client.submit(task, *given, key=key, **where)

    asides = []
    for holder in dict.fromkeys(holders):
        here = [i for i, other in enumerate(holders) if other == holder]
        arrays = [place.results.handles[i] for i in here for place in places]
        for j, worker in enumerate((holder, neighbours[str(holder)])):
            names = [spares.names[i][j] for i in here]
            asides.append(submit(set_aside, (name, here[0], j), worker, names, positions, *arrays))
    if not _done(asides):
        return None
    done_by = _holders(client, asides)
    if any(one == other for one, other in zip(done_by[::2], done_by[1::2], strict=True)):
        return None
    name = unique("rows")
    copies = [submit(fetch, (name, i), worker, spares.names[i]) for i, worker in enumerate(holders)]
    return Results(copies, origins=frozenset([spares])) if _done(copies) else None


def _holders(client: Any, futures: list[Any]) -> list[str | None]:
    """Return a worker that holds each."""
    found = client.who_has(futures)
    return [next(iter(found.get(future.key) or ()), None) for future in futures]


def _done(futures: list[Any]) -> bool:
    from distributed import wait

    try:
        wait(futures, timeout=PATIENCE)
    except TimeoutError:
        return False
    return all(future.status == "finished" for future in futures)


class _Spares:
    """Names under which the cluster has something set aside, as long as somebody holds this."""

    def __init__(self, client: Any, names: list[list[str]]) -> None:
        self.names = names
        weakref.finalize(self, _forget, client, [name for pair in names for name in pair])


def _forget(client: Any, names: list[str]) -> None:
    async def forget() -> None:
        for name in names:
            await client.unpublish_dataset(name, asynchronous=True)

    # Whichever thread lets go of it last must not wait for the cluster.
    if client.status == "running":
        client.loop.add_callback(forget)


def set_aside(names: list[str], positions: list[int], *sources: Done) -> None:
    """Let the worker that does this hold arrays of the rows as if somebody had given them.

    For each name there are as many sources as positions.
    """
    from distributed import get_client

    n = len(positions)
    groups = [sources[first : first + n] for first in range(0, len(sources), n)]
    spares = [
        Done(rows=tuple(source.rows[i] for source, i in zip(group, positions, strict=True)))
        for group in groups
    ]
    client = get_client()
    held = client.scatter(spares, hash=False)
    client.publish_dataset(**dict(zip(names, held, strict=True)), override=True)


def fetch(names: list[str]) -> Done:
    """Return what was set aside, from a worker that has it.

    It is asked for by its name, and not as something that a task depends on: of what they depend
    on, workers get copies, and the cluster drops all but one of these, wherever.
    """
    from distributed import get_client

    client = get_client()
    for name in names:
        spare = client.get_dataset(name)
        if client.who_has([spare])[spare.key]:
            with suppress(CancelledError, TimeoutError):
                found: Done = spare.result(timeout=PATIENCE)
                return found
    raise RuntimeError(
        "what the fit keeps for the rows is lost, because all workers that held it died within a "
        "few passes; fit again"
    )
