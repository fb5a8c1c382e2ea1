"""The paper's experiments from data to report: compute, write down, draw, judge, report."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robustnmf.datasets import load_faces
from robustnmf_studies.common.resume import run_missing
from robustnmf_studies.common.settings import FULL, SIDE, Plan, Settings
from robustnmf_studies.common.storage import Storage, fingerprint
from robustnmf_studies.common.study import Progress
from robustnmf_studies.paper.claims import Judged, as_records, judge, to_markdown
from robustnmf_studies.paper.compute import TARGETS, compute, points_of


@dataclass(frozen=True)
class Reproduction:
    """What a run leaves.

    Attributes
    ----------
    judged : list of Judged
        Every claim with its verdicts.
    report : Path
        The HTML file.
    folder : Path
        All files.
    about : dict
        Settings, versions, seeds, data source, run time.
    computed, reused : int
        Points that were run now, and that were there already.
    """

    judged: list[Judged]
    report: Path
    folder: Path
    about: dict[str, Any]
    computed: int
    reused: int


def reproduce(
    target: str = "all",
    out: str | os.PathLike[str] = "robustnmf-reproduction",
    *,
    data: str | os.PathLike[str] | None = None,
    plan: Plan = FULL,
    settings: Settings | None = None,
    n_jobs: int | None = None,
    plots_only: bool = False,
    progress: Progress | None = None,
) -> Reproduction:
    """Run the paper's experiments and report on its claims.

    Parameters
    ----------
    target : {"fig2", "fig3", "fig4", "all"}, default="all"
        Which of them.
    out : path-like, default="robustnmf-reproduction"
        Folder to write to. What it holds of an earlier run is used, not computed again.
    data : path-like, optional
        The faces, as for `robustnmf.datasets.load_faces`; by default ``"auto"``.
    plan : Plan, default=FULL
        How many runs and points; `QUICK` for a first look.
    settings : Settings, optional
        What all points share.
    n_jobs : int, optional
        Processes; by default one for each core.
    plots_only : bool, default=False
        Compute nothing; draw and judge the numbers that are there.
    progress : callable, optional
        Called as ``progress(what, done, total)``, in units of expected seconds.

    Returns
    -------
    Reproduction
        The verdicts and where the files are.
    """
    from robustnmf_studies.paper.figures import draw_all
    from robustnmf_studies.paper.report import write_report

    if target not in TARGETS:
        raise ValueError(f"target={target!r} is not known; choose one of {', '.join(TARGETS)}")
    tell = progress or (lambda what, done, total: None)
    storage = Storage(Path(out))
    computed = reused = 0
    if not plots_only:
        computed, reused = _compute(
            storage, target, data, plan, settings or Settings(), n_jobs, tell
        )
    tell("drawing", 1.0, 1.0)
    numbers = storage.read_tables()
    judged = judge(numbers)
    storage.write_claims(as_records(judged))
    storage.write_text("claims.md", to_markdown(judged))
    drawn = draw_all(numbers, storage)
    about = storage.read_about()
    report = write_report(storage, numbers, judged, drawn, about)
    return Reproduction(judged, report, storage.folder, about, computed, reused)


def _compute(
    storage: Storage,
    target: str,
    data: str | os.PathLike[str] | None,
    plan: Plan,
    settings: Settings,
    n_jobs: int | None,
    tell: Progress,
) -> tuple[int, int]:
    """Run the points that are not there yet, and write the tables."""
    tell("loading faces", 0.0, 1.0)
    faces = load_faces("auto" if data is None else data, SIDE)
    storage.open({"data": fingerprint(faces.images), **settings.as_dict()})
    about = {
        "data": faces.source,
        "faces": len(faces.images),
        "pixels": faces.images.shape[1] * faces.images.shape[2],
        "fingerprint": fingerprint(faces.images),
        "settings": settings.as_dict(),
        "runs": max(plan.runs, storage.read_about().get("runs", 0)),
    }
    work = functools.partial(
        compute, images=faces.images, settings=settings, pictures_folder=storage.pictures
    )
    points = points_of(target, plan, len(faces.images))
    return run_missing(storage, points, work, about, n_jobs=n_jobs, tell=tell)
