"""Trust: real tables and matrices that nothing was tuned on, errors of many kinds, and rivals.

``robustnmf reproduce trust`` is this package's command; ``trust-tuning`` is the same on the
edition of the data that may be looked at while a method is being made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from robustnmf_studies.common.study import Options, Outcome, Progress

__all__ = ["run_study"]


def run_study(target: str, out: Path, options: Options, progress: Progress) -> Outcome:
    """Run the study; see `robustnmf_studies.trust.study.run_study`."""
    # Whoever wants a table alone should not wait for all the methods.
    from robustnmf_studies.trust import study

    return study.run_study(target, out, options, progress)
