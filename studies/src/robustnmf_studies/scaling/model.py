"""The cost model: what an iteration takes, from what there is to do and how fast it is done.

Seconds, bytes and cores throughout. Nothing here measures anything: the constants are fitted to
measurements by `calibrate`, and what no measurement on one machine can tell (network, disks) is
assumed by `projection`, which says so.
"""

from __future__ import annotations

import math
from typing import NamedTuple

# Shares of the sums that a task of Dask merges, and the bytes of a number in them.
MERGED_AT_ONCE = 8
SUM_BYTES = 8
# Every so many iterations a cluster sets aside, on another worker, what is kept for the rows.
SET_ASIDE_EVERY = 16


class Work(NamedTuple):
    """What is factorized."""

    n: int
    m: int
    k: int
    item: int = 4
    """Bytes of a number."""

    @property
    def entries(self) -> int:
        """How many numbers there are."""
        return self.n * self.m

    @property
    def bytes(self) -> int:
        """What they take."""
        return self.item * self.entries


class Rates(NamedTuple):
    """How fast one machine works in memory."""

    step: float
    """Seconds that an iteration takes apart from its rows: a new H, mostly."""
    entry: float
    """Seconds of a core for an entry of X, ..."""
    product: float
    """... and those for an entry and a component."""
    sharing: float = 1.0
    """How many times as long a core takes while all of them work."""


class Extra(NamedTuple):
    """What an engine adds to the work in memory, in seconds."""

    step: float = 0.0
    """For an iteration."""
    part: float = 0.0
    """For a partition."""
    byte: float = 0.0
    """For a byte of X."""


def compute_seconds(work: Work, rates: Rates, cores: int) -> float:
    """Return how long all cores together work on the rows.

    Examples
    --------
    >>> compute_seconds(Work(1000, 100, 10), Rates(0, 1e-9, 1e-10), 1)
    0.0002
    >>> compute_seconds(Work(1000, 100, 10), Rates(0, 1e-9, 1e-10, sharing=1.5), 2)
    0.00015...
    """
    alone = work.entries * (rates.entry + work.k * rates.product)
    return alone * (rates.sharing if cores > 1 else 1.0) / cores


def iteration_seconds(work: Work, rates: Rates, extra: Extra, cores: int, parts: int) -> float:
    """Return how long an iteration takes on one machine.

    Examples
    --------
    >>> iteration_seconds(Work(1000, 100, 10), Rates(0, 1e-9, 0), Extra(0.5, 0.1), 1, 4)
    0.9001
    """
    added = extra.step + extra.part * parts + extra.byte * work.bytes
    return rates.step + compute_seconds(work, rates, cores) + added


def sums_bytes(work: Work) -> int:
    """Return what the sums over a partition take: mk + k² + 1 numbers.

    Examples
    --------
    >>> sums_bytes(Work(10**9, 1024, 10))
    82728
    """
    return SUM_BYTES * (work.m * work.k + work.k**2 + 1)


def components_bytes(work: Work) -> int:
    """Return what H takes.

    Examples
    --------
    >>> components_bytes(Work(10**9, 1024, 10))
    40960
    """
    return work.item * work.m * work.k


def moved_bytes(work: Work, workers: int, parts: int) -> int:
    """Return the least that an iteration has to send, each hop counted.

    H goes from the client by the scheduler to a worker, and from there to the others. Of the sums,
    all partitions that are not on the worker that merges them cross over, if they lie evenly; the
    total goes back by the scheduler.

    Examples
    --------
    >>> work = Work(10**9, 1024, 10)
    >>> moved_bytes(work, 1, 8) == 2 * components_bytes(work) + 2 * sums_bytes(work)
    True
    >>> moved_bytes(work, 2, 8) - moved_bytes(work, 1, 8) == (
    ...     components_bytes(work) + 4 * sums_bytes(work)
    ... )
    True
    """
    out = components_bytes(work) * (2 + workers - 1)
    crossing = parts * (workers - 1) // workers
    return out + sums_bytes(work) * (2 + crossing)


def rows_bytes(work: Work) -> int:
    """Return what is kept for the rows: the W of two iterations, and a threshold.

    Examples
    --------
    >>> rows_bytes(Work(10**9, 1024, 10)) / 1e9
    84.0
    """
    return work.item * work.n * (2 * work.k + 1)


def tree_levels(parts: int) -> int:
    """Return how many times shares of the sums are merged, one after the other.

    Examples
    --------
    >>> [tree_levels(parts) for parts in (1, 8, 9, 4096)]
    [1, 1, 2, 4]
    """
    levels, left = 0, parts
    while levels == 0 or left > 1:
        left = -(-left // MERGED_AT_ONCE)
        levels += 1
    return levels


class Cluster(NamedTuple):
    """Machines that are alike, and what joins them."""

    machines: int
    cores: int
    """Of each machine."""
    memory: float
    """Bytes, of each machine."""
    network: float
    """Bytes a second, of each machine."""
    latency: float
    """Seconds until a message arrives."""
    disk: float
    """Bytes a second, of each machine."""


def cluster_terms(
    work: Work, rates: Rates, extra: Extra, cluster: Cluster, part_bytes: float, *, read: bool
) -> dict[str, float]:
    """Return what an iteration on a cluster takes, by what takes it.

    Parameters
    ----------
    work, rates, extra
        What there is to do; how fast a core is; what Dask adds for an iteration and a partition.
        The tasks of all partitions pass through one scheduler, one after the other.
    cluster : Cluster
        The machines.
    part_bytes : float
        Of a partition.
    read : bool
        Whether X is read from disks in each iteration, because memory cannot hold it.

    Returns
    -------
    dict
        Seconds by term, which add up: only reading and computing go on at the same time, and the
        longer of the two counts.

    Examples
    --------
    >>> cluster = Cluster(4, 2, 1e9, 1e9, 1e-3, 1e8)
    >>> terms = cluster_terms(
    ...     Work(10**6, 1000, 10), Rates(0, 1e-9, 0), Extra(0, 1e-3), cluster, 4e6, read=True
    ... )
    >>> round(terms["computing"], 3), round(terms["reading"], 3), terms["tasks"]
    (0.0, 10.0, 1.0)
    """
    parts = math.ceil(work.bytes / part_bytes)
    computing = compute_seconds(work, rates, cluster.cores) / cluster.machines
    reading = work.bytes / cluster.machines / cluster.disk if read else 0.0

    def sent(size: int) -> float:
        return size / cluster.network + cluster.latency

    return {
        "computing": computing if computing >= reading else 0.0,
        "reading": reading if reading > computing else 0.0,
        "tasks": extra.part * parts,
        # Who has H already gives it to the next, so that twice as many have it each time.
        "sending H": (2 + math.ceil(math.log2(cluster.machines))) * sent(components_bytes(work)),
        "merging the sums": (
            (MERGED_AT_ONCE - 1) * tree_levels(parts) * sent(sums_bytes(work))
            + 2 * sent(sums_bytes(work))
        ),
        "setting rows aside": sent(rows_bytes(work) // cluster.machines) / SET_ASIDE_EVERY,
        "improving H, and the rest": rates.step + extra.step,
    }


def part_rows(work: Work, rates: Rates, extra: Extra, share: float) -> float:
    """Return from how many rows of a partition on its task takes at most a share of their time.

    Examples
    --------
    >>> round(part_rows(Work(1, 100, 10), Rates(0, 1e-8, 0), Extra(part=1e-3), 0.1))
    10000
    """
    row = compute_seconds(work._replace(n=1), rates, 1)
    return extra.part / (share * row)


def rows_to_win(work: Work, rates: Rates, extra: Extra, workers: int, part: float) -> float:
    """Return from how many rows on workers of one core each are faster than one core in memory.

    Infinite where a partition of so many rows costs more than the others take off.

    Examples
    --------
    >>> rates = Rates(0, 1e-8, 0)
    >>> round(rows_to_win(Work(1, 100, 10), rates, Extra(step=1.0), 2, 1000))
    2000000
    >>> rows_to_win(Work(1, 100, 10), rates, Extra(part=1.0), 2, 1000)
    inf
    """
    one = work._replace(n=1)
    saved = compute_seconds(one, rates, 1) - compute_seconds(one, rates, workers)
    gained = saved - extra.part / part
    return extra.step / gained if gained > 0 else math.inf
