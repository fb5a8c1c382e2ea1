"""The report of the study: one HTML file that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from robustnmf._report import embedded, table
from robustnmf_studies.beyond.looks import legend_entries
from robustnmf_studies.beyond.methods import L0_SHARE
from robustnmf_studies.beyond.sheets import number_sheets
from robustnmf_studies.beyond.targets import MET, MISSED, Judged, tally, target_sheet
from robustnmf_studies.common.drawing import Panels
from robustnmf_studies.common.page import legend_html, panels_html, settings_html, write_page
from robustnmf_studies.common.settings import LAM, K
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.verdicts import UNKNOWN, Numbers

TITLE = "RobustNMF beyond the paper: nothing to tune"
_LEAD = (
    'RobustNMF(lam="auto", n_components="auto") against the paper’s setting, against settings that '
    "are told how much is wrong, and against an oracle that is told what is wrong."
)
METHODS_NOTE = (
    f"All methods start from the same seed with their defaults and k = {K}. λ = {LAM:g} is the "
    "paper’s. λ = 1/s is told s, the mean number of corrupt entries of a sample. squared_l0 is "
    f"told s, too, and that an error matters from {100 * L0_SHARE:g} % of the largest value v on: "
    f"λ = ({L0_SHARE:g} v)² / (2s − 1). The oracle is WNMF that is told the mask. * These two do "
    "not decide what is corrupt, and get the threshold with the best F1, which only someone who "
    "knows the truth can pick. An entry counts as corrupt if its value changed."
)
SEEDS = (
    "Run r draws its samples with seed [seed, r], its noise with [seed, r, samples, kind, amount], "
    "and starts fits from seed + r. The methods were tuned on draws with the seeds 100 and 101, "
    "and looked at with seed 0 on the way: take another one for a fair report."
)
_CLASSES = {MET: "holds", MISSED: "fails", UNKNOWN: "unknown"}


def write_report(
    storage: Storage,
    numbers: Numbers,
    judged: list[Judged],
    drawn: Mapping[str, Panels],
    about: Mapping[str, Any],
) -> Path:
    """Write ``report.html``.

    Parameters
    ----------
    storage : Storage
        Where it goes, and where the picture of the faces is.
    numbers : mapping of Table
        The tables.
    judged : list of Judged
        The targets.
    drawn : mapping of lists of (description, SVG)
        The panels.
    about : mapping
        How the numbers came about.

    Returns
    -------
    Path
        The file.
    """
    methods = legend_html(legend_entries())
    sections = [
        ("targets", "Targets", _targets(judged)),
        ("faces", "Faces: corrupted, found, restored", _faces(storage)),
        ("f1", "Finding the noise", _panels(drawn, "f1", METHODS_NOTE, methods)),
        ("wh", "Learning the factors", _panels(drawn, "wh", _WH_NOTE, methods)),
        ("other", "Other data, shares and scores", _panels(drawn, "other", _OTHER_NOTE)),
        ("rank", "Rank and foreign samples", _panels(drawn, "rank", _RANK_NOTE)),
        ("numbers", "Numbers", _numbers(numbers)),
        ("settings", "Settings", settings_html(about, [("k", str(K))], SEEDS)),
    ]
    return write_page(storage, TITLE, _LEAD, _source(about) + _tally(judged), sections, about)


_WH_NOTE = (
    "Squared difference between W H and the clean data, relative to the oracle’s: 1 is as good as "
    "knowing what is wrong."
)
_OTHER_NOTE = (
    "Left: by how much F1 of auto stays below the best single threshold on the oracle’s residual; "
    "the dotted line is the target. Right: entries that auto gives a probability, and how many of "
    "them are corrupt indeed."
)
_RANK_NOTE = (
    "Synthetic data has a known rank, spikes of both signs and 2 % of small noise. Components are "
    "tried on faces that no fit saw."
)


def _source(about: Mapping[str, Any]) -> str:
    source = escape(str(about.get("data", "unknown")))
    if "not the ORL faces" in source:
        return (
            f'<p class="notice"><b>These are not the ORL faces</b>, about which most targets are. '
            f"Data: {source}. Pass them with <code>--data</code>.</p>"
        )
    return f'<p style="margin-top:20px"><b>Data:</b> {source}.</p>'


def _mark(verdict: str, words: str) -> str:
    return f'<span class="verdict {_CLASSES[verdict]}">{escape(words)}</span>'


def _tally(judged: list[Judged]) -> str:
    marks = " ".join(
        _mark(verdict, f"{count} {verdict}") for verdict, count in tally(judged).items() if count
    )
    return f'<div class="tally"><div><b>Targets</b><div class="counts">{marks}</div></div></div>'


def _targets(judged: list[Judged]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("target", "measured", "", "where"))
    body = "".join(
        f'<tr><td class="text">{escape(sentence)}</td><td>{escape(measured)}</td>'
        f'<td>{_mark(verdict, verdict)}</td><td class="text">{escape(where)}</td></tr>'
        for sentence, measured, verdict, where in target_sheet(judged).rows
    )
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
        "</div>"
    )


def _faces(storage: Storage) -> str:
    picture = storage.figures / "faces.png"
    if not picture.exists():
        return ""
    source = embedded(picture.read_bytes(), "image/png")
    return (
        "<p>A tenth of each face’s pixels corrupt; faces of the first run. Suspected pixels are "
        "replaced, the others kept.</p>"
        f'<figure><img style="width:100%" alt="Faces, clean, corrupted, found and restored" '
        f'src="{source}"></figure>'
    )


def _panels(drawn: Mapping[str, Panels], name: str, note: str, legend: str = "") -> str:
    if name not in drawn:
        return ""
    return f"<p>{escape(note)}</p>{legend}{panels_html(drawn[name])}"


def _numbers(numbers: Numbers) -> str:
    sheets = "".join(table(*sheet) for sheet in number_sheets(numbers).values())
    if not sheets:
        return ""
    return (
        "<p>Means over the runs. The files in <code>numbers/</code> hold every run.</p>"
        f"<details><summary>Show the tables</summary>{sheets}</details>"
    )
