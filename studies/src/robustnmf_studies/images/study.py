"""The study from pictures to report: compute, write down, draw, judge, report."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np

from robustnmf_studies.common.resume import run_missing
from robustnmf_studies.common.storage import Storage, fingerprint
from robustnmf_studies.common.study import Options, Outcome, Progress
from robustnmf_studies.common.table import Table
from robustnmf_studies.images.compute import compute
from robustnmf_studies.images.data import load_part
from robustnmf_studies.images.figures import draw_all
from robustnmf_studies.images.report import write_report
from robustnmf_studies.images.settings import HARD, NATURAL, SIDE, cases_of
from robustnmf_studies.images.targets import as_records, judge, target_sheet


def run_study(target: str, out: Path, options: Options, progress: Progress) -> Outcome:
    """Restore damaged pictures with all methods, and judge the targets.

    Parameters
    ----------
    target : str
        Name of the study; there is only one.
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
    progress("drawing", 1.0, 1.0)
    images = storage.read_tables().get("images", Table())
    judged = judge(images)
    records = as_records(judged)
    storage.write_claims(records)
    drawn = draw_all(images, storage)
    about = storage.read_about()
    report = write_report(storage, images, judged, drawn, about)
    verdicts = target_sheet(judged)
    return Outcome(report, out, about, computed, reused, verdicts, {"targets": records})


def _compute(target: str, storage: Storage, options: Options, tell: Progress) -> tuple[int, int]:
    """Run the cases that are not there yet, and write the tables."""
    tell("loading data", 0.0, 1.0)
    parts = [load_part(name, SIDE) for name in (*NATURAL, *HARD)]
    print_of_data = fingerprint(np.concatenate([part.ravel() for part in parts]))
    storage.open({"study": target, "data": print_of_data, "seed": options.seed})
    cases = cases_of(quick=options.quick)
    about = {
        "data": f"{len(NATURAL)} photographs and {len(HARD)} harder pictures of scikit-image",
        "fingerprint": print_of_data,
        "settings": {"seed": options.seed, "side": cases[0].side},
    }
    work = functools.partial(compute, seed=options.seed, pictures_folder=storage.pictures)
    return run_missing(storage, cases, work, about, n_jobs=options.jobs, tell=tell)
