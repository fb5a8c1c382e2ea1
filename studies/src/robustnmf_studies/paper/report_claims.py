"""The claims as part of the HTML report."""

from __future__ import annotations

from html import escape

from robustnmf_studies.common.settings import MODES
from robustnmf_studies.common.verdicts import FAILS, HOLDS, PARTLY, PLURAL, UNKNOWN
from robustnmf_studies.paper.claims import MODE_NAMES, Judged, tally

_CLASSES = {HOLDS: "holds", PARTLY: "partly", FAILS: "fails", UNKNOWN: "unknown"}


def _verdict(verdict: str, count: int | None = None) -> str:
    words = verdict if count is None else f"{count} {PLURAL[verdict]}"
    return f'<span class="verdict {_CLASSES[verdict]}">{escape(words)}</span>'


def tallies_html(judged: list[Judged]) -> str:
    """Return how many claims hold, for each mode."""
    boxes = []
    for mode in MODES:
        counts = tally(judged, mode)
        marks = " ".join(_verdict(verdict, count) for verdict, count in counts.items() if count)
        boxes.append(
            f'<div><b>Claims, {MODE_NAMES[mode]}</b><div class="counts">{marks}</div></div>'
        )
    return f'<div class="tally">{"".join(boxes)}</div>'


def claims_html(judged: list[Judged]) -> str:
    """Return a card for each claim: the sentence, the test, and what was found in each mode."""
    cards = []
    for claim, findings in judged:
        cells = []
        for mode in MODES:
            finding = findings.get(mode)
            if finding is None:
                continue
            cells.append(
                f'<div><span class="mode">{MODE_NAMES[mode]}</span> {_verdict(finding.verdict)}'
                f"<p>{_lines(finding.measured)}</p>"
                f'<p class="soft">{_lines(finding.where)}</p></div>'
            )
        cards.append(
            f'<article class="card claim" id="claim-{claim.name}"><div>'
            f"<h3>{escape(claim.sentence)}</h3>"
            f'<p class="soft">{escape(_sentence(claim.source))}. Test: {escape(claim.test)}</p>'
            "</div>"
            f"{''.join(cells)}</article>"
        )
    return f'<div class="claims">{"".join(cards)}</div>'


def _lines(text: str) -> str:
    """Put each part of a long finding on a line of its own."""
    return "<br>".join(escape(_sentence(part)) for part in text.split("; "))


def _sentence(text: str) -> str:
    # A Greek letter is a symbol, of which the capital is another one.
    return text[:1].upper() + text[1:] if text[:1].isascii() else text
