import os

import pytest

from robustnmf_studies.common.parallel import run_points
from robustnmf_studies.paper.settings import Point

POINTS = [Point("faces", run, 10, 50) for run in range(4)]


def threads_of_a_worker(point):
    return os.getpid(), os.environ.get("OMP_NUM_THREADS")


def test_one_job_stays_in_this_process():
    found = dict(run_points(threads_of_a_worker, POINTS, n_jobs=1))
    assert list(found) == POINTS
    assert {pid for pid, _ in found.values()} == {os.getpid()}


@pytest.mark.slow
def test_workers_keep_to_one_core_each():
    # Sent whole, not by its name: another package may have brought a folder called tests.
    found = dict(
        run_points(lambda _: (os.getpid(), os.environ.get("OMP_NUM_THREADS")), POINTS, n_jobs=2)
    )
    assert set(found) == set(POINTS)
    assert os.getpid() not in {pid for pid, _ in found.values()}
    assert {threads for _, threads in found.values()} == {"1"}


def test_results_come_before_the_rest_is_done():
    begun = []

    def work(point):
        begun.append(point)
        return point.run

    results = run_points(work, POINTS, n_jobs=1)
    next(results)
    assert begun == POINTS[:1]
    results.close()


def test_nothing_to_do():
    assert list(run_points(threads_of_a_worker, [])) == []
