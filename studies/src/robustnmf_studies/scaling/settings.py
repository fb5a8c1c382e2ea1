"""What is measured: the engines, the sizes, and the points of the study."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple


class Engine(NamedTuple):
    """Where rows live, and what works on them."""

    words: str
    kind: str
    """How data are handed over: a key of `opening.KINDS`."""
    cores: int
    """So many threads, or processes of one thread each."""


MEMORY_1, MEMORY_2, FILE, ZARR = "memory-1", "memory-2", "file", "zarr"
THREADS, CLUSTER_1, CLUSTER_2 = "dask-threads", "dask-1", "dask-2"
ENGINES = {
    MEMORY_1: Engine("memory, 1 thread", "memory", 1),
    MEMORY_2: Engine("memory, 2 threads", "memory", 2),
    FILE: Engine("NumPy file, 2 threads", "file", 2),
    ZARR: Engine("Zarr, 2 threads", "zarr", 2),
    THREADS: Engine("Dask, 2 threads", "threads", 2),
    CLUSTER_1: Engine("Dask, 1 worker", "cluster", 1),
    CLUSTER_2: Engine("Dask, 2 workers", "cluster", 2),
}
STREAMS = (FILE, ZARR)
CLUSTERS = (CLUSTER_1, CLUSTER_2)
IN_PROCESS = (MEMORY_1, MEMORY_2, *STREAMS)
DASK = (THREADS, *CLUSTERS)
# What an engine is compared with: the same work in memory, on as many cores.
IN_MEMORY = {1: MEMORY_1, 2: MEMORY_2}

TIME, TRAFFIC = "time", "traffic"
# Iterations of a fit whose time is measured: enough for one of those, every 16 passes, in which a
# cluster sets aside what is kept for the rows.
ITERATIONS = 18
# Of two fits, whose difference is what the iterations between them send.
FEW, MANY = 4, 14
# Rows that are drawn from one seed; parts hold whole ones.
UNIT = 256


class Size(NamedTuple):
    """Of the data at 1×, and of a partition of Dask, in rows."""

    n: int
    m: int
    k: int
    part: int


FULL, QUICK = Size(8192, 512, 10, 4096), Size(2048, 64, 5, 1024)
FACTORS, QUICK_FACTORS = (1, 2, 4, 8, 16, 32), (1, 2, 4)


@dataclass(frozen=True)
class Case:
    """One engine and one size, measured in a process of its own."""

    engine: str
    measure: str
    factor: int
    n: int
    m: int
    k: int
    part: int
    """Rows of a partition."""
    use: str = "fit"
    """Whether the model is fitted to it ("fit") or checked by it ("check")."""
    sweep: str = "n"
    """What it belongs to: sizes ("n"), sizes of partitions ("part"), components ("k")."""
    seed: int = 0

    @property
    def key(self) -> str:
        """Name of the case in the journal."""
        return f"{self.measure} {self.engine} {self.n}x{self.m} k={self.k} part={self.part}"

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds."""
        start = 6.0 if self.engine in CLUSTERS else 3.0
        return start + 2e-7 * self.n * self.m

    @property
    def parts(self) -> int:
        """How many partitions Dask has; what it has not, is one."""
        return -(-self.n // self.part) if self.engine in DASK else 1


def cases_of(*, quick: bool, seed: int = 0) -> list[Case]:
    """Return the points of the study.

    Every second size is left out when the model is fitted, and used to check it.
    """
    size = QUICK if quick else FULL
    factors = QUICK_FACTORS if quick else FACTORS

    def case(engine: str, factor: int, **more: object) -> Case:
        use = "check" if factors.index(factor) % 2 else "fit"
        made = Case(
            engine, TIME, factor, factor * size.n, size.m, size.k, size.part, use=use, seed=seed
        )
        return replace(made, **more)  # type: ignore[arg-type]

    sizes = [case(engine, factor) for factor in factors for engine in ENGINES]
    # So many times the rows of a partition that the sizes have, or that part of them.
    parts = {-2: "fit"} if quick else {-8: "fit", -4: "check", 4: "check", 8: "fit"}
    middle = factors[-2]
    sweep = [
        case(engine, middle, part=_scaled(size.part, by), use=use, sweep="part")
        for by, use in parts.items()
        for engine in (DASK if use == "fit" else (CLUSTER_2,))
    ]
    components = {2: "fit"} if quick else {5: "fit", 20: "fit", 40: "check"}
    ranks = [case(MEMORY_1, factors[2], k=k, use=use, sweep="k") for k, use in components.items()]
    sent = [
        *(case(engine, factors[2], measure=TRAFFIC) for engine in (*STREAMS, CLUSTER_1)),
        *(case(CLUSTER_2, factor, measure=TRAFFIC) for factor in factors[::2]),
    ]
    return [*sizes, *sweep, *ranks, *sent]


def _scaled(part: int, by: int) -> int:
    return part * by if by > 0 else part // -by
