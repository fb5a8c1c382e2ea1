"""What is run: which data, which corruptions, how much of each, and how often."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

from robustnmf_studies.common.problem import K

ORL, LFW, DIGITS, SYNTHETIC = "orl", "lfw", "digits", "synthetic"
SET_NAMES = {ORL: "ORL faces", LFW: "LFW faces", DIGITS: "digits", SYNTHETIC: "synthetic"}
NONE, SQUARE = "none", "occlusion"
CORRUPTION_NAMES = {
    "salt": "salt",
    "salt_pepper": "salt & pepper",
    "random": "random values",
    "spikes": "spikes of both signs",
    SQUARE: "occlusion",
    NONE: "no corruption",
}
CORRUPTIONS = tuple(name for name in CORRUPTION_NAMES if name != NONE)
# A larger square hides the middle of every picture, wherever it lies, and nobody can know it then.
MOST_OCCLUDED = 0.2
# Rows that do not belong: pictures of something else, and faces with their pixels shuffled.
FOREIGN = ("camera", "scrambled")
FOREIGN_NAMES = {"camera": "patches of a photograph", "scrambled": "scrambled faces"}
FOREIGN_SHARE = 0.05

# Samples of the sets that are there for comparison.
_OTHERS = {LFW: 100, DIGITS: 400, SYNTHETIC: 200}
# Faces for the sweeps over the share, with foreign samples, and where the rank is sought.
SWEEP_FACES = 100
# Where the main targets are set. ORL faces, pixels of salt: the least F1, and the largest error of
# W H relative to the oracle's.
SALT = {
    (50, 50): (0.90, 1.15),
    (50, 100): (0.91, 1.25),
    (100, 50): (0.92, 1.03),
    (100, 100): (0.93, 1.06),
    (100, 200): (0.92, 1.15),
    (400, 100): (0.92, 1.03),
}


@dataclass(frozen=True)
class Case:
    """A unit of work: one draw of the data, with all that is computed from it."""

    # Which computation ("detect", "rank" or "samples"), data set and repetition.
    kind: str
    data: str
    run: int
    # Samples.
    n: int
    # A kind of `robustnmf.datasets.corrupt`, "none", or for kind="samples" one of `FOREIGN`.
    corruption: str = NONE
    # Entries of each sample, or their share.
    amount: int | float = 0
    # Components; for kind="rank" the true number, 0 where nobody knows it.
    k: int = K

    @property
    def key(self) -> str:
        """Name of the case in the journal."""
        return (
            f"{self.kind} {self.data} n={self.n} {self.corruption} {self.amount:g} "
            f"k={self.k} run={self.run}"
        )

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core, for the time left."""
        return {"detect": 0.025, "samples": 0.01, "rank": 0.03}[self.kind] * self.n


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    # Repetitions: on the faces, of the rank and of foreign samples; on the other data sets.
    runs: int = 10
    few: int = 5
    # Numbers of faces and pixels of salt: where the targets are set, and further ones.
    targets: tuple[tuple[int, int], ...] = tuple(SALT)
    sizes: tuple[tuple[int, int], ...] = ((200, 100),)
    # Numbers of faces without corruption.
    clean: tuple[int, ...] = (50, 100, 400)
    # Kinds of corruption and shares of corrupt entries, on the faces and on the other sets.
    corruptions: tuple[str, ...] = CORRUPTIONS
    shares: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3)
    others: tuple[str, ...] = tuple(_OTHERS)
    other_corruptions: tuple[str, ...] = CORRUPTIONS
    other_shares: tuple[float, ...] = (0.1, 0.3)
    # True ranks of synthetic data, shares of its entries that are corrupt, and whether the rank of
    # the other data is sought, too.
    ranks: tuple[int, ...] = (3, 6, 10, 15, 20)
    rank_shares: tuple[float, ...] = (0.0, 0.05, 0.15)
    real_ranks: bool = True

    def limited(self, runs: int | None) -> Plan:
        """Return the same with another number of runs, where one is given."""
        return self if runs is None else replace(self, runs=runs, few=min(self.few, runs))


FULL = Plan()
QUICK = Plan(
    runs=2,
    few=1,
    targets=((50, 50), (100, 100)),
    sizes=(),
    clean=(100,),
    shares=(0.1, 0.3),
    other_shares=(0.1,),
    other_corruptions=("salt", "spikes"),
    ranks=(3, 10),
    rank_shares=(0.05,),
)


def cases_of(plan: Plan, faces: str, n_faces: int) -> list[Case]:
    """Return all cases of the study, each once; `faces` names those the main part is about.

    No case asks for more than `n_faces` of them. The first run is complete first, if the rest is
    not waited for.

    Examples
    --------
    >>> cases = cases_of(Plan(runs=1, targets=((50, 50),)), "lfw", 100)
    >>> cases[0].key
    'detect lfw n=50 salt 50 k=10 run=0'
    """
    cases: list[Case] = []
    n_synthetic = _OTHERS[SYNTHETIC]
    for run in range(plan.runs):
        salt = (*plan.targets, *plan.sizes)
        cases += [Case("detect", faces, run, n, "salt", pixels) for n, pixels in salt]
        cases += _grid(faces, run, SWEEP_FACES, plan.corruptions, plan.shares)
        cases += [Case("detect", faces, run, n) for n in plan.clean]
        cases += [
            Case("rank", SYNTHETIC, run, n_synthetic, "spikes" if share else NONE, share, k)
            for k, share in itertools.product(plan.ranks, plan.rank_shares)
        ]
        cases += [Case("samples", faces, run, SWEEP_FACES, kind, FOREIGN_SHARE) for kind in FOREIGN]
    for run, data in itertools.product(range(plan.few), plan.others):
        cases += _grid(data, run, _OTHERS[data], plan.other_corruptions, plan.other_shares)
        cases.append(Case("detect", data, run, _OTHERS[data]))
    if plan.real_ranks:
        sizes = {faces: SWEEP_FACES, **{data: _OTHERS[data] for data in plan.others}}
        sizes.pop(SYNTHETIC, None)
        cases += [Case("rank", data, 0, n, "salt", 0.1, 0) for data, n in sizes.items()]
    possible = (c for c in dict.fromkeys(cases) if c.data not in (ORL, LFW) or c.n <= n_faces)
    return sorted(possible, key=lambda case: case.run)


def _grid(
    data: str, run: int, n: int, corruptions: tuple[str, ...], shares: tuple[float, ...]
) -> list[Case]:
    return [
        Case("detect", data, run, n, kind, min(share, MOST_OCCLUDED if kind == SQUARE else 1))
        for kind, share in itertools.product(corruptions, shares)
        # Rows of synthetic data are no pictures, so a square has no meaning there.
        if (data, kind) != (SYNTHETIC, SQUARE)
    ]
