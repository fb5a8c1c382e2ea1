"""Tells who waits that kernels are being compiled, once in a process."""

from __future__ import annotations

import time

from numba.core.event import Event, Listener, register

from robustnmf._common.notices import notify

# Seconds. One kernel that was missing is not worth a note.
PATIENCE = 0.5
MESSAGE = "compiling kernels for the first use, which takes some seconds"


class CompileNotice(Listener):
    """Notifies when another kernel is compiled after this has taken a while already.

    Numba sends no event for a kernel that it finds in its cache.
    """

    def __init__(self) -> None:
        self._spent = 0.0
        self._began = 0.0
        self._depth = 0
        self._told = False

    def on_start(self, event: Event) -> None:
        """Take the time, and notify if enough of it has gone by."""
        self._depth += 1
        # What Numba compiles on the way belongs to the kernel that needs it.
        if self._depth > 1 or not _is_ours(event):
            return
        if self._spent > PATIENCE and not self._told:
            self._told = True
            notify(MESSAGE)
        self._began = time.perf_counter()

    def on_end(self, event: Event) -> None:
        """Add the time that has gone by."""
        self._depth -= 1
        if self._depth == 0 and _is_ours(event):
            self._spent += time.perf_counter() - self._began


def watch_compiling() -> None:
    """Notify of long compilations from now on."""
    register("numba:compile", CompileNotice())


def _is_ours(event: Event) -> bool:
    kernel = event.data["dispatcher"].py_func
    return str(kernel.__module__).partition(".")[0] == "robustnmf"
