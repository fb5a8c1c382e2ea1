"""What the report shows, and the page about the reproduction in the documentation, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- claims -->`` and ``<!-- /claims -->`` is computed. To fill it in again::

    python -m robustnmf_studies.paper.document RESULTS docs/reproduction.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.problem import LAM, K
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.verdicts import PLURAL
from robustnmf_studies.paper import judge
from robustnmf_studies.paper.mosaic import VERSIONS, quality
from robustnmf_studies.paper.numbers import (
    iteration_table,
    panel_tables,
    picture_table,
    rank_table,
    rival_table,
)
from robustnmf_studies.paper.settings import MODES
from robustnmf_studies.paper.style import LEGENDS

_PAPER = (
    "B. Shen, L. Si, R. Ji, B. Liu, “Robust nonnegative matrix factorization via L1 norm "
    "regularization”, arXiv:1204.2311"
)
_STAR = (
    "Methods that were not made to detect get the threshold with the best F1, which only someone "
    "who knows the truth can pick: it is the most they could do."
)


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    settings = results.about.get("settings", {})
    pictures = picture_table(results.numbers)
    return {
        "title": "RobustNMF: the paper’s experiments, run again",
        "lead": f"{_PAPER}. Each experiment was run as in the paper "
        f"({settings.get('iterations', '?')} iterations of its multiplicative rules) and at the "
        "optimum (until nothing more is gained).",
        "star": _STAR,
        "seeds": "Run r draws its faces with seed [seed, r] and its noise with [seed, r, faces, "
        "pixels]; the fits start from seed + r.",
        "k": K,
        "lam": f"{LAM:g}",
        "density": f"{100 * settings.get('density', 0.05):g}",
        "patch": settings.get("patch", 8),
        "modes": MODES,
        "plural": PLURAL,
        "tallies": {mode: judge.tally(results.judged, mode) for mode in MODES},
        "judged": results.judged,
        "rivals": rival_table(results.numbers),
        "drawn": results.drawn,
        "legends": LEGENDS,
        "pictures": {
            name: [
                (words, versions[version], _score(results, name, version))
                for version, words in VERSIONS.items()
            ]
            for name, versions in results.storage.read_pictures().items()
            if len(pictures)
        },
        "tables": [*panel_tables(results.numbers), *([pictures] if len(pictures) else [])],
    }


def _score(results: Results, name: str, version: str) -> str:
    found = quality(results.numbers["pictures"], name, version)
    return f"{found[0]:.1f} dB · SSIM {found[1]:.3f}" if found else "not shown to any method"


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    numbers = results.numbers
    return {
        "facts": _facts(results.about),
        "tally": "\n".join(f"- {words}: {_counts(results, mode)}" for mode, words in MODES.items()),
        "claims": judge.to_markdown(results.judged),
        "rivals": to_markdown(rival_table(numbers)),
        "numbers": "\n\n".join(
            f"{frame.attrs['title']}\n\n{to_markdown(frame)}" for frame in panel_tables(numbers)
        ),
        "pictures": to_markdown(picture_table(numbers)),
        "iterations": to_markdown(iteration_table(numbers)),
        "ranks": to_markdown(rank_table(numbers)),
    }


def _counts(results: Results, mode: str) -> str:
    counts = judge.tally(results.judged, mode).items()
    return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in counts if count)


def _facts(about: Mapping[str, Any]) -> str:
    settings = about.get("settings", {})
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return f"""\
- data: {about.get("data")} ({about.get("faces")} faces; fingerprint `{about.get("fingerprint")}`)
- runs: {about.get("runs")}, seed {settings.get("seed")}; {about.get("points")} points in \
{about.get("seconds", 0) / 60:.0f} minutes on {about.get("cores")} cores
- as in the paper: {settings.get("iterations")} iterations of the paper's rules; at the optimum: \
until ten iterations gain less than {settings.get("tol"):g} of the objective
- versions: {versions}"""


if __name__ == "__main__":
    from robustnmf_studies.paper.study import STUDY

    main(STUDY)
