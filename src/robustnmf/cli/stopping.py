"""How a run ends that was told to: by Ctrl-C, or politely by another program."""

from __future__ import annotations

import signal
from typing import NoReturn

# As shells have it: 128 and the number of the signal.
INTERRUPTED, TERMINATED = 130, 143


class Terminated(KeyboardInterrupt):
    """A polite request to end: all that Ctrl-C tidies away is to be tidied away."""


def heed_requests() -> None:
    """Let a polite request to end raise what Ctrl-C does, but for the exit code."""
    signal.signal(signal.SIGTERM, _end)


def _end(number: int, frame: object) -> NoReturn:
    raise Terminated
