"""What is run: which data, which corruptions, how much of each, and how often."""

from __future__ import annotations

from dataclasses import dataclass, replace

from robustnmf_studies.common.problem import K

ORL, LFW, DIGITS, SYNTHETIC = "orl", "lfw", "digits", "synthetic"
SET_NAMES = {
    ORL: "ORL faces",
    LFW: "LFW faces",
    DIGITS: "digits",
    SYNTHETIC: "synthetic",
}
NONE = "none"
CORRUPTIONS = ("salt", "salt_pepper", "random", "spikes", "occlusion")
CORRUPTION_NAMES = {
    "salt": "salt",
    "salt_pepper": "salt & pepper",
    "random": "random values",
    "spikes": "spikes of both signs",
    "occlusion": "occlusion",
    NONE: "no corruption",
}
# A larger square hides the middle of every picture, wherever it lies, and nobody can know it then.
MOST_OCCLUDED = 0.2
# Rows that do not belong: pictures of something else, and faces with their pixels shuffled.
FOREIGN = ("camera", "scrambled")
FOREIGN_NAMES = {"camera": "patches of a photograph", "scrambled": "scrambled faces"}
FOREIGN_SHARE = 0.05

# Samples of the sets that are there for comparison.
_OTHERS = {LFW: 100, DIGITS: 400, SYNTHETIC: 200}


@dataclass(frozen=True)
class Case:
    """A unit of work: one draw of the data, with all that is computed from it.

    Attributes
    ----------
    kind : {"detect", "rank", "samples"}
        Which computation.
    data : str
        Which data set.
    run : int
        Repetition.
    n : int
        Samples.
    corruption : str
        A kind of `robustnmf.datasets.corrupt`, ``"none"``, or for ``kind="samples"`` one of
        `FOREIGN`.
    amount : int or float
        Entries of each sample, or their share.
    k : int
        Number of components; for ``kind="rank"`` the true one, 0 where nobody knows it.
    """

    kind: str
    data: str
    run: int
    n: int
    corruption: str = NONE
    amount: int | float = 0
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
        per_sample = {"detect": 0.025, "samples": 0.01, "rank": 0.03}
        return per_sample[self.kind] * self.n


@dataclass(frozen=True)
class Plan:
    """How much is run.

    Attributes
    ----------
    runs : int
        Repetitions on the faces, of the rank and of foreign samples.
    few : int
        Repetitions on the other data sets.
    targets : tuple of (n, pixels)
        Where the targets are set: faces with salt.
    sizes : tuple of (n, pixels)
        Further numbers of faces.
    clean : tuple of int
        Numbers of faces without corruption.
    shares, other_shares : tuple of float
        Shares of corrupt entries, on the faces and on the other sets.
    corruptions, other_corruptions : tuple of str
        Their kinds.
    others : tuple of str
        The other sets.
    ranks, rank_shares : tuple
        True ranks of synthetic data, and shares of its entries that are corrupt.
    real_ranks : bool
        Whether the rank of the other data is sought, too.
    """

    runs: int = 10
    few: int = 5
    targets: tuple[tuple[int, int], ...] = (
        (50, 50),
        (50, 100),
        (100, 50),
        (100, 100),
        (100, 200),
        (400, 100),
    )
    sizes: tuple[tuple[int, int], ...] = ((200, 100),)
    clean: tuple[int, ...] = (50, 100, 400)
    shares: tuple[float, ...] = (0.05, 0.1, 0.2, 0.3)
    other_shares: tuple[float, ...] = (0.1, 0.3)
    corruptions: tuple[str, ...] = CORRUPTIONS
    other_corruptions: tuple[str, ...] = CORRUPTIONS
    others: tuple[str, ...] = (LFW, DIGITS, SYNTHETIC)
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
# Faces for the sweeps over the share, with foreign samples, and where the rank is sought.
SWEEP_FACES = 100


def cases_of(plan: Plan, faces: str, n_faces: int) -> list[Case]:
    """Return all cases of the study, each once.

    Parameters
    ----------
    plan : Plan
        How much is wanted.
    faces : {"orl", "lfw"}
        Which faces the main part is about.
    n_faces : int
        How many of them there are; more cannot be asked for.

    Returns
    -------
    list of Case
        In such an order that the first run is complete first, if the rest is not waited for.

    Examples
    --------
    >>> cases = cases_of(Plan(runs=1, targets=((50, 50),)), "lfw", 100)
    >>> cases[0].key
    'detect lfw n=50 salt 50 k=10 run=0'
    """
    cases: list[Case] = []
    for run in range(plan.runs):
        cases += [
            Case("detect", faces, run, n, "salt", pixels)
            for n, pixels in (*plan.targets, *plan.sizes)
        ]
        cases += _grid(faces, run, SWEEP_FACES, plan.corruptions, plan.shares)
        cases += [Case("detect", faces, run, n) for n in plan.clean]
        cases += [
            Case("rank", SYNTHETIC, run, _OTHERS[SYNTHETIC], "spikes" if share else NONE, share, k)
            for k in plan.ranks
            for share in plan.rank_shares
        ]
        cases += [
            Case("samples", faces, run, SWEEP_FACES, foreign, FOREIGN_SHARE) for foreign in FOREIGN
        ]
    for run in range(plan.few):
        for data in plan.others:
            n = _OTHERS[data]
            cases += _grid(data, run, n, plan.other_corruptions, plan.other_shares)
            cases.append(Case("detect", data, run, n))
    if plan.real_ranks:
        cases += [
            Case("rank", data, 0, _OTHERS.get(data, SWEEP_FACES), "salt", 0.1, 0)
            for data in (faces, *plan.others)
            if data != SYNTHETIC
        ]
    possible = [
        case for case in dict.fromkeys(cases) if case.data not in (ORL, LFW) or case.n <= n_faces
    ]
    return sorted(possible, key=lambda case: case.run)


def _grid(
    data: str, run: int, n: int, corruptions: tuple[str, ...], shares: tuple[float, ...]
) -> list[Case]:
    return [
        Case(
            "detect",
            data,
            run,
            n,
            corruption,
            min(share, MOST_OCCLUDED) if corruption == "occlusion" else share,
        )
        for corruption in corruptions
        for share in shares
        # Rows of synthetic data are no pictures, so a square has no meaning there.
        if (data, corruption) != (SYNTHETIC, "occlusion")
    ]
