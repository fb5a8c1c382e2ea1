"""When progress is drawn, how often, and what."""

from __future__ import annotations

import io
import sys

import pytest

from robustnmf._common import progress
from robustnmf._common.pace import Pace
from robustnmf._common.progress import StatusLine, part, silent, work_bar

console = pytest.importorskip("rich.console")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    hand = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: hand[0])
    monkeypatch.setattr(progress.time, "monotonic", lambda: hand[0])
    return hand


def test_a_log_gets_a_line_each_with_the_time(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    line = StatusLine(shown=True)
    clock[0] = 2.0
    line.print("one")
    line.print("two", last=True)
    assert sys.stderr.getvalue() == "one, 2.0 s\ntwo, 2.0 s\n"


def test_a_line_rewrites_itself_on_a_terminal(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", Terminal())
    line = StatusLine(shown=True)
    line.print("one")
    line.print("two", last=True)
    assert sys.stderr.getvalue() == "\r\x1b[Kone, 0.0 s\r\x1b[Ktwo, 0.0 s\n"


def test_lines_are_due_at_first_and_after_the_interval(clock):
    line = StatusLine(shown=True)
    assert not line.is_due()
    assert line.is_due(first=True)
    clock[0] = progress.INTERVAL - 0.01
    assert not line.is_due()
    clock[0] = progress.INTERVAL
    assert line.is_due()
    assert not line.is_due()
    assert line.is_due(first=True)
    # What is said at first counts too.
    clock[0] = 2 * progress.INTERVAL - 0.01
    assert not line.is_due()


def notebook():
    """Standard error as a cell shows it, which is no terminal."""
    stream = type("OutStream", (io.StringIO,), {"__module__": "ipykernel.iostream"})
    return stream()


def shown_there(text):
    """What a reader sees in the end, where a carriage return begins the line anew."""
    lines = []
    for line in text.split("\n"):
        seen = ""
        for piece in line.split("\r"):
            seen = piece + seen[len(piece) :]
        lines.append(seen.rstrip())
    return lines


def test_a_line_rewrites_itself_in_a_notebook(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", notebook())
    line = StatusLine(shown=True)
    line.print("a long line")
    line.print("short")
    assert shown_there(sys.stderr.getvalue()) == ["short, 0.0 s"]
    line.print("done", last=True)
    assert shown_there(sys.stderr.getvalue()) == ["done, 0.0 s", ""]
    assert "\x1b" not in sys.stderr.getvalue()


def test_a_line_that_is_too_long_for_a_terminal_loses_its_last_parts(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setenv("COLUMNS", "30")
    StatusLine(shown=True).print("iteration 3/500, about 4 s left, 12 rows/s")
    assert sys.stderr.getvalue() == "\r\x1b[Kiteration 3/500"


@pytest.mark.parametrize(
    ("stream", "fewest", "most"),
    [(io.StringIO, 60, 100), (notebook, 300, 600), (Terminal, 3e3, 4e3)],
)
def test_an_hour_leaves_few_lines_where_they_are_kept(monkeypatch, clock, stream, fewest, most):
    monkeypatch.setattr(sys, "stderr", stream())
    line = StatusLine(shown=True)
    for second in range(3600):
        clock[0] = float(second)
        if line.is_due():
            line.print("iteration")
    assert fewest <= sys.stderr.getvalue().count("iteration") <= most


def test_of_many_stages_only_some_are_told_of_at_once(monkeypatch, clock):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    line = StatusLine(shown=True)
    assert sum(line.is_due(first=True) for _ in range(1000)) == progress.STAGES


def going(clock, objectives, *, seconds=2.0, **options):
    """What a pace says after some iterations."""
    pace = Pace(**{"most": 500, "tol": 1e-4, "n_rows": 1000} | options)
    for i, objective in enumerate(objectives, 1):
        clock[0] += seconds
        pace.tell(i, objective)
    return str(pace)


def test_the_pace_says_rows_a_second_and_the_time_left(clock):
    assert going(clock, [5.0]) == ""
    # Nothing is known of where the objective goes.
    assert going(clock, [5.0, 4.0, 3.0]) == ", at most 17 min left, 500 rows/s"
    assert going(clock, [5.0] * 3, n_rows=None) == ", at most 17 min left"
    assert going(clock, [5.0] * 498) == ", about 1 s left, 500 rows/s"
    assert going(clock, [5.0] * 498, tol=0) == ", at most 4 s left, 500 rows/s"


@pytest.mark.parametrize("ratio", [0.8, 0.95])
def test_the_time_left_is_told_from_how_the_objective_falls(clock, ratio):
    objectives = [1 + ratio**i for i in range(1000)]
    end = next(
        i
        for i in range(10, 1000)
        if objectives[i - 10] - objectives[i] <= 1e-4 * objectives[i - 10]
    )
    told = going(clock, objectives[: end // 2], seconds=0.5)
    seconds = int(told.removeprefix(", about ").partition(" s left")[0])
    assert seconds == pytest.approx((end - end // 2) / 2, rel=0.2)


@pytest.mark.parametrize("shown", [True, False])
def test_nothing_is_due_or_printed_where_nobody_can_hear(monkeypatch, capsys, shown):
    if shown:
        # A program without a console; what it prints must not end up on the standard output.
        monkeypatch.setattr(sys, "stderr", None)
    line = StatusLine(shown=shown)
    assert not line.is_due(first=True)
    line.print("one", last=True)
    assert capsys.readouterr().out == ""


def told(*steps, interactive=False, **options):
    """Return what a bar leaves on a screen that is told of some steps."""
    file = io.StringIO()
    screen = console.Console(file=file, force_terminal=interactive, width=100)
    with work_bar(screen, **({"quiet": False} | options)) as tell:
        for step in steps:
            tell(*step)
    return file.getvalue()


def test_without_a_screen_only_verbose_leaves_lines():
    steps = (("loading", 0.0), ("fitting\x1b", 0.25), ("fitting\x1b", 0.5), ("done", 1.0))
    assert told(*steps) == ""
    assert told(*steps, verbose=True) == "loading (0 %)\nfitting\\x1b (25 %)\ndone (100 %)\n"
    assert told(*steps, verbose=True, quiet=True) == ""


def test_long_work_is_logged_now_and_then_with_the_time_left(clock):
    def steps():
        yield "loading", 0.0
        for i in range(101):
            clock[0] = 60.0 * i
            yield "computing", i / 100
        yield "drawing", 1.0

    file = io.StringIO()
    screen = console.Console(file=file, width=100)
    with work_bar(screen, quiet=False, lasting="computing") as tell:
        for step in steps():
            tell(*step)
    lines = file.getvalue().splitlines()
    assert 19 <= len(lines) <= 20
    assert lines[0] == "  5 % done after 5.0 min, about 95.0 min left"
    assert lines[-1] == "100 % done after 100.0 min, about 0.0 min left"


def test_long_work_is_not_logged_when_quiet_or_by_other_steps():
    assert told(("computing", 0.5), lasting="computing", quiet=True) == ""
    assert told(("drawing", 1.0), lasting="computing") == ""


@pytest.mark.parametrize(("lasting", "left"), [(None, False), ("computing", True)])
def test_a_screen_gets_a_bar_and_the_time_left_of_long_work(lasting, left):
    steps = (("computing", 0.25), ("computing", 0.5))
    shown = told(*steps, interactive=True, lasting=lasting)
    assert "computing" in shown
    assert ("left" in shown) is left
    assert "done after" not in shown
    assert told(*steps, interactive=True, lasting=lasting, quiet=True) == ""


def test_shares_of_parts_go_on_where_the_last_ended():
    heard = []
    for i in range(3):
        for share in (0.0, 0.5, 1.0):
            part(heard.append, i / 3, (i + 1) / 3)(share)
    assert heard == sorted(heard)
    assert heard == pytest.approx([0, 1 / 6, 1 / 3, 1 / 3, 1 / 2, 2 / 3, 2 / 3, 5 / 6, 1])


def test_silence_takes_what_any_progress_takes():
    silent(0.5)
    silent("fitting", 0.5)
