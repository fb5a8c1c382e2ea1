"""What the report shows, and the page about the reproduction in the documentation, filled in.

The words of the page are written by hand; what stands between a pair of markers such as
``<!-- claims -->`` and ``<!-- /claims -->`` is computed. To fill it in again::

    python -m robustnmf_studies.paper.document RESULTS docs/reproduction.md
"""

from __future__ import annotations

from typing import Any

from robustnmf_studies.common.frames import to_markdown
from robustnmf_studies.common.problem import LAM, K
from robustnmf_studies.common.study import Results, main
from robustnmf_studies.common.verdicts import PLURAL
from robustnmf_studies.common.words import run_facts
from robustnmf_studies.paper import judge, numbers
from robustnmf_studies.paper.draw import VERSIONS, picture_score
from robustnmf_studies.paper.settings import MODES
from robustnmf_studies.paper.style import LEGENDS


def context(results: Results) -> dict[str, Any]:
    """Return what the report shows."""
    settings = results.about.get("settings", {})
    pictures = numbers.picture_table(results.numbers)
    return {
        "k": K,
        "lam": f"{LAM:g}",
        "settings": settings,
        "modes": MODES,
        "plural": PLURAL,
        "tallies": {mode: judge.tally(results.judged, mode) for mode in MODES},
        "judged": results.judged,
        "rivals": numbers.rival_table(results.numbers),
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
        "tables": [*numbers.panel_tables(results.numbers), *([pictures] if len(pictures) else [])],
    }


def _score(results: Results, name: str, version: str) -> str:
    found = picture_score(results.numbers["pictures"], name, version)
    return f"{found[0]:.1f} dB · SSIM {found[1]:.3f}" if found else "not shown to any method"


def parts(results: Results) -> dict[str, str]:
    """Return what the page in the documentation is filled with."""
    tables = {
        "rivals": numbers.rival_table(results.numbers),
        "pictures": numbers.picture_table(results.numbers),
        "iterations": numbers.iteration_table(results.numbers),
        "ranks": numbers.rank_table(results.numbers),
    }
    panels = numbers.panel_tables(results.numbers)
    return {
        "facts": _facts(results.about),
        "tally": "\n".join(f"- {words}: {_counts(results, mode)}" for mode, words in MODES.items()),
        "claims": judge.to_markdown(results.judged),
        "numbers": "\n\n".join(f"{t.attrs['title']}\n\n{to_markdown(t)}" for t in panels),
        **{name: to_markdown(table) for name, table in tables.items()},
    }


def _counts(results: Results, mode: str) -> str:
    counts = judge.tally(results.judged, mode).items()
    return ", ".join(f"{count} {PLURAL[verdict]}" for verdict, count in counts if count)


def _facts(about: dict[str, Any]) -> str:
    settings = about.get("settings", {})
    data = f"{about.get('data')} ({about.get('faces')} faces; fingerprint `{about['fingerprint']}`)"
    runs = f"runs: {about.get('runs')}, seed {settings.get('seed')}"
    modes = (
        f"- as in the paper: {settings.get('iterations')} iterations of the paper's rules; at the "
        f"optimum: until ten iterations gain less than {settings.get('tol'):g} of the objective"
    )
    return f"{run_facts(about, data, runs)}\n{modes}"


if __name__ == "__main__":
    from robustnmf_studies.paper.study import STUDY

    main(STUDY)
