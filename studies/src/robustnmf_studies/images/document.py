"""The page about pictures in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.images.document RESULTS docs/images.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import MET, target_table
from robustnmf_studies.images.settings import IMPULSES, SHOWN
from robustnmf_studies.images.sheets import number_sheets

# The tables of the page, by the names of `number_sheets`.
SHEETS = (
    *(f"{measure}-{kind}" for measure in ("psnr", "ssim", "f1") for kind in IMPULSES),
    "others",
    "seconds",
    "pictures",
    "hard",
    "lost",
    "untuned",
)
_NOTHING = "(not part of this run)"
FIGURES: tuple[str, ...] = ("images-curves", *(f"images-{name}" for name in SHOWN))


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "title": "Pictures without their corrupt pixels",
        "lead": "robustnmf.image.denoise_image beside the alternatives, on photographs that come "
        "with scikit-image: PSNR, SSIM and F1 of the corrupt pixels found.",
        "seeds": "The noise of a case follows from the seed and the name of the case.",
        "targets": target_table(results.judged),
        "drawn": results.drawn,
        "figures": results.storage.figures,
        "tables": number_sheets(results.numbers),
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    tables = number_sheets(results.numbers)
    met = sum(found.verdict == MET for found in results.judged)
    return {
        "facts": _facts(results.about),
        "tally": f"{met} of {len(results.judged)}",
        "targets": to_markdown(target_table(results.judged)),
        **{name: to_markdown(tables[name]) if name in tables else _NOTHING for name in SHEETS},
    }


def _facts(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    settings = about.get("settings", {})
    return "\n".join(
        (
            f"- data: {about.get('data')}, fingerprint `{about.get('fingerprint')}`",
            f"- seed {settings.get('seed')}; {about.get('points')} cases in "
            f"{about.get('seconds', 0) / 60:.0f} minutes on {about.get('cores')} cores",
            f"- versions: {versions}",
        )
    )


if __name__ == "__main__":
    from robustnmf_studies.images.study import STUDY

    main(STUDY)
