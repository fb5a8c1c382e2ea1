"""Interpreters of their own, for what must be measured in one, and the memory that they held."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def in_new_process(code: str, **environment: str) -> Any:
    """Run code in an interpreter of its own and return what it printed, read as JSON.

    Examples
    --------
    >>> in_new_process("print([1, 2])")
    [1, 2]
    """
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise RuntimeError(f"a measurement in a process of its own failed: {last}")
    return json.loads(done.stdout)


def reset_peak() -> None:
    """Forget the peak so far, where the system can: then the next one counts from here."""
    # Linux: what is in memory now becomes the peak.
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def peak_bytes() -> int:
    """Return the most memory that this process held."""
    status = Path("/proc/self/status")
    if status.exists():
        # Not ru_maxrss: on Linux a child starts with that of the parent that forked it.
        for line in status.read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
