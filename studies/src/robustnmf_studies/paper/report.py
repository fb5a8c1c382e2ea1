"""The report: one HTML file that needs nothing but a browser."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from robustnmf_studies.common.drawing import Panels
from robustnmf_studies.common.page import (
    jpeg,
    legend_html,
    panels_html,
    settings_html,
    write_page,
)
from robustnmf_studies.common.settings import LAM, K
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.table import Table
from robustnmf_studies.common.verdicts import Numbers
from robustnmf_studies.paper.claims import Judged
from robustnmf_studies.paper.figures import legend_entries
from robustnmf_studies.paper.mosaic import VERSIONS, quality
from robustnmf_studies.paper.report_claims import claims_html, tallies_html
from robustnmf_studies.paper.report_numbers import html_table, number_tables
from robustnmf_studies.paper.rivals import HEADINGS, rivals

TITLE = "RobustNMF: the paper’s experiments, run again"
PAPER_CITATION = (
    "B. Shen, L. Si, R. Ji, B. Liu, “Robust nonnegative matrix factorization via L1 norm "
    "regularization”, arXiv:1204.2311"
)
_STAR = (
    "Methods that were not made to detect get the threshold with the best F1, which only someone "
    "who knows the truth can pick: it is the most they could do."
)


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
        Where it goes, and where the pictures are.
    numbers : mapping of Table
        The tables.
    judged : list of Judged
        The claims.
    drawn : mapping of lists of (description, SVG)
        The panels.
    about : mapping
        How the numbers came about.

    Returns
    -------
    Path
        The file.
    """
    sections = [
        ("claims", "Claims", claims_html(judged)),
        ("rivals", "What does better", _rivals(numbers)),
        ("fig2", "Figure 2: finding the noise", _figure2(drawn, about)),
        ("fig3", "Figure 3: restoring faces", _figure3(drawn)),
        ("checks", "What decides the rest", _checks(drawn)),
        ("fig4", "Figure 4: denoising pictures", _figure4(storage, numbers, about)),
        ("numbers", "Numbers", number_tables(numbers)),
        ("settings", "Settings", _settings(about)),
    ]
    iterations = about.get("settings", {}).get("iterations", "?")
    lead = (
        f"{PAPER_CITATION}. Each experiment was run as in the paper ({iterations} iterations of "
        "its multiplicative rules) and at the optimum (until nothing more is gained)."
    )
    top = _source(about) + tallies_html(judged)
    return write_page(storage, TITLE, lead, top, sections, about)


def _source(about: Mapping[str, Any]) -> str:
    source = str(about.get("data", "unknown"))
    if "not the ORL faces" in source:
        return (
            f'<p class="notice"><b>These are not the paper’s faces.</b> Data: {escape(source)}. '
            "The paper’s claims are about the ORL faces; pass them with <code>--data</code> to "
            "check it on its own ground.</p>"
        )
    return f'<p style="margin-top:20px"><b>Data:</b> {escape(source)}.</p>'


def _rivals(numbers: Numbers) -> str:
    rows = [[rival.name, *rival.outcomes] for rival in rivals(numbers)]
    return (
        "<p>Other methods against RobustNMF or RobustNMF+WNMF at the optimum, whichever of the two "
        "is better at that place. Places are numbers of faces and pixels, or pictures; the median "
        f"is over them. For F1: {_STAR}</p>" + html_table("", ["method", *HEADINGS], rows)
    )


def _figure2(drawn: Mapping[str, Panels], about: Mapping[str, Any]) -> str:
    if "fig2" not in drawn:
        return ""
    pixels = about.get("pixels", 1024)
    return (
        f"<p>50 of {pixels} pixels of each face were set to 255; k = {K}. A pixel counts as found "
        "where E is not zero; with the paper’s rules, that is above 1 % of the data’s mean. Bands: "
        "standard deviation over the runs.</p>"
        f"{legend_html(legend_entries('fig2'))}{panels_html(drawn['fig2'])}"
        f'<p class="soft">* {_STAR}</p>'
    )


def _figure3(drawn: Mapping[str, Panels]) -> str:
    if "fig3" not in drawn:
        return ""
    return (
        "<p>MSRE: squared difference from the clean face, summed over its pixels (0 to 255), mean "
        f"over the faces; lower is better. k = {K}, λ = {LAM:g}. The paper does not give k for "
        "these plots; we keep the one of figure 2.</p>"
        f"{legend_html(legend_entries('fig3'))}{panels_html(drawn['fig3'], two=True)}"
    )


def _checks(drawn: Mapping[str, Panels]) -> str:
    if "checks" not in drawn:
        return ""
    return (
        "<p>The paper makes some of its claims in words only. These panels show the numbers that "
        "decide them here.</p>" + panels_html(drawn["checks"])
    )


def _figure4(storage: Storage, numbers: Numbers, about: Mapping[str, Any]) -> str:
    pictures = storage.read_pictures()
    table = numbers.get("pictures", Table())
    if not pictures or not len(table):
        return ""
    settings = about.get("settings", {})
    html = [
        f"<p>{100 * settings.get('density', 0.05):g} % of the pixels became black or white. "
        f"Patches of {settings.get('patch', 8)}×{settings.get('patch', 8)} pixels that do not "
        "overlap; the paper does not give their size. Below each picture: PSNR and SSIM, means "
        "over the runs; higher is better. The pictures are compressed for this page; the measures "
        "are of the originals.</p>"
    ]
    for name, versions in pictures.items():
        figures = []
        for version, words in VERSIONS.items():
            found = quality(table, name, version)
            score = (
                f"{found[0]:.1f} dB · SSIM {found[1]:.3f}" if found else "not shown to any method"
            )
            figures.append(
                f'<figure><img loading="lazy" alt="{escape(f"{name}: {words}")}" '
                f'src="{jpeg(versions[version])}"><figcaption>{escape(words)}'
                f"<span>{score}</span></figcaption></figure>"
            )
        html.append(f'<h3>{escape(name)}</h3><div class="pictures">{"".join(figures)}</div>')
    return "".join(html)


def _settings(about: Mapping[str, Any]) -> str:
    seeds = (
        "Run r draws its faces with seed [seed, r] and its noise with [seed, r, faces, pixels]; "
        "the fits start from seed + r."
    )
    return settings_html(about, [("k, λ", f"{K}, {LAM:g}")], seeds)
