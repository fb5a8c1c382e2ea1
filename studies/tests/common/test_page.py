import pytest

from robustnmf_studies.common.frames import text_table
from robustnmf_studies.common.page import environment, facts_of


def piece(text, **shown):
    head = '{% import "common/pieces.html" as p with context %}'
    return environment().from_string(head + text).render(links=[], about={}, **shown)


def test_words_are_escaped():
    frame = text_table("<t>", ("a&b",), [("<script>",)])
    html = piece("{{ p.table(frame) }}", frame=frame)
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "a&amp;b" in html
    assert "&lt;t&gt;" in html


def test_bold_is_for_the_documentation():
    frame = text_table("t", ("a",), [("**0.5**",)])
    assert "<td>0.5</td>" in piece("{{ p.table(frame) }}", frame=frame)


@pytest.mark.parametrize(("columns", "wide"), [(5, False), (6, True)])
def test_many_columns_become_lists_on_a_phone(columns, wide):
    frame = text_table("t", [f"c{i}" for i in range(columns)], [["x"] * columns])
    html = piece("{{ p.table(frame) }}", frame=frame)
    assert ('class="wide"' in html) == ('data-label="c0"' in html) == wide


def test_sections_without_content_are_neither_shown_nor_linked():
    text = (
        '{% call p.section("a", "A") %} {% endcall %}'
        '{% call p.section("b", "B") %}<p>words</p>{% endcall %}{{ links }}'
    )
    html = piece(text)
    assert 'id="a"' not in html
    assert '<section id="b"><h2>B</h2>' in html
    assert html.count("&#39;B&#39;") == 1
    assert "&#39;A&#39;" not in html


def test_facts_tell_what_is_known_and_no_more():
    about = {"data": "d", "faces": 3, "pixels": 4, "seconds": 90.0, "cores": 2, "code": "abc"}
    facts = dict(facts_of(about, [("k", "10")]))
    assert facts["faces × pixels"] == "3 × 4"
    assert facts["run time"] == "1.5 minutes on 2 cores"
    assert (facts["version of the code"], facts["k"]) == ("abc", "10")
    assert "runs" not in facts
