"""The study from data to report: compute, write down, draw, judge, report."""

from __future__ import annotations

import functools
from pathlib import Path

from robustnmf_studies.beyond.compute import compute
from robustnmf_studies.beyond.data import load_sets
from robustnmf_studies.beyond.figures import draw_all
from robustnmf_studies.beyond.report import write_report
from robustnmf_studies.beyond.settings import FULL, QUICK, cases_of
from robustnmf_studies.beyond.targets import as_records, judge, target_sheet
from robustnmf_studies.common.resume import run_missing
from robustnmf_studies.common.sheet import to_markdown
from robustnmf_studies.common.storage import Storage, fingerprint
from robustnmf_studies.common.study import Options, Outcome, Progress


def run_study(target: str, out: Path, options: Options, progress: Progress) -> Outcome:
    """Compare auto with fixed settings and with an oracle, and judge the targets.

    Parameters
    ----------
    target : str
        Name of the study; there is only one.
    out : Path
        Folder to write to. What it holds of an earlier run is used, not computed again.
    options : Options
        What is asked for. The paper's rules, and so `Options.iterations`, have no part in it.
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
    numbers = storage.read_tables()
    judged = judge(numbers)
    records = as_records(judged)
    storage.write_claims(records)
    storage.write_text("targets.md", to_markdown(target_sheet(judged)) + "\n")
    drawn = draw_all(numbers, storage)
    about = storage.read_about()
    report = write_report(storage, numbers, judged, drawn, about)
    verdicts = target_sheet(judged, where=False)
    return Outcome(report, out, about, computed, reused, verdicts, {"targets": records})


def _compute(target: str, storage: Storage, options: Options, tell: Progress) -> tuple[int, int]:
    """Run the cases that are not there yet, and write the tables."""
    tell("loading data", 0.0, 1.0)
    sets = load_sets(options.data)
    faces = sets.pictures[sets.faces]
    print_of_data = fingerprint(faces)
    storage.open({"study": target, "data": print_of_data, "seed": options.seed})
    plan = (QUICK if options.quick else FULL).limited(options.runs)
    about = {
        "data": sets.source,
        "faces": len(faces),
        "pixels": faces[0].size,
        "fingerprint": print_of_data,
        "settings": {"seed": options.seed},
        "runs": max(plan.runs, storage.read_about().get("runs", 0)),
    }
    work = functools.partial(
        compute, sets=sets, seed=options.seed, pictures_folder=storage.pictures
    )
    cases = cases_of(plan, sets.faces, len(faces))
    return run_missing(storage, cases, work, about, n_jobs=options.jobs, tell=tell)
