import re
from html.parser import HTMLParser

import pytest

from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Results
from robustnmf_studies.paper.judge import CLAIMS, judge
from robustnmf_studies.paper.study import STUDY


class Reader(HTMLParser):
    """Collects the tags and checks that they are closed in order."""

    VOID = ("meta", "img", "br", "line", "circle", "link", "input")

    def __init__(self):
        super().__init__()
        self.open, self.attributes, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]
        self.ids += [value for name, value in attrs if name == "id"]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.attributes += [(tag, *pair) for pair in attrs]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="session")
def page(tiny):
    return tiny.report.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def reader(page):
    made = Reader()
    made.feed(page)
    made.close()
    return made


def test_page_is_well_formed(reader):
    assert reader.open == []
    assert len(set(reader.ids)) == len(reader.ids)


def test_page_needs_nothing_from_outside(page, reader):
    for tag, name, value in reader.attributes:
        if name == "src":
            assert value.startswith("data:"), (tag, value[:40])
        if name == "href":
            assert value.startswith("#"), (tag, value)
    assert "<script" not in page
    assert "<link" not in page
    assert "@import" not in page
    assert not re.search(r"url\(", page)
    assert "http" not in re.sub(r"base64,[A-Za-z0-9+/=]+", "", page)


def test_page_fits_a_phone(page):
    assert 'name="viewport" content="width=device-width' in page


def test_page_holds_every_claim_with_its_verdicts(page, tiny):
    for claim in CLAIMS:
        assert page.count(f'id="claim-{claim.name}"') == 1
    verdicts = sum(len(findings) for _, findings in tiny.judged)
    cards = page[page.index('class="claims"') : page.index('id="rivals"')]
    assert cards.count('class="verdict') == verdicts


def test_every_picture_says_what_it_shows(reader):
    sources = [value for tag, name, value in reader.attributes if name == "src"]
    words = [value for tag, name, value in reader.attributes if tag == "img" and name == "alt"]
    # Six panels of figure 2, eight of figure 3, nine checks, two pictures in twelve versions.
    assert len(sources) == len(words) == 6 + 8 + 9 + 24
    assert all(words)


def test_links_lead_somewhere(reader):
    targets = [value[1:] for _, name, value in reader.attributes if name == "href"]
    assert targets
    assert set(targets) <= set(reader.ids)


def test_settings_and_data_are_told(page):
    for words in ("not the paper’s faces", "lfw_subset", "run time", "scikit-learn", "seed"):
        assert words in page


def page_of(folder, numbers, about):
    results = Results(numbers, judge(numbers), about, Storage(folder))
    return STUDY.report(results)


def test_nothing_is_shown_of_what_was_not_run(ideal_numbers, tmp_path):
    numbers = {"pictures": ideal_numbers["pictures"]}
    page = page_of(tmp_path, numbers, {})
    assert "not measured" in page
    assert 'id="fig2"' not in page
    assert 'id="fig4"' not in page


def test_words_from_outside_cannot_become_markup(tmp_path):
    about = {"data": "faces from <script>alert(1)</script>"}
    page = page_of(tmp_path, {}, about)
    assert "<script" not in page
