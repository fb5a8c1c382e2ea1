"""The paper's figures as a study: what ``robustnmf reproduce fig2`` and its kin run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from robustnmf_studies.common.settings import FULL, MODES, QUICK, Settings
from robustnmf_studies.common.sheet import Sheet
from robustnmf_studies.common.study import Options, Outcome, Progress
from robustnmf_studies.paper.claims import as_records
from robustnmf_studies.paper.pipeline import Reproduction, reproduce

_NONE = "–"


def run_study(target: str, out: Path, options: Options, progress: Progress) -> Outcome:
    """Run the paper's experiments and report on its claims.

    Parameters
    ----------
    target : {"fig2", "fig3", "fig4", "all"}
        Which of them.
    out : Path
        Folder to write to.
    options : Options
        What is asked for.
    progress : callable
        Told of the progress.

    Returns
    -------
    Outcome
    """
    plan = QUICK if options.quick else FULL
    result = reproduce(
        target,
        out,
        data=options.data,
        plan=plan if options.runs is None else replace(plan, runs=options.runs),
        settings=Settings(iterations=options.iterations, seed=options.seed),
        n_jobs=options.jobs,
        plots_only=options.plots_only,
        progress=progress,
    )
    return Outcome(
        result.report,
        result.folder,
        result.about,
        result.computed,
        result.reused,
        _verdicts(result),
        {"claims": as_records(result.judged)},
    )


def _verdicts(result: Reproduction) -> Sheet:
    rows = [
        (
            claim.sentence,
            *(findings[mode].verdict if mode in findings else _NONE for mode in MODES),
        )
        for claim, findings in result.judged
    ]
    return Sheet("The paper's claims", ("claim", "as in the paper", "at the optimum"), rows)
