"""What a billion samples would take on a cluster that nobody has measured, by the cost model."""

from __future__ import annotations

from typing import NamedTuple

from robustnmf_studies.scaling.calibrate import Constants
from robustnmf_studies.scaling.model import Cluster, Work, cluster_terms
from robustnmf_studies.scaling.settings import CLUSTER_2

WORK = Work(10**9, 1024, 10)
ITERATIONS = 30
# Ten gigabits a second; the disk is one of flash.
ROOMY = Cluster(64, cores=16, memory=128e9, network=1.25e9, latency=1e-3, disk=2e9)
TIGHT = ROOMY._replace(memory=32e9)
# Of the memory of a worker, what X may take: the rest is for W, for what is worked on, for others.
FOR_DATA = 0.6
PART_BYTES = (64e6, 256e6, 1e9, 4e9)


class Projected(NamedTuple):
    """What an iteration takes with partitions of one size, by what takes it."""

    part_bytes: float
    parts: int
    terms: dict[str, float]

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(self.terms.values())

    @property
    def dominant(self) -> str:
        """What takes longest."""
        return max(self.terms, key=lambda name: self.terms[name])


def fits(cluster: Cluster) -> bool:
    """Return whether X has room in the memory of all machines together.

    Examples
    --------
    >>> fits(ROOMY), fits(TIGHT)
    (True, False)
    """
    return WORK.bytes <= FOR_DATA * cluster.machines * cluster.memory


def projected(constants: Constants, cluster: Cluster) -> list[Projected]:
    """Return what an iteration takes on a cluster, for each size of partitions."""
    extra = constants.extra[CLUSTER_2]
    return [
        Projected(
            part_bytes,
            -int(-WORK.bytes // part_bytes),
            cluster_terms(
                WORK, constants.rates, extra, cluster, part_bytes, read=not fits(cluster)
            ),
        )
        for part_bytes in PART_BYTES
    ]
