"""What every study has in common: what may be asked of it, and what it leaves.

A study is a package with a function ``run_study(target, out, options, progress) -> Outcome``.
``robustnmf reproduce`` knows the studies by name and nothing more of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robustnmf_studies.common.sheet import Sheet

# Told what begins, how much of the work lies behind, and all of it, in seconds of one core.
Progress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Options:
    """What a user may ask of a study.

    Attributes
    ----------
    data : str or None
        The faces, as for `robustnmf.datasets.load_faces`.
    quick : bool
        Fewer runs and points.
    runs : int or None
        Repetitions; None leaves them to the plan.
    jobs : int or None
        Processes; None means one for each core.
    iterations : int
        Of the paper's rules.
    seed : int
        From which all random choices follow.
    plots_only : bool
        Compute nothing; draw the numbers again.
    """

    data: str | None = None
    quick: bool = False
    runs: int | None = None
    jobs: int | None = None
    iterations: int = 200
    seed: int = 0
    plots_only: bool = False


@dataclass(frozen=True)
class Outcome:
    """What a study leaves.

    Attributes
    ----------
    report : Path
        The HTML file.
    folder : Path
        All files.
    about : dict
        Settings, versions, seeds, data source, run time.
    computed, reused : int
        Points that were run now, and that were there already.
    verdicts : Sheet
        What was found, for the terminal.
    records : dict
        The same for programs.
    """

    report: Path
    folder: Path
    about: dict[str, Any]
    computed: int
    reused: int
    verdicts: Sheet
    records: dict[str, Any] = field(default_factory=dict)
