"""The study from data to report."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from robustnmf_studies.common.resume import run_missing
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Options, Outcome, Progress
from robustnmf_studies.trust.compute import compute
from robustnmf_studies.trust.matrices import load_matrix
from robustnmf_studies.trust.matrix_targets import judge_matrices
from robustnmf_studies.trust.report import write_report
from robustnmf_studies.trust.settings import MATRIX, TABLE, USES, Case, cases_of
from robustnmf_studies.trust.tables import load_table
from robustnmf_studies.trust.targets import as_records, judge_tables, target_sheet


def run_study(target: str, out: Path, options: Options, progress: Progress) -> Outcome:
    """Clean spoiled tables and matrices with all methods, and judge the targets.

    Parameters
    ----------
    target : {"trust", "trust-tuning"}
        The edition of the data that nothing is tuned on, or the one that is for that.
    out : Path
        Folder to write to. What it holds of an earlier run is used, not computed again.
    options : Options
        What is asked for. Faces, repetitions and the paper's rules have no part in it.
    progress : callable
        Told of the progress.

    Returns
    -------
    Outcome
    """
    storage = Storage(out)
    computed = reused = 0
    if not options.plots_only:
        computed, reused = _compute(target, storage, options, progress)
    progress("writing", 1.0, 1.0)
    numbers = storage.read_tables()
    judged = [*judge_tables(numbers), *judge_matrices(numbers)]
    records = as_records(judged)
    storage.write_claims(records)
    about = storage.read_about()
    report = write_report(storage, numbers, judged, about)
    verdicts = target_sheet(judged)
    return Outcome(report, out, about, computed, reused, verdicts, {"targets": records})


def _compute(target: str, storage: Storage, options: Options, tell: Progress) -> tuple[int, int]:
    """Run the cases that are not there yet, and write the tables."""
    tell("loading data", 0.0, 1.0)
    edition = USES[target]
    cases, notes = cases_of(edition, quick=options.quick)
    tables, matrices = ({c.name for c in cases if c.subject == s} for s in (TABLE, MATRIX))
    # What is in the folder of a quick run may be part of a full one: only the seed must agree.
    storage.open({"study": target, "seed": options.seed})
    about: dict[str, Any] = {
        "data": f"the {edition} edition: {len(tables)} tables, {len(matrices)} matrices",
        "fingerprint": _fingerprint(cases),
        "notes": notes,
        "settings": {"seed": options.seed, "edition": edition, "quick": options.quick},
    }
    work = functools.partial(compute, seed=options.seed)
    return run_missing(storage, cases, work, about, n_jobs=options.jobs, tell=tell)


def _fingerprint(cases: list[Case]) -> str:
    """Return a short name of all data of the study, whatever packages they came from."""
    digest = hashlib.sha256()
    for subject, name in sorted({(c.subject, c.name) for c in cases}):
        if subject in (TABLE, MATRIX):
            data = load_table(name).values if subject == TABLE else load_matrix(name).X
            digest.update(name.encode() + np.ascontiguousarray(data).tobytes())
    return digest.hexdigest()[:16]
