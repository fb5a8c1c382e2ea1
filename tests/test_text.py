from hypothesis import given
from hypothesis import strategies as st

from robustnmf._common.text import shortened, visible


@given(st.text(st.characters(codec=None)))
def test_whatever_is_shown_can_be_shown(text):
    shown = visible(text)
    shown.encode("utf-8")
    assert shown.isprintable() or all(
        # Blanks, marks and characters without a name are for the font to show.
        c.isprintable() or c.isspace() or ord(c) > 0x9F
        for c in shown
    )
    assert not set(shown) & {"\x1b", "\n", "\r", "\x7f", "\x9b", "\u202e", "\u2066"}


def test_plain_text_is_left_alone():
    for text in ("flow [m3/h]", "größe", "価格", "a\\b", "$x$", "naïve — 5 €"):
        assert visible(text) == text
    assert visible("a\nb\x1b", keep="\n") == "a\nb\\x1b"
    assert visible("\udcff") == "\\udcff"


@given(st.text(), st.integers(3, 50))
def test_shortened_is_short_and_keeps_both_ends(text, most):
    short = shortened(text, most)
    assert len(short) == min(len(text), most)
    assert short[0:1] == text[0:1]
    assert short[-1:] == text[-1:]
