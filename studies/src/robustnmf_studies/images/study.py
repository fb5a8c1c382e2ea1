"""The study of pictures: its steps."""

from __future__ import annotations

import functools

import numpy as np

from robustnmf_studies.common.storage import fingerprint
from robustnmf_studies.common.study import Options, Study, Work
from robustnmf_studies.images.compute import compute
from robustnmf_studies.images.data import load_part
from robustnmf_studies.images.document import FIGURES, context, parts
from robustnmf_studies.images.draw import draw_all
from robustnmf_studies.images.judge import judge
from robustnmf_studies.images.settings import HARD, NATURAL, SIDE, cases_of


def prepare(target: str, options: Options) -> Work:
    """Return what is to be computed; of the options, the seed and quickness matter."""
    pictures = [load_part(name, SIDE) for name in (*NATURAL, *HARD)]
    data = fingerprint(np.concatenate([picture.ravel() for picture in pictures]))
    cases = cases_of(quick=options.quick)
    return Work(
        cases,
        functools.partial(compute, seed=options.seed),
        {"study": target, "data": data, "seed": options.seed},
        {
            "data": f"{len(NATURAL)} photographs and {len(HARD)} harder pictures of scikit-image",
            "fingerprint": data,
            "settings": {"seed": options.seed, "side": cases[0].side},
        },
    )


STUDY = Study(
    "images",
    "Pictures without their corrupt pixels",
    "robustnmf.image.denoise_image beside the alternatives, on photographs that come "
    "with scikit-image: PSNR, SSIM and F1 of the corrupt pixels found.",
    prepare,
    judge,
    context,
    parts,
    draw_all,
    figures={name: name.removeprefix("images-") for name in FIGURES},
    figure_folder="images/denoise",
)
