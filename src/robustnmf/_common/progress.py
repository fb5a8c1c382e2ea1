"""Telling who waits how far the work is: when to draw, how often, and what.

All of it goes to the standard error. On a terminal and in a notebook one line rewrites itself, or a
bar grows; in a log, where nothing can be rewritten, there are lines now and then.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from robustnmf._common.notices import in_notebook, on_terminal
from robustnmf._common.text import visible

if TYPE_CHECKING:
    from rich.console import Console

# Told the share of the work that lies behind, from 0 to 1; or what begins now, and that share.
Share = Callable[[float], None]
Step = Callable[[str, float], None]

# Seconds between two lines of a loop, ...
INTERVAL = 1.0
# ... or where what was rewritten is kept, and where nothing is rewritten, this share of the time
# that has gone by, if it is more: an hour leaves some eighty lines in a log.
KEPT_INTERVAL, LOG_INTERVAL = 0.01, 0.1
# Stages of a loop whose first line is printed in any case.
STAGES = 20
# Where nobody sees a bar, a line is written each time this much of the work is done.
LOG_EVERY = 0.05


def silent(*told: Any) -> None:
    """Hear of progress, and tell nobody."""


def part(progress: Share, begin: float, end: float) -> Share:
    """Return what hears of a part of the work, which goes from one share of the whole to another.

    Examples
    --------
    >>> heard = []
    >>> part(heard.append, 0.5, 0.75)(0.5)
    >>> heard
    [0.625]
    """
    return lambda share: progress(begin + (end - begin) * share)


class StatusLine:
    """Lines about a loop: one that rewrites itself where that can be done, a line each in a log.

    Parameters
    ----------
    shown : bool
        Whether to print at all.
    """

    def __init__(self, shown: bool) -> None:
        # Programs without a console have no standard error.
        self._shown = shown and sys.stderr is not None
        self._began = self._last = time.perf_counter()
        self._stages, self._width = 0, 0

    @property
    def seconds(self) -> float:
        """Seconds since the work began."""
        return time.perf_counter() - self._began

    def is_due(self, *, first: bool = False) -> bool:
        """Whether to print now: the first line of a stage, or as enough time has gone by."""
        if not self._shown:
            return False
        now = time.perf_counter()
        self._stages += first
        if now - self._last < self._interval(now) and not (first and self._stages <= STAGES):
            return False
        self._last = now
        return True

    def _interval(self, now: float) -> float:
        share = 0.0 if on_terminal() else KEPT_INTERVAL if in_notebook() else LOG_INTERVAL
        return max(INTERVAL, share * (now - self._began))

    def print(self, line: str, *, last: bool = False) -> None:
        """Print a line with the seconds that have gone by; the last one stays on a terminal."""
        if not self._shown:
            return
        line = f"{line}, {self.seconds:.1f} s"
        end = "\n" if last else ""
        if on_terminal():
            # What goes on below could not be rewritten.
            line = _within(line, shutil.get_terminal_size().columns)
            print(f"\r\x1b[K{line}", end=end, file=sys.stderr, flush=True)
        elif in_notebook():
            # Blanks, because not all of them know how to clear a line.
            print(f"\r{line:<{self._width}}", end=end, file=sys.stderr, flush=True)
            self._width = len(line)
        else:
            print(line, file=sys.stderr, flush=True)


def _within(line: str, columns: int) -> str:
    """Leave out the last parts of a line that is too long.

    Examples
    --------
    >>> _within("iteration 3/500, about 4 s left, 12 rows/s", 35)
    'iteration 3/500, about 4 s left'
    """
    while len(line) >= columns and ", " in line:
        line = line.rpartition(", ")[0]
    return line


@contextmanager
def work_bar(
    screen: Console, *, quiet: bool, verbose: bool = False, lasting: str | None = None
) -> Iterator[Step]:
    """Show a bar with the time gone by while the body runs, where someone can see it.

    Parameters
    ----------
    screen : rich.console.Console
        Where to draw; on the standard error.
    quiet : bool
        Whether to say nothing at all.
    verbose : bool
        Whether every step leaves a line, on a screen or in a log.
    lasting : str, optional
        The step that may take hours. The bar then shows the time left as well; in a log, there is
        a line with both each time a twentieth of the work is done.

    Yields
    ------
    callable
        To be called with what begins now and the share of the work that lies behind.
    """
    from rich.progress import Progress

    drawn = not quiet and screen.is_interactive
    with Progress(
        *_columns(time_left=lasting is not None),
        console=screen,
        transient=True,
        # Steps differ in size, so the pace of the last few says little of the time left.
        speed_estimate_period=600,
        disable=not drawn,
    ) as bar:
        # Without a total the bar swings, until something is known.
        task = bar.add_task("starting", total=None)
        log = _Log(screen) if lasting and not quiet and not drawn else None
        last = ""

        def tell(what: str, share: float) -> None:
            nonlocal last
            what = visible(what)
            bar.update(task, description=what, completed=share, total=1.0)
            if verbose and not quiet and what != last:
                screen.print(f"{what} ({100 * share:.0f} %)", soft_wrap=True)
                last = what
            if log is not None and what == lasting:
                log.tell(share)

        yield tell


def _columns(*, time_left: bool) -> list[Any]:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    # The time left needs room.
    width = 14 if time_left else 24
    columns = [
        TextColumn(f"{{task.description:<{width}}}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    ]
    if time_left:
        remaining = TimeRemainingColumn(elapsed_when_finished=False)
        columns += [TextColumn("gone,"), remaining, TextColumn("left")]
    return columns


class _Log:
    """Lines with the time gone by and the time left, each time some of the work is done."""

    def __init__(self, screen: Console) -> None:
        self._screen = screen
        self._began, self._told = time.monotonic(), 0.0

    def tell(self, share: float) -> None:
        """Print a line, if one is due."""
        if self._told >= 1 or share < min(self._told + LOG_EVERY, 1.0):
            return
        self._told = share
        gone = time.monotonic() - self._began
        left = gone * (1 - share) / share
        self._screen.print(
            f"{100 * share:3.0f} % done after {gone / 60:.1f} min, about {left / 60:.1f} min left",
            soft_wrap=True,
        )
