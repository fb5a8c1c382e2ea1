"""How much memory is left, to refuse in words what would be killed without any."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_LIMITS = (
    # What the kernel could give, and what is left of the allowance of a container.
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def memory_left() -> int | None:
    """Return how many bytes of memory can still be had, or None where nobody knows.

    Returns
    -------
    int or None
    """
    found = [left for pair in _LIMITS if (left := _allowance(*pair)) is not None]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        sizes = {name: rest.split()[0] for name, _, rest in (line.partition(":") for line in lines)}
        found.append(1024 * int(sizes["MemAvailable"]))
    except (OSError, KeyError, ValueError, IndexError):
        with suppress(AttributeError, OSError, ValueError):
            # Elsewhere all the memory there is, which is better than no limit.
            found.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return min(found) if found else None


def _allowance(most: Path, used: Path) -> int | None:
    try:
        return int(most.read_text()) - int(used.read_text())
    except (OSError, ValueError):
        # No container, or one without a limit ("max").
        return None


def in_words(size: float) -> str:
    """Return a number of bytes as people say it.

    Examples
    --------
    >>> in_words(512), in_words(8e12)
    ('512 bytes', '8.0 TB')
    """
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1000
    return f"{size:,.0f} PB"
