import pytest

from robustnmf_studies.common.filling import fill
from robustnmf_studies.common.study import write_page
from robustnmf_studies.paper.judge import CLAIMS
from robustnmf_studies.paper.study import STUDY

PARTS = ("facts", "tally", "claims", "rivals", "numbers", "pictures", "iterations", "ranks")
PAGE = "# Title\n\n" + "\n".join(
    f"Words.\n<!-- {name} -->OUTDATED<!-- /{name} -->" for name in PARTS
)


@pytest.fixture
def page(tmp_path):
    made = tmp_path / "docs" / "page.md"
    made.parent.mkdir()
    made.write_text(PAGE)
    return made


def test_page_is_filled_from_the_numbers(tiny, page):
    write_page(STUDY, tiny.folder, page)
    text = page.read_text()
    assert "OUTDATED" not in text
    assert text.count("Words.") == len(PARTS)
    for claim in CLAIMS:
        assert claim.sentence in text
    assert "not the ORL faces" in text


def test_filling_again_changes_nothing(tiny, page):
    write_page(STUDY, tiny.folder, page)
    first = page.read_text()
    write_page(STUDY, tiny.folder, page)
    assert page.read_text() == first


def test_figures_are_small(tiny, page):
    write_page(STUDY, tiny.folder, page)
    figures = list((page.parent / "images" / "reproduction").iterdir())
    assert {figure.name for figure in figures} == {"fig2.png", "fig3.png", "checks.png", "fig4.png"}
    assert max(figure.stat().st_size for figure in figures) < 300_000


def test_missing_markers_are_named():
    with pytest.raises(ValueError, match="<!-- claims -->"):
        fill("no markers", {"claims": "x"})


def test_backslashes_are_kept():
    assert r"a\1\|b" in fill("<!-- a --><!-- /a -->", {"a": r"a\1\|b"})


def test_our_own_page_has_all_markers_and_figures(docs):
    text = (docs / "reproduction.md").read_text(encoding="utf-8")
    for name in PARTS:
        assert f"<!-- {name} -->" in text
        assert f"<!-- /{name} -->" in text
    for claim in CLAIMS:
        assert claim.sentence in text
    for name in ("fig2", "fig3", "checks", "fig4"):
        assert f"images/reproduction/{name}.png" in text
        assert (docs / "images" / "reproduction" / f"{name}.png").stat().st_size < 300_000
