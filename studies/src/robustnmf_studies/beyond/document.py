"""The page about the study in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.beyond.document RESULTS docs/beyond.md
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from robustnmf_studies.beyond.looks import legend_entries
from robustnmf_studies.beyond.methods import L0_SHARE
from robustnmf_studies.beyond.sheets import number_sheets
from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.problem import LAM, K
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import tally, target_table

FIGURES: tuple[str, ...] = ("f1", "wh", "other", "rank", "faces")
# The tables of the page, by the names of `number_sheets`.
SHEETS = (
    "f1",
    "wh",
    "noise",
    "restored",
    "seconds",
    "other-f1",
    "other-wh",
    "auto",
    "flagged",
    "ranks",
    "real-ranks",
    "samples",
)
_NOTHING = "(not part of this run)"


_METHODS_NOTE = (
    f"All methods start from the same seed with their defaults and k = {K}. λ = {LAM:g} is the "
    "paper’s. λ = 1/s is told s, the mean number of corrupt entries of a sample. squared_l0 is "
    f"told s, too, and that an error matters from {100 * L0_SHARE:g} % of the largest value v on: "
    f"λ = ({L0_SHARE:g} v)² / (2s − 1). The oracle is WNMF that is told the mask. * These two do "
    "not decide what is corrupt, and get the threshold with the best F1, which only someone who "
    "knows the truth can pick. An entry counts as corrupt if its value changed."
)
_SEEDS = (
    "Run r draws its samples with seed [seed, r], its noise with [seed, r, samples, kind, amount], "
    "and starts fits from seed + r. The methods were tuned on draws with the seeds 100 and 101, "
    "and looked at with seed 0 on the way: take another one for a fair report."
)


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "title": "RobustNMF beyond the paper: nothing to tune",
        "lead": 'RobustNMF(lam="auto", n_components="auto") against the paper’s setting, against '
        "settings that are told how much is wrong, and against an oracle that is told what is "
        "wrong.",
        "methods_note": _METHODS_NOTE,
        "seeds": _SEEDS,
        "k": K,
        "legend": legend_entries(),
        "drawn": results.drawn,
        "faces": results.storage.figures / "faces.png",
        "tally": tally(results.judged),
        "targets": target_table(results.judged, where=True),
        "tables": number_sheets(results.numbers),
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    tables = number_sheets(results.numbers)
    counts = tally(results.judged)
    return {
        "facts": _facts(results.about),
        "tally": ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count),
        "targets": to_markdown(target_table(results.judged, where=True)),
        **{name: to_markdown(tables[name]) if name in tables else _NOTHING for name in SHEETS},
    }


def _facts(about: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in about.get("versions", {}).items())
    return "\n".join(
        (
            f"- data: {about.get('data')} ({about.get('faces')} faces; fingerprint "
            f"`{about.get('fingerprint')}`), 100 faces of scikit-image (LFW), scikit-learn's "
            "digits, synthetic data",
            f"- runs: up to {about.get('runs')}, seed {about.get('settings', {}).get('seed')}; "
            f"{about.get('points')} cases in {about.get('seconds', 0) / 60:.0f} minutes on "
            f"{about.get('cores')} cores",
            f"- versions: {versions}",
        )
    )


if __name__ == "__main__":
    from robustnmf_studies.beyond.study import STUDY

    main(STUDY)
