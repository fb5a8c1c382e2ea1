"""Points, the units of work, on all cores, handed back as they are finished."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar


class Point(Protocol):
    """What running and storing need to know of a unit of work, whatever study it belongs to."""

    @property
    def key(self) -> str:
        """Its name, by which its results are found again."""

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core."""


T = TypeVar("T")
P = TypeVar("P", bound=Point)


def run_points(
    work: Callable[[P], T], points: Sequence[P], n_jobs: int | None = None
) -> Iterator[tuple[P, T]]:
    """Compute points in worker processes, each of which keeps to one core.

    Parameters
    ----------
    work : callable
        Computes one point; must be picklable.
    points : sequence
        What to compute.
    n_jobs : int, optional
        Number of processes; by default one for each core. 1 computes in this process.

    Yields
    ------
    point, result
        In the order in which they are finished.

    Examples
    --------
    >>> [found for _, found in run_points(str.upper, ["a", "b"], 1)]
    ['A', 'B']
    """
    from threadpoolctl import threadpool_limits

    jobs = min(n_jobs or _cores(), max(len(points), 1))
    if jobs == 1:
        with threadpool_limits(1):
            for point in points:
                yield point, work(point)
        return
    import joblib

    # One thread for each worker: matrices this small are slower on more. It sets OMP_NUM_THREADS
    # and its kin in the workers, which the library's own threads obey, too.
    with (
        warnings.catch_warnings(),
        joblib.parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1),
    ):
        # Idle workers are replaced after a while, of which loky warns though nothing is lost.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        pool: Any = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from pool(joblib.delayed(_keep_point)(work, point) for point in points)


def _keep_point(work: Callable[[P], T], point: P) -> tuple[P, T]:
    return point, work(point)


def _cores() -> int:
    import joblib

    limit = os.environ.get("OMP_NUM_THREADS", "")
    cores = int(joblib.cpu_count())
    return max(1, min(cores, int(limit))) if limit.isdigit() else cores
