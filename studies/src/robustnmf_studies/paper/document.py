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
from robustnmf_studies.paper import claims
from robustnmf_studies.paper.figures import legend_entries
from robustnmf_studies.paper.mosaic import VERSIONS, quality
from robustnmf_studies.paper.numbers import (
    iteration_table,
    panel_tables,
    picture_table,
    rank_table,
)
from robustnmf_studies.paper.rivals import rival_table
from robustnmf_studies.paper.settings import MODES

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
        "modes": claims.MODE_NAMES,
        "plural": PLURAL,
        "tallies": {mode: claims.tally(results.judged, mode) for mode in MODES},
        "judged": results.judged,
        "rivals": rival_table(results.numbers),
        "drawn": results.drawn,
        "legends": {name: legend_entries(name) for name in ("fig2", "fig3")},
        "pictures": _pictures(results) if len(pictures) else {},
        "tables": [*panel_tables(results.numbers), *([pictures] if len(pictures) else [])],
    }


def _pictures(results: Results) -> dict[str, list[tuple[str, Any, str]]]:
    """Return every version of every picture, with its words and its quality."""
    shown: dict[str, list[tuple[str, Any, str]]] = {}
    for name, versions in results.storage.read_pictures().items():
        for version, words in VERSIONS.items():
            found = quality(results.numbers["pictures"], name, version)
            score = (
                f"{found[0]:.1f} dB · SSIM {found[1]:.3f}" if found else "not shown to any method"
            )
            shown.setdefault(name, []).append((words, versions[version], score))
    return shown


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    tallies = {mode: claims.tally(results.judged, mode) for mode in MODES}
    panels = panel_tables(results.numbers)
    return {
        "facts": _facts(results.about),
        "tally": "\n".join(
            f"- {claims.MODE_NAMES[mode]}: {_counts(tallies[mode])}" for mode in MODES
        ),
        "claims": claims.to_markdown(results.judged),
        "rivals": to_markdown(rival_table(results.numbers)),
        "numbers": "\n\n".join(
            f"{frame.attrs['title']}\n\n{to_markdown(frame)}" for frame in panels
        ),
        "pictures": to_markdown(picture_table(results.numbers)),
        "iterations": to_markdown(iteration_table(results.numbers)),
        "ranks": to_markdown(rank_table(results.numbers)),
    }


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in counts.items() if count)


def _facts(about: Mapping[str, Any]) -> str:
    settings = about.get("settings", {})
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return "\n".join(
        (
            f"- data: {about.get('data')} ({about.get('faces')} faces; fingerprint "
            f"`{about.get('fingerprint')}`)",
            f"- runs: {about.get('runs')}, seed {settings.get('seed')}; "
            f"{about.get('points')} points in {about.get('seconds', 0) / 60:.0f} minutes on "
            f"{about.get('cores')} cores",
            f"- as in the paper: {settings.get('iterations')} iterations of the paper's rules; "
            f"at the optimum: until ten iterations gain less than {settings.get('tol'):g} of the "
            "objective",
            f"- versions: {versions}",
        )
    )


if __name__ == "__main__":
    from robustnmf_studies.paper.study import STUDY

    main(STUDY)
