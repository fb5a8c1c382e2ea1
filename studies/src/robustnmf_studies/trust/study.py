"""The study of trust: its steps."""

from __future__ import annotations

import functools
import hashlib
import zlib
from pathlib import Path

import numpy as np

from robustnmf_studies.common.storage import Rows
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.trust.compute import compute
from robustnmf_studies.trust.document import context, parts
from robustnmf_studies.trust.judge import judge
from robustnmf_studies.trust.matrices import load_matrix
from robustnmf_studies.trust.settings import MATRIX, TABLE, USES, Case, cases_of
from robustnmf_studies.trust.tables import LISTING, load_table


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
    digest = hashlib.sha256()
    for name in sorted(matrices):
        digest.update(name.encode() + np.ascontiguousarray(load_matrix(name).X).tobytes())
    for name in sorted(tables):
        digest.update(name.encode() + np.ascontiguousarray(load_table(name).values).tobytes())
    return Work(
        cases,
        functools.partial(_compute, seed=options.seed),
        # What is in the folder of a quick run may be part of a full one: all else must agree. The
        # version of the code does not see which columns the list of tables keeps.
        {
            "study": target,
            "seed": options.seed,
            "list of tables": zlib.crc32(LISTING.encode()),
        },
        {
            "data": f"the {edition} edition: {len(tables)} tables, {len(matrices)} matrices",
            "fingerprint": digest.hexdigest()[:16],
            "notes": notes,
            "settings": {"seed": options.seed, "edition": edition, "quick": options.quick},
        },
    )


def _compute(case: Case, pictures: Path, seed: int) -> Rows:
    # There is nothing to look at.
    return compute(case, seed)


STUDY = Study(
    "trust",
    "Results people can trust, on data nobody tuned on",
    "Real tables and matrices that ship inside packages, spoiled at known entries in "
    "many ways, cleaned by robustnmf with nothing to choose and by its rivals.",
    prepare,
    judge,
    context,
    parts,
)
