"""Points, the units of work, on all cores, handed back as they are finished."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

import joblib
from threadpoolctl import threadpool_limits

from robustnmf._engines.threads import thread_count


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
    work: Callable[..., T], points: Sequence[P], n_jobs: int | None = None, *more: Any
) -> Iterator[tuple[P, T]]:
    """Compute points in worker processes, each of which keeps to one core.

    Parameters
    ----------
    work : callable
        ``work(point, *more)`` computes one point; must be picklable.
    points : sequence
        What to compute.
    n_jobs : int, optional
        Number of processes; by default one for each core. 1 computes in this process.
    *more
        What `work` is given beside the point.

    Yields
    ------
    point, result
        In the order in which they are finished.

    Examples
    --------
    >>> [found for _, found in run_points(str.upper, ["a", "b"], 1)]
    ['A', 'B']
    """
    jobs = min(n_jobs or thread_count(), max(len(points), 1))
    # One thread for each worker: matrices this small are slower on more. joblib sets
    # OMP_NUM_THREADS and its kin in the workers, which the library's own threads obey, too.
    with (
        threadpool_limits(1),
        warnings.catch_warnings(),
        joblib.parallel_config("loky", n_jobs=jobs, inner_max_num_threads=1),
    ):
        # Idle workers are replaced after a while, of which loky warns though nothing is lost.
        warnings.filterwarnings("ignore", message="A worker stopped while some jobs were given")
        pool: Any = joblib.Parallel(return_as="generator_unordered", batch_size=1)
        yield from pool(joblib.delayed(_keep_point)(work, point, *more) for point in points)


def _keep_point(work: Callable[..., T], point: P, *more: Any) -> tuple[P, T]:
    return point, work(point, *more)
