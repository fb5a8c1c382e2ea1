"""A study: what may be asked of it, the steps it is made of, and what runs them.

Every study is a package with one module for each step, ``study`` with the ``STUDY`` that names them
all, and a template ``report.html``:

==========  ====================================================================================
settings    what is run: the points, what they share, how long each takes
compute     one point; gives rows by table
numbers     the rows of all points as frames, and tables of words made from them
judge       the targets or claims, each decided from the numbers
draw        figures, from the numbers alone
document    what the report shows, and what the page in the documentation is filled with
==========  ====================================================================================

Two of them can be missing: ``draw`` in a study without figures, and ``numbers`` where ``judge`` and
``document`` have no figures in common. A step that grows is cut into modules that its own gathers,
as ``judge`` of the study of trust does. What else is in a package (data, methods) is its own.

``robustnmf reproduce`` knows the studies by name and nothing more of them. The benchmarks are no
study: they time, in turns and one after the other, and have a registry of their own (`bench`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from robustnmf._common.versions import versions
from robustnmf_studies.common import targets
from robustnmf_studies.common.code import code_version
from robustnmf_studies.common.filling import copy_figures, fill_page
from robustnmf_studies.common.frames import Numbers, to_markdown
from robustnmf_studies.common.page import check_template, render
from robustnmf_studies.common.parallel import Point, run_points
from robustnmf_studies.common.storage import Rows, Storage, write_json, write_text

# Told what begins, how much of the work lies behind, and all of it, in seconds of one core.
Progress = Callable[[str, float, float], None]


@dataclass(frozen=True)
class Options:
    """What a user may ask of a study."""

    # The faces, as for `robustnmf.datasets.load_faces`.
    data: str | None = None
    # Fewer runs and points.
    quick: bool = False
    # Repetitions; None leaves them to the plan.
    runs: int | None = None
    # Processes; None means one for each core.
    jobs: int | None = None
    # Of the paper's rules.
    iterations: int = 200
    # From which all random choices follow.
    seed: int = 0
    # Compute nothing; draw the numbers again.
    plots_only: bool = False


class Work(NamedTuple):
    """What is to be computed.

    Attributes
    ----------
    points : sequence
        The units of work.
    compute : callable
        ``compute(point, pictures)`` gives the rows of a point by table, and may leave pictures in
        the folder `pictures`; must be picklable.
    header : dict
        What all points share; results of another header are refused.
    about : dict
        What the report says of the data and the settings.
    alone : bool
        Whether a point needs the machine to itself, because it measures time: then they are
        computed one after the other, whatever the number of processes asked for.
    """

    points: Sequence[Point]
    compute: Callable[[Any, Path], Rows]
    header: dict[str, Any]
    about: dict[str, Any]
    alone: bool = False


class Results(NamedTuple):
    """What is known of a study once its points are computed.

    Attributes
    ----------
    numbers : mapping of DataFrame
        All rows, by table.
    judged : list
        What its ``judge`` made of them.
    about : dict
        How they came about: settings, versions, seeds, data source, run time.
    storage : Storage
        Where they are.
    drawn : mapping
        What its ``draw`` returned.
    computed, reused, stale : int
        Points computed now, there already, and there of another version of the code, which are
        computed again where this run needs them.
    """

    numbers: Numbers
    judged: Any
    about: dict[str, Any]
    storage: Storage
    drawn: Mapping[str, Any] = {}
    computed: int = 0
    reused: int = 0
    stale: int = 0

    @property
    def folder(self) -> Path:
        """Where all files are."""
        return self.storage.folder

    @property
    def report(self) -> Path:
        """The report."""
        return self.folder / "report.html"


def _target_markdown(judged: Any) -> str:
    return to_markdown(targets.target_table(judged, where=True)) + "\n"


@dataclass(frozen=True)
class Study:
    """The steps of a study.

    Attributes
    ----------
    name : str
        Of its package in `robustnmf_studies`, which has a ``compute`` module and a template
        ``report.html``.
    title, lead : str
        The head of the report.
    prepare : callable
        ``prepare(target, options) -> Work``.
    judge : callable
        ``judge(numbers)`` decides all targets or claims.
    context : callable
        ``context(results) -> dict``, what the template of the report shows below its head.
    parts : callable
        ``parts(results) -> dict``, what the page in the documentation is filled with, by the
        names of its markers.
    draw : callable
        ``draw(numbers, storage)`` writes the figures and returns what the report needs of them.
    kind : {"targets", "claims"}
        What is judged; names a file and a key of the JSON output.
    records, verdicts, markdown : callable
        What was judged, for programs, for the terminal, and as a file.
    figures : mapping
        Figures of the page in the documentation: name, and name there.
    figure_folder : str
        Where they go, beside the page.
    """

    name: str
    title: str
    lead: str
    prepare: Callable[[str, Options], Work]
    judge: Callable[[Numbers], Any]
    context: Callable[[Results], dict[str, Any]]
    parts: Callable[[Results], dict[str, str]]
    draw: Callable[[Numbers, Storage], Mapping[str, Any]] = lambda numbers, storage: {}
    kind: str = "targets"
    records: Callable[[Any], list[dict[str, Any]]] = targets.as_records
    verdicts: Callable[[Any], pd.DataFrame] = targets.target_table
    markdown: Callable[[Any], str] = _target_markdown
    figures: Mapping[str, str] = field(default_factory=dict)
    figure_folder: str = ""

    @property
    def code(self) -> str:
        """The version of the code that computes the points."""
        return code_version(f"robustnmf_studies.{self.name}.compute")

    def report(self, results: Results) -> str:
        """Return the report as HTML."""
        context = {"title": self.title, "lead": self.lead, **self.context(results)}
        return render(self.name, results.about, context)


def run_study(
    study: Study,
    target: str,
    out: Path,
    options: Options,
    progress: Progress = lambda what, done, total: None,
) -> Results:
    """Take a study from its settings to its report.

    Parameters
    ----------
    study : Study
        Its steps.
    target : str
        Which part of it, by the name on the command line.
    out : Path
        Folder to write to. What it holds of an earlier run of the same code is used, not
        computed again.
    options : Options
        What is asked for.
    progress : callable, optional
        Told of the progress.
    """
    # A study without a report should fail before hours of work, not after.
    check_template(study.name)
    storage = Storage(out)
    computed = reused = 0
    if options.plots_only:
        before = storage.read_about()
        stale = before.get("points", 0) if before.get("code") != study.code else 0
    else:
        progress("loading data", 0.0, 1.0)
        work = study.prepare(target, options)
        storage.open(work.header, study.code)
        stale = len(storage.stale())
        computed, reused = _run_missing(storage, work, study.code, options.jobs, progress)
    progress("drawing", 1.0, 1.0)
    results = read_results(study, storage)
    write_json(storage.numbers / "claims.json", study.records(results.judged))
    write_text(out / f"{study.kind}.md", study.markdown(results.judged))
    results = results._replace(
        drawn=study.draw(results.numbers, storage), computed=computed, reused=reused, stale=stale
    )
    write_text(results.report, study.report(results))
    return results


def read_results(study: Study, storage: Storage) -> Results:
    """Read the numbers of a folder, and judge them."""
    numbers = storage.read_tables()
    return Results(numbers, study.judge(numbers), storage.read_about(), storage)


def write_page(study: Study, results: str | os.PathLike[str], page: str | os.PathLike[str]) -> Path:
    """Fill the computed parts of a study's page in the documentation, its figures beside it.

    Parameters
    ----------
    study : Study
        Its steps.
    results : path-like
        Folder of a finished run.
    page : path-like
        A Markdown file with a pair of markers for each part.
    """
    path = Path(page)
    found = read_results(study, Storage(Path(results)))
    fill_page(path, study.parts(found))
    if study.figures:
        copy_figures(found.storage.figures, study.figures, path.parent / study.figure_folder)
    return path


def _run_missing(
    storage: Storage, work: Work, code: str, n_jobs: int | None, tell: Progress
) -> tuple[int, int]:
    """Compute the points that the journal lacks, and write the tables."""
    done = storage.done()
    missing = [point for point in work.points if point.key not in done]
    total = sum(point.cost for point in missing) or 1.0
    behind = 0.0
    before = storage.read_about()
    before = before if before.get("code") == code else {}
    # One after the other, points have all cores.
    at_once = 1 if work.alone else n_jobs
    cores = os.cpu_count() if work.alone else n_jobs or os.cpu_count()
    about = {**work.about, "code": code, "versions": versions(), "cores": cores}
    if "runs" in about:
        about["runs"] = max(about["runs"], before.get("runs", 0))
    began = time.perf_counter()
    tell("computing", behind, total)
    try:
        for point, rows in run_points(work.compute, missing, at_once, storage.pictures):
            storage.add(point, rows)
            # Sums of floats may end a hair above the whole.
            behind = min(behind + point.cost, total)
            tell("computing", behind, total)
    finally:
        # Also when stopped: what was computed can be drawn, and the time is part of the run time.
        storage.write_tables()
        about["seconds"] = round(before.get("seconds", 0.0) + time.perf_counter() - began, 1)
        about["points"] = len(storage.done())
        about["finished"] = datetime.now(UTC).isoformat(timespec="seconds")
        write_json(storage.about_file, about)
    return len(missing), len(work.points) - len(missing)


def main(study: Study) -> None:
    """Fill a study's page from the command line: ``python -m ….document RESULTS PAGE``."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: python -m robustnmf_studies.{study.name}.document RESULTS PAGE")
    print(write_page(study, *sys.argv[1:]))
