"""The command line: arguments in, public functions called, tables out.

Importing this package needs nothing but Python, so that a missing extra gets a plain message.
"""

from __future__ import annotations

import io
import sys
import warnings
from typing import NoReturn

from robustnmf._common.optional import import_extra
from robustnmf.cli.stopping import INTERRUPTED, TERMINATED, Terminated, heed_requests


def main() -> NoReturn:
    """Run the command that the arguments name, and exit: 0 done, 1 failed, 2 bad usage.

    130 and 143 are for who was stopped, by Ctrl-C or another program.
    """
    heed_requests()
    try:
        _run()
    except KeyboardInterrupt as stopped:
        # Before the program is there that could say it better.
        print("error: stopped", file=sys.stderr)
        sys.exit(TERMINATED if isinstance(stopped, Terminated) else INTERRUPTED)


def _run() -> NoReturn:
    try:
        for module in ("click", "rich"):
            import_extra(module, "cli", "the command line needs")
    except ImportError as error:
        sys.exit(f"error: {error}")
    from robustnmf.cli.app import app

    for stream in (sys.stdout, sys.stderr):
        # A name that the screen has no letters for is no reason to fail when all is done.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    # Nor one that the plots of a report have none for.
    warnings.filterwarnings("ignore", r"Glyph \d+ .* missing", UserWarning)
    app.main(prog_name="robustnmf")
