"""What happens when a worker dies in the middle of a fit.

A cluster remembers how everything that somebody holds was made, and makes it again if it is lost:
the data from what they are made of, what is kept for the rows from the pass before. So a fit goes
on with the same numbers, and nothing is to be done here, except that this memory would grow with
every pass, and so would the way back. So every now and then what is kept for the rows gets a new
beginning: a copy of it, without a history, on a worker that does not hold it. If either of the two
is lost, the other is still there; what was done since is done again from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle
from typing import Any

from robustnmf._engines.dask.rows import Results, Rows
from robustnmf._engines.dask.running import Local, Remote, unique
from robustnmf._engines.dask.tasks import Done

# So many passes, at most, are done again for what was lost with a worker.
MOST_PASSES = 16
# Copying waits for a worker that has just gone at most so long before it is put off.
PATIENCE = "60s"


def secure(runner: Local | Remote, live: Iterable[Rows]) -> None:
    """Give what is kept for the rows a new beginning, if the way back has become long."""
    if not isinstance(runner, Remote):
        return
    leaves = [leaf for A in list(live) for leaf in A.leaves()]
    wanted = {(leaf.results, leaf.position) for leaf in leaves if leaf.results is not None}
    if max((results.depth for results, _ in wanted), default=0) < MOST_PASSES:
        return
    if len(runner.client.nthreads()) < 2:
        # Nobody else could hold a copy.
        return
    for results, position in wanted:
        if results.depth:
            secured = _secured(runner.client, results, position)
            if secured is None:
                return
            for leaf in leaves:
                if leaf.results is results and leaf.position == position:
                    leaf.put(secured, 0)


def _secured(client: Any, results: Results, position: int) -> Results | None:
    """Return a copy without a history; None if workers came or went meanwhile."""
    from distributed import wait

    holders = client.who_has(results.handles)
    workers = sorted(client.nthreads())
    turn = cycle(workers)
    here, there = [], []
    for handle in results.handles:
        holding = holders.get(handle.key) or ()
        if not holding:
            return None
        here.append(holding[0])
        there.append(next(worker for worker in turn if worker not in holding[:1]))
    name = unique("spare")
    try:
        spares = client.gather(
            [
                client.submit(
                    set_aside,
                    handle,
                    position,
                    key=(name, i),
                    workers=[worker],
                    allow_other_workers=True,
                )
                for i, (handle, worker) in enumerate(zip(results.handles, there, strict=True))
            ]
        )
        name = unique("rows")
        copies = [
            client.submit(
                same, spare, key=(name, i), workers=[worker], allow_other_workers=True
            )
            for i, (spare, worker) in enumerate(zip(spares, here, strict=True))
        ]
        wait(copies, timeout=PATIENCE)
    except Exception:
        # What we have is as good as it was; the next pass tries again.
        return None
    if any(copy.status != "finished" for copy in copies):
        return None
    return Results(copies)


def set_aside(done: Done, position: int) -> Any:
    """Let the worker that does this have an array of the rows as if somebody had given it."""
    from distributed import get_client

    return get_client().scatter(Done(rows=(done.rows[position],)), hash=False)


def same(done: Done) -> Done:
    """Return what was set aside, to be kept on another worker."""
    return done
