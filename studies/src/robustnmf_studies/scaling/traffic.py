"""Bytes, counted where they pass: on sockets between processes, and from files.

Counts begin with `begin`, once in each process; `counted` says how far they have come.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# What the kernel counts of this process: bytes it asked for, whether or not a disk was needed.
_OF_PROCESS = Path("/proc/self/io")

_sent: Counter[str] = Counter()


def begin() -> None:
    """Count what this process sends to others from now on."""
    from distributed.comm.tcp import TCP

    plain = TCP.write

    async def write(self: Any, *given: Any, **named: Any) -> Any:
        n_bytes = await plain(self, *given, **named)
        _sent.update(sent=n_bytes, messages=1)
        return n_bytes

    TCP.write = write  # type: ignore[method-assign]


def counted() -> dict[str, int]:
    """Return the bytes and messages sent so far, the bytes read, and partitions that moved."""
    return {**_sent, "read": _read(), "moved": _moved()}


def _read() -> int:
    if not _OF_PROCESS.exists():
        return 0
    for line in _OF_PROCESS.read_text(encoding="ascii").splitlines():
        if line.startswith("rchar:"):
            return int(line.split()[1])
    return 0


def _moved() -> int:
    """Return the bytes of data that this worker took from another, if it is one."""
    import sys

    # Only in a worker, which has loaded it.
    if "distributed.worker" not in sys.modules:
        return 0
    from distributed import get_worker

    try:
        worker = get_worker()
    except ValueError:
        return 0
    return sum(
        size
        for transfer in worker.transfer_incoming_log
        for key, size in transfer["keys"].items()
        if not str(key).startswith(("robustnmf-", "('robustnmf-"))
    )


def between(before: Sequence[Mapping[str, int]], after: Sequence[Mapping[str, int]]) -> Any:
    """Return what was counted from one moment to the other: by the client, and by the workers.

    Examples
    --------
    >>> between([{"sent": 1}, {"sent": 5}], [{"sent": 4}, {"sent": 5}])
    ({'sent': 3}, {'sent': 0})
    """
    gone = [Counter(now) for now in after]
    for counts, then in zip(gone, before, strict=True):
        counts.subtract(then)
    workers: Counter[str] = Counter()
    for counts in gone[1:]:
        # Sums, and not what is positive, as + would give.
        workers.update(counts)
    return dict(gone[0]), dict(workers)
