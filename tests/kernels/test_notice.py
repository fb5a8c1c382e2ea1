"""Compiling is told of where somebody waits, and only there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from numba.core.event import Event, EventStatus

from robustnmf._common import notices
from robustnmf._kernels import notice
from robustnmf._kernels.notice import MESSAGE, CompileNotice


class Clock:
    """Seconds that pass when told."""

    now = 0.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(notice, "time", clock)
    return clock


@pytest.fixture
def told(monkeypatch):
    messages: list[str] = []
    monkeypatch.setattr(notice, "notify", messages.append)
    return messages


def send(listener, status, module="robustnmf._kernels.cpu.noise"):
    def kernel():
        pass

    kernel.__module__ = module
    dispatcher = type("Dispatcher", (), {"py_func": staticmethod(kernel)})
    listener.notify(Event("numba:compile", status, data={"dispatcher": dispatcher}))


def compile_(listener, clock, seconds, module="robustnmf._kernels.cpu.noise"):
    send(listener, EventStatus.START, module)
    # What Numba needs on the way comes inside, and is not counted twice.
    send(listener, EventStatus.START, "numba.np.arrayobj")
    clock.now += seconds
    send(listener, EventStatus.END, "numba.np.arrayobj")
    send(listener, EventStatus.END, module)


def test_a_long_compilation_is_told_of_once(clock, told):
    listener = CompileNotice()
    compile_(listener, clock, 0.4)
    compile_(listener, clock, 0.4)
    assert told == []
    compile_(listener, clock, 0.4)
    compile_(listener, clock, 0.4)
    assert told == [MESSAGE]


def test_what_others_compile_does_not_count(clock, told):
    listener = CompileNotice()
    compile_(listener, clock, 9.0, module="their.package")
    compile_(listener, clock, 0.1)
    compile_(listener, clock, 0.1)
    assert told == []


@pytest.mark.parametrize(
    ("terminal", "quiet", "lines"), [(True, False, 1), (True, True, 0), (False, False, 0)]
)
def test_notices_go_to_terminals_that_are_not_quiet(monkeypatch, capsys, terminal, quiet, lines):
    monkeypatch.setattr(notices, "_quiet", quiet)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    notices.notify("kernels")
    printed = capsys.readouterr()
    assert printed.err == "robustnmf: kernels\n" * lines
    assert printed.out == ""


def test_notices_do_without_a_standard_error(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    notices.notify("kernels")


FIT = """
import warnings
import numpy as np
from numba.core.event import install_recorder
from robustnmf import RobustNMF
warnings.simplefilter("ignore")
with install_recorder("numba:compile") as compiled:
    RobustNMF(2, random_state=0).fit(np.eye(20) + 1)
print(sum(event.is_start for _, event in compiled.buffer))
"""
# What a default fit needs: five kernels and three helpers.
FUNCTIONS = 8


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_first_fit_tells_of_compiling_and_a_second_process_has_nothing_to_compile(tmp_path):
    import pty

    said, compiled = [], []
    for _ in range(2):
        ours, theirs = pty.openpty()
        done = subprocess.run(
            [sys.executable, "-c", FIT],
            check=True,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        )
        compiled.append(int(done.stdout))
        os.write(theirs, b"end\n")
        text = b""
        while not text.endswith(b"end\r\n"):
            text += os.read(ours, 10_000)
        said.append(text.decode().replace("\r\n", "\n"))
        os.close(ours)
        os.close(theirs)
    assert 0 < compiled[0] <= FUNCTIONS
    assert compiled[1] == 0
    assert said == [f"robustnmf: {MESSAGE}\nend\n", "end\n"]
