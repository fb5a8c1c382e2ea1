"""The study beyond the paper: its steps."""

from __future__ import annotations

import functools

from robustnmf_studies.beyond.compute import compute
from robustnmf_studies.beyond.data import load_sets
from robustnmf_studies.beyond.document import FIGURES, context, parts
from robustnmf_studies.beyond.draw import draw_all
from robustnmf_studies.beyond.judge import judge
from robustnmf_studies.beyond.settings import FULL, QUICK, cases_of
from robustnmf_studies.common.storage import fingerprint
from robustnmf_studies.common.study import Options, Study, Work


def prepare(target: str, options: Options) -> Work:
    """Return what is to be computed; the paper's rules have no part in it."""
    sets = load_sets(options.data)
    faces = sets.pictures[sets.faces]
    data = fingerprint(faces)
    plan = (QUICK if options.quick else FULL).limited(options.runs)
    return Work(
        cases_of(plan, sets.faces, len(faces)),
        functools.partial(compute, sets=sets, seed=options.seed),
        {"study": target, "data": data, "seed": options.seed},
        {
            "data": sets.source,
            "faces": len(faces),
            "pixels": faces[0].size,
            "fingerprint": data,
            "settings": {"seed": options.seed},
            "runs": plan.runs,
        },
    )


STUDY = Study(
    "beyond",
    "RobustNMF beyond the paper: nothing to tune",
    'RobustNMF(lam="auto", n_components="auto") against the paper’s setting, against '
    "settings that are told how much is wrong, and against an oracle that is told what is "
    "wrong.",
    prepare,
    judge,
    context,
    parts,
    draw_all,
    figures={name: name for name in FIGURES},
    figure_folder="images/beyond",
)
