"""Every claim of the paper's text, decided from the numbers.

``claims.toml`` has the claims and what decides them in words: the sentences are ours, not the
paper's. Each is decided by the function of its name, anew each time, which yields a verdict and
figures for each part of the claim.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd

from robustnmf_studies.common import frames
from robustnmf_studies.common.frames import Numbers, text_table
from robustnmf_studies.common.verdicts import FAILS, HOLDS, PARTLY, UNKNOWN, Finding, joined
from robustnmf_studies.common.words import read_words
from robustnmf_studies.paper import judge_detection, judge_reconstruction
from robustnmf_studies.paper.settings import MODES

_DECIDE = judge_detection.DECIDE | judge_reconstruction.DECIDE


class Claim(NamedTuple):
    """One claim of the paper, as ``claims.toml`` tells it.

    Some are about the rules and some about the model, and hold or fail in one mode only.
    """

    name: str
    source: str
    sentence: str
    test: str
    modes: tuple[str, ...] = tuple(MODES)
    # What stands before the figures, and under which conditions they are, where none is told.
    head: str = ""
    where: str = ""

    def decide(self, numbers: Numbers, mode: str) -> Finding:
        """Decide the claim in one mode."""
        return joined(_DECIDE[self.name](numbers, mode), head=self.head, where=self.where)


CLAIMS = tuple(Claim(**claim) for claim in read_words("paper", "claims")["claim"])


class Judged(NamedTuple):
    """A claim and what was found, by mode."""

    claim: Claim
    findings: dict[str, Finding]


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every claim, in the order of `CLAIMS`.

    Examples
    --------
    >>> {finding.verdict for judged in judge({}) for finding in judged.findings.values()}
    {'not measured'}
    """
    return [
        Judged(claim, {mode: claim.decide(numbers, mode) for mode in claim.modes})
        for claim in CLAIMS
    ]


def as_records(judged: list[Judged]) -> list[dict[str, Any]]:
    """Return the table of claims for a JSON file."""
    return [
        dict(zip(("name", "source", "claim", "test"), claim, strict=False))
        | {"findings": {mode: finding._asdict() for mode, finding in findings.items()}}
        for claim, findings in judged
    ]


def tally(judged: list[Judged], mode: str) -> dict[str, int]:
    """Count the verdicts of one mode."""
    verdicts = [findings[mode].verdict for _, findings in judged if mode in findings]
    return {verdict: verdicts.count(verdict) for verdict in (HOLDS, PARTLY, FAILS, UNKNOWN)}


def verdict_table(judged: list[Judged]) -> pd.DataFrame:
    """Return the verdicts as a table of words, a column for each mode."""
    rows = [
        (claim.sentence, *(findings[m].verdict if m in findings else "–" for m in MODES))
        for claim, findings in judged
    ]
    return text_table("The paper's claims", ("claim", *MODES.values()), rows)


def to_markdown(judged: list[Judged]) -> str:
    """Write the table of claims for the documentation, a row for each claim and mode."""
    rows = []
    for claim, findings in judged:
        head = f"{claim.sentence} ({claim.source}) *Test:* {claim.test}"
        for mode, finding in findings.items():
            where = f" *Where:* {finding.where}." if finding.where else ""
            rows.append(
                (head, MODES[mode], f"**{finding.verdict}**", f"{finding.measured}.{where}")
            )
            # The second line of a claim need not repeat it.
            head = ""
    columns = ("claim and test", "run", "verdict", "measured, and where")
    return frames.to_markdown(text_table("Claims", columns, rows)) + "\n"
