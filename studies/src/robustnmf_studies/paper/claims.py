"""Every claim of the paper's text, each with the test that decides it.

The sentences are ours, not the paper's; the verdicts are computed from the numbers each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

from robustnmf_studies.common import frames
from robustnmf_studies.common.frames import Numbers, text_table
from robustnmf_studies.common.verdicts import FAILS, HOLDS, PARTLY, UNKNOWN, Finding
from robustnmf_studies.paper import claims_algorithm as algorithm
from robustnmf_studies.paper import claims_detection as detection
from robustnmf_studies.paper import claims_reconstruction as reconstruction
from robustnmf_studies.paper.settings import MODES, OPTIMUM, PAPER

MODE_NAMES = {PAPER: "as in the paper", OPTIMUM: "at the optimum"}


class Claim(NamedTuple):
    """One claim of the paper.

    Attributes
    ----------
    name : str
        Short name, for programs.
    source : str
        Where in the paper.
    sentence : str
        What is claimed, in our words.
    test : str
        What decides, in words.
    decide : callable
        The same as a function of the numbers and the mode.
    modes : tuple of str
        Modes to which it applies: some claims are about the rules, some about the model.
    """

    name: str
    source: str
    sentence: str
    test: str
    decide: Callable[[Numbers, str], Finding]
    modes: tuple[str, ...] = MODES


class Judged(NamedTuple):
    """A claim and what was found, by mode."""

    claim: Claim
    findings: dict[str, Finding]


_EVERY = "Holds if so at every place measured, partly if at some."

CLAIMS = (
    Claim(
        "precision",
        "section 6.1",
        "More than 90 % of the pixels found are polluted.",
        f"Mean precision above 90 % for every number of faces. {_EVERY}",
        detection.precision_bar,
    ),
    Claim(
        "recall",
        "section 6.1",
        "More than 50 % of the polluted pixels are found.",
        f"Mean recall above 50 % for every number of faces. {_EVERY}",
        detection.recall_bar,
    ),
    Claim(
        "grows",
        "section 6.1",
        "The more faces, the better the detection.",
        "Precision and recall are higher at the end than at the start, with no step down; "
        "differences count beyond twice the standard error.",
        detection.grows,
    ),
    Claim(
        "levels-off",
        "section 6.1",
        "With enough faces, more of them no longer help.",
        "In the last third of the curve precision and recall move by less than a quarter of what "
        "they move by in all.",
        detection.levels_off,
    ),
    Claim(
        "lam-bars",
        "section 6.1",
        "The same levels, 90 % and 50 %, are reached in general whatever λ is.",
        f"Both means above these bars for each λ, at 50 and at 100 faces. {_EVERY}",
        detection.lam_bars,
    ),
    Claim(
        "lam-trend",
        "section 6.1",
        "A larger λ gives a higher precision and a lower recall.",
        "Precision rises and recall falls along λ, at 50 and at 100 faces, judged as above.",
        detection.lam_trend,
    ),
    Claim(
        "lam-portion",
        "section 3",
        "The right λ depends on how large a share of the entries is corrupt.",
        "The λ with the best F1 falls, step by step, as more pixels are polluted.",
        detection.lam_portion,
        (OPTIMUM,),
    ),
    Claim(
        "nonzero",
        "section 6.1",
        "A pixel is polluted where E is not zero.",
        "Precision above 90 % when every nonzero entry of E counts; partly if a tolerance is "
        "needed.",
        detection.nonzero_marks,
        (PAPER,),
    ),
    Claim(
        "thresholds-poor",
        "section 6.1",
        "Thresholds on the residual of NMF or PCA detect poorly, whatever the threshold.",
        "No threshold reaches what the paper reports of its own method, a recall above 50 % at a "
        "precision above 90 %. Partly if one does so for some methods and numbers of faces only.",
        detection.thresholds_poor,
    ),
    Claim(
        "thresholds-sensitive",
        "section 6.1",
        "Such a detection depends strongly on the threshold.",
        "Half or twice the best threshold costs more than a fifth of its F1.",
        detection.thresholds_sensitive,
    ),
    Claim(
        "plain-sensitive",
        "sections 1 and 6.1",
        "Noise of this kind misleads NMF and PCA.",
        "Learned from polluted faces, their error is more than 10 % above that from clean ones.",
        reconstruction.plain_sensitive,
    ),
    Claim(
        "beats-by-faces",
        "section 6.2",
        "RobustNMF and RobustNMF+WNMF restore better than NMF for every number of faces.",
        f"Lower mean MSRE, with 50 and with 100 pixels. {_EVERY}",
        reconstruction.beats_by_faces,
    ),
    Claim(
        "beats-by-pixels",
        "section 6.2",
        "RobustNMF and RobustNMF+WNMF restore better than NMF for every number of pixels.",
        f"Lower mean MSRE, at 50 and at 100 faces. {_EVERY}",
        reconstruction.beats_by_pixels,
    ),
    Claim(
        "advantage-grows",
        "section 6.2",
        "The more noise, the larger the advantage over NMF.",
        "The MSRE saved rises with the polluted pixels for both methods, at 50 and 100 faces, "
        "judged as above.",
        reconstruction.advantage_grows,
    ),
    Claim(
        "refit-beats",
        "section 6.2",
        "RobustNMF+WNMF restores better than RobustNMF alone.",
        f"Lower mean MSRE. {_EVERY}",
        reconstruction.refit_beats,
    ),
    Claim(
        "underestimates",
        "section 6.2",
        "The reason is that the L1 norm makes the estimated noise too small.",
        "Where noise was found, E is on average less than 95 % of it, and closer to it after the "
        "refit.",
        reconstruction.underestimates,
    ),
    Claim(
        "pictures",
        "section 6.2",
        "RobustNMF denoises photographs better than NMF.",
        "Higher mean PSNR and SSIM for every picture. Partly if for some.",
        reconstruction.pictures_better,
    ),
    Claim(
        "never-rises",
        "section 5.1",
        "No iteration raises the objective.",
        "The largest relative rise in any run is within rounding (1e-12).",
        algorithm.never_rises,
    ),
    Claim(
        "converges",
        "section 5.2",
        "The algorithm always converges.",
        "Ten iterations lower the objective by less than 0.01 % at the stated number of "
        "iterations; partly if only when run ten times as long.",
        algorithm.converges,
    ),
    Claim(
        "efficient",
        "abstract and section 1",
        "The algorithm is efficient.",
        "After the stated iterations the objective is within 1 % of the best known, for every "
        "number of faces.",
        algorithm.efficient,
        (PAPER,),
    ),
    Claim(
        "constraint",
        "section 4.1",
        "The cleaned data X − E stay nonnegative while the rules are applied.",
        "No negative entry in any iteration of any run.",
        algorithm.constraint_kept,
        (PAPER,),
    ),
)


def judge(numbers: Numbers) -> list[Judged]:
    """Decide every claim.

    Parameters
    ----------
    numbers : mapping of Table
        The tables, as `Storage.read_tables` gives them.

    Returns
    -------
    list of Judged
        In the order of `CLAIMS`.

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
        {
            "name": claim.name,
            "source": claim.source,
            "claim": claim.sentence,
            "test": claim.test,
            "findings": {mode: finding._asdict() for mode, finding in findings.items()},
        }
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
    return text_table("The paper's claims", ("claim", *(MODE_NAMES[m] for m in MODES)), rows)


def to_markdown(judged: list[Judged]) -> str:
    """Write the table of claims for the documentation, a row for each claim and mode."""
    rows = []
    for claim, findings in judged:
        head = f"{claim.sentence} ({claim.source}) *Test:* {claim.test}"
        for mode, finding in findings.items():
            where = f" *Where:* {finding.where}." if finding.where else ""
            found = f"{finding.measured}.{where}"
            rows.append((head, MODE_NAMES[mode], f"**{finding.verdict}**", found))
            # The second line of a claim need not repeat it.
            head = ""
    columns = ("claim and test", "run", "verdict", "measured, and where")
    return frames.to_markdown(text_table("Claims", columns, rows)) + "\n"
