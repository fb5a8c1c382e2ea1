"""The paper's experiments as a study: its steps."""

from __future__ import annotations

import functools
from dataclasses import replace

from robustnmf.datasets import load_faces
from robustnmf_studies.common.problem import SIDE
from robustnmf_studies.common.storage import fingerprint
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.paper.claims import as_records, judge, to_markdown, verdict_table
from robustnmf_studies.paper.compute import compute, points_of
from robustnmf_studies.paper.document import context, parts
from robustnmf_studies.paper.figures import draw_all
from robustnmf_studies.paper.settings import FULL, QUICK, Plan, Settings


def prepare(
    target: str, options: Options, *, plan: Plan | None = None, settings: Settings | None = None
) -> Work:
    """Return what is to be computed.

    Parameters
    ----------
    target : {"fig2", "fig3", "fig4", "all"}
        Which of the paper's figures.
    options : Options
        What is asked for.
    plan : Plan, optional
        How much is run, if neither the full nor the quick plan will do.
    settings : Settings, optional
        What all points share; by default the paper's, with the iterations and the seed asked for.

    Returns
    -------
    Work
    """
    plan = plan or (QUICK if options.quick else FULL)
    if options.runs is not None:
        plan = replace(plan, runs=options.runs)
    settings = settings or Settings(iterations=options.iterations, seed=options.seed)
    faces = load_faces("auto" if options.data is None else options.data, SIDE)
    data = fingerprint(faces.images)
    return Work(
        points_of(target, plan, len(faces.images)),
        functools.partial(compute, images=faces.images, settings=settings),
        {"data": data, **settings.as_dict()},
        {
            "data": faces.source,
            "faces": len(faces.images),
            "pixels": faces.images.shape[1] * faces.images.shape[2],
            "fingerprint": data,
            "settings": settings.as_dict(),
            "runs": plan.runs,
        },
    )


STUDY = Study(
    "paper",
    prepare,
    judge,
    context,
    parts,
    draw_all,
    kind="claims",
    records=as_records,
    verdicts=verdict_table,
    markdown=to_markdown,
    figures={"fig2": "fig2", "fig3": "fig3", "checks": "checks", "fig4-page": "fig4"},
    figure_folder="images/reproduction",
)
