"""The page about the study in the documentation: its tables and figures, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- targets -->`` and ``<!-- /targets -->`` is computed. To fill it in again::

    python -m robustnmf_studies.beyond.document RESULTS docs/beyond.md
"""

from __future__ import annotations

from typing import Any

from robustnmf_studies.beyond.draw import LEGEND
from robustnmf_studies.beyond.methods import L0_SHARE
from robustnmf_studies.beyond.numbers import number_tables
from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.problem import LAM, K
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.targets import tally, target_table
from robustnmf_studies.common.words import run_facts, table_parts

FIGURES: tuple[str, ...] = ("f1", "wh", "other", "rank", "faces")


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    return {
        "k": K,
        "lam": LAM,
        "l0_share": L0_SHARE,
        "legend": LEGEND,
        "drawn": results.drawn,
        "faces": results.storage.figures / "faces.png",
        "tally": tally(results.judged),
        "targets": target_table(results.judged, where=True),
        "tables": {name: t for name, t in number_tables(results.numbers).items() if len(t)},
    }


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    about = results.about
    data = (
        f"{about.get('data')} ({about.get('faces')} faces; fingerprint "
        f"`{about.get('fingerprint')}`), 100 faces of scikit-image (LFW), scikit-learn's digits, "
        "synthetic data"
    )
    runs = f"runs: up to {about.get('runs')}, seed {about.get('settings', {}).get('seed')}"
    counts = tally(results.judged)
    return {
        "facts": run_facts(about, data, runs),
        "tally": ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count),
        "targets": to_markdown(target_table(results.judged, where=True)),
        **table_parts(number_tables(results.numbers)),
    }


if __name__ == "__main__":
    from robustnmf_studies.beyond.study import STUDY

    main(STUDY)
