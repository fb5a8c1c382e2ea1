"""Reports on a phone: all columns of a table are there without scrolling sideways."""

import os
import re
import shutil
import subprocess

import pytest

from robustnmf._report import Section, page, table

FIVE = ["row", "column", "value", "expected", "off by"]
SEVEN = [*FIVE, "probability", "reason <why>"]
LONG = ["shop 148", "Nov pieces", "156843.5", "160988.25", "+155233.5", "0.998", "point moved"]


def test_few_columns_stay_a_table():
    html = table("", FIVE, [LONG[:5]])
    assert "data-label" not in html
    assert 'class="wide"' not in html


def test_many_columns_can_become_a_list_for_each_row():
    html = table("Cells", SEVEN, [LONG, LONG])
    assert 'class="wide"' in html
    labels = re.findall(r'<td data-label="([^"]*)">', html)
    assert labels == 2 * [*FIVE, "probability", "reason &lt;why&gt;"]


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser")
@pytest.mark.parametrize("head", [FIVE, SEVEN])
def test_nothing_sticks_out_at_390_pixels(head, tmp_path):
    """A browser is asked, from a page that holds the report in a frame as wide as a phone."""
    rows = [LONG[: len(head)]] * 3
    text = page("Report", "", [Section("a", "Cells", table("", head, rows))], foot="")
    tell = (
        "<script>addEventListener('load', () => { const t = document.querySelector('table');"
        "const s = t.parentNode;"
        "parent.postMessage([t.scrollWidth, s.clientWidth, innerWidth], '*'); });</script>"
    )
    (tmp_path / "report.html").write_text(text.replace("</body>", tell + "</body>"))
    (tmp_path / "phone.html").write_text(
        "<iframe src='report.html' style='width:390px;height:800px;border:0'></iframe>"
        "<script>addEventListener('message', e => document.body.append('SEEN ' + e.data))</script>"
    )
    command = ["chromium", "--headless", "--disable-gpu", "--allow-file-access-from-files"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--no-sandbox")
    command += ["--virtual-time-budget=5000", "--dump-dom", (tmp_path / "phone.html").as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    seen = re.search(r"SEEN (\d+),(\d+),(\d+)", done.stdout)
    assert seen, done.stdout[-500:]
    wide, room, window = map(int, seen.groups())
    assert window == 390
    assert wide <= room
