"""The paper's experiments as a study: its steps."""

from __future__ import annotations

import functools
from dataclasses import asdict, replace

from robustnmf.datasets import load_faces
from robustnmf_studies.common.problem import SIDE
from robustnmf_studies.common.storage import fingerprint
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.paper.compute import compute
from robustnmf_studies.paper.document import context, parts
from robustnmf_studies.paper.draw import draw_all
from robustnmf_studies.paper.judge import as_records, judge, to_markdown, verdict_table
from robustnmf_studies.paper.settings import FULL, QUICK, Plan, Settings, points_of


def prepare(
    target: str, options: Options, *, plan: Plan | None = None, settings: Settings | None = None
) -> Work:
    """Return what is to be computed for one of the paper's figures, or for all.

    A plan and settings of one's own take the place of those that the options ask for.
    """
    plan = plan or (QUICK if options.quick else FULL)
    if options.runs is not None:
        plan = replace(plan, runs=options.runs)
    settings = settings or Settings(iterations=options.iterations, seed=options.seed)
    faces = load_faces("auto" if options.data is None else options.data, SIDE)
    images, data = faces.images, fingerprint(faces.images)
    return Work(
        points_of(target, plan, len(images)),
        functools.partial(compute, images=images, settings=settings),
        {"data": data, **asdict(settings)},
        {
            "data": faces.source,
            "faces": len(images),
            "pixels": images[0].size,
            "fingerprint": data,
            "settings": asdict(settings),
            "runs": plan.runs,
        },
    )


STUDY = Study(
    "paper",
    "RobustNMF: the paper’s experiments, run again",
    "B. Shen, L. Si, R. Ji, B. Liu, “Robust nonnegative matrix factorization via L1 "
    "norm regularization”, arXiv:1204.2311. Each experiment was run as in the paper (a given "
    "number of iterations of its multiplicative rules) and at the optimum (until nothing more is "
    "gained).",
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
