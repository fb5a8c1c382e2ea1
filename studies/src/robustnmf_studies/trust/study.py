"""The study of trust: its steps."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import numpy as np

from robustnmf_studies.common.frames import Numbers
from robustnmf_studies.common.storage import Rows
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.common.targets import Judged
from robustnmf_studies.trust.compute import compute
from robustnmf_studies.trust.document import context, parts
from robustnmf_studies.trust.matrices import load_matrix
from robustnmf_studies.trust.matrix_targets import judge_matrices
from robustnmf_studies.trust.settings import MATRIX, TABLE, USES, Case, cases_of
from robustnmf_studies.trust.tables import load_table
from robustnmf_studies.trust.targets import judge_tables


def prepare(target: str, options: Options) -> Work:
    """Return what is to be computed.

    Parameters
    ----------
    target : {"trust", "trust-tuning"}
        The edition of the data that nothing is tuned on, or the one that is for that.
    options : Options
        Faces, repetitions and the paper's rules have no part in it.

    Returns
    -------
    Work
    """
    edition = USES[target]
    cases, notes = cases_of(edition, quick=options.quick)
    tables, matrices = ({c.name for c in cases if c.subject == s} for s in (TABLE, MATRIX))
    return Work(
        cases,
        functools.partial(_compute, seed=options.seed),
        # What is in the folder of a quick run may be part of a full one: only the seed must agree.
        {"study": target, "seed": options.seed},
        {
            "data": f"the {edition} edition: {len(tables)} tables, {len(matrices)} matrices",
            "fingerprint": _fingerprint(cases),
            "notes": notes,
            "settings": {"seed": options.seed, "edition": edition, "quick": options.quick},
        },
    )


def _compute(case: Case, pictures: Path, seed: int) -> Rows:
    # There is nothing to look at.
    return compute(case, seed)


def _fingerprint(cases: list[Case]) -> str:
    """Return a short name of all data of the study, whatever packages they came from."""
    digest = hashlib.sha256()
    for subject, name in sorted({(c.subject, c.name) for c in cases}):
        if subject in (TABLE, MATRIX):
            data = load_table(name).values if subject == TABLE else load_matrix(name).X
            digest.update(name.encode() + np.ascontiguousarray(data).tobytes())
    return digest.hexdigest()[:16]


def judge(numbers: Numbers) -> list[Judged]:
    """Decide all targets."""
    return [*judge_tables(numbers), *judge_matrices(numbers)]


STUDY = Study("trust", prepare, judge, context, parts)
