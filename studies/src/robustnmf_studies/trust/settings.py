"""What is run: every case of the study, and how long it takes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from robustnmf_studies.trust import damage, errors
from robustnmf_studies.trust.made import BARREN
from robustnmf_studies.trust.matrices import RealMatrix, available_matrices, load_matrix
from robustnmf_studies.trust.sources import TEST, TUNING
from robustnmf_studies.trust.tables import available_tables

# The targets of the command, and what the edition of the data is for that each is about.
USES = {"trust": TEST, "trust-tuning": TUNING}

TABLE, MATRIX, NOTHING = "table", "matrix", "nothing to learn"
CLEAN, MISSING = "clean", "missing"
MISSING_RATE = 0.3
# Occlusion of stacks of pictures has a target of its own.
STACKS, STACK_RATE = "occlusion, as stacks", 0.2
# Where the spread over draws has a target.
REPEATED = (damage.SALT, damage.SALT_PEPPER, damage.SPIKES)
REPEATED_RATE, DRAWS = 0.3, 3
# Cases of these rates come after all others.
_LATER = {(TABLE, 0.01): 1, (TABLE, 0.08): 2, (MATRIX, 0.02): 1, (MATRIX, 0.3): 2}
_SECONDS = {TABLE: 2.0, MATRIX: 6.0, NOTHING: 0.5}

# The quick run: every kind once, on small subjects. Those of the test were chosen unseen: the first
# tables of the first three families, the first that is made up, and the first two matrices that
# are not pictures and have fewer than 500 features.
QUICK_TABLES = {
    TUNING: ("penguins", "milk", "us_arrests", "made-correlated"),
    TEST: ("alcohols", "caterpillars", "seizures", "made-kinds"),
}
QUICK_MATRICES = {TUNING: ("digits", "meat-spectra"), TEST: ("cytokines", "reviews")}
_QUICK_RATE = 0.03
_QUICK_DAMAGES = (damage.SALT, damage.SPIKES, damage.STRIPES, damage.SAMPLES)
_QUICK_DAMAGE_RATE = 0.1


@dataclass(frozen=True)
class Case:
    """One table or matrix with one kind of error, for all methods.

    Attributes
    ----------
    subject, name : str
        "table", "matrix" or "nothing to learn", and which one.
    kind : str
        The kind of error; "clean" for none, "missing" for entries that are not there.
    rate : float
        Share of wrong cells or entries.
    draw : int
        Of the same case, another draw of the noise.
    """

    subject: str
    name: str
    kind: str = CLEAN
    rate: float = 0.0
    draw: int = 0

    @property
    def key(self) -> str:
        """Name of the case in the journal."""
        return f"{self.subject} {self.name} {self.kind} {self.rate:g} draw={self.draw}"

    @property
    def cost(self) -> float:
        """Rough time it takes, in seconds of one core."""
        return _SECONDS[self.subject]


def cases_of(edition: str, *, quick: bool) -> tuple[list[Case], list[str]]:
    """Return the cases of a run.

    Parameters
    ----------
    edition : {"tuning", "test"}
        What the edition of the data is for.
    quick : bool
        A few small tables and matrices only.

    Returns
    -------
    cases : list of Case
        In such an order that what is stopped early is a fair sample.
    notes : list of str
        What is left out because its package is not installed.
    """
    tables, table_notes = available_tables(edition)
    matrices, matrix_notes = available_matrices(edition)
    if quick:
        tables = [name for name in tables if name in QUICK_TABLES[edition]]
        matrices = [name for name in matrices if name in QUICK_MATRICES[edition]]
    rates = (_QUICK_RATE,) if quick else errors.RATES
    cases = [Case(NOTHING, name) for name in BARREN]
    for name in tables:
        cases.append(Case(TABLE, name))
        cases += [Case(TABLE, name, kind, rate) for kind in errors.KINDS for rate in rates]
    for name in matrices:
        cases += [Case(MATRIX, name), Case(MATRIX, name, MISSING, MISSING_RATE)]
        if quick:
            cases += [Case(MATRIX, name, kind, _QUICK_DAMAGE_RATE) for kind in _QUICK_DAMAGES]
        else:
            cases += _damages(load_matrix(name))
    # A run that is not waited for has looked at all tables, then at all matrices, and then at more.
    cases.sort(key=lambda case: _LATER.get((case.subject, case.rate), 0))
    return cases, [*table_notes, *matrix_notes]


def _damages(matrix: RealMatrix) -> list[Case]:
    cases = []
    for kind, rate in itertools.product(damage.kinds_for(matrix), damage.RATES):
        draws = DRAWS if kind in REPEATED and rate == REPEATED_RATE else 1
        cases += [Case(MATRIX, matrix.name, kind, rate, draw) for draw in range(draws)]
    if matrix.layout is not None:
        cases.append(Case(MATRIX, matrix.name, STACKS, STACK_RATE))
    return cases
