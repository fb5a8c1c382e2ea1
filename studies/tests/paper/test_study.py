import functools
import json
import shutil
from dataclasses import replace

import pytest

from robustnmf_studies.common.study import Options, run_study
from robustnmf_studies.paper import study as module
from robustnmf_studies.paper.judge import CLAIMS
from robustnmf_studies.paper.settings import Plan, Settings

PLAN = Plan(runs=1, images=("camera", "moon", "coins"))
SETTINGS = Settings(iterations=3, max_iter=3, picture=32)


def fig4(out, plan=PLAN, settings=SETTINGS, progress=lambda *told: None, **options):
    few = functools.partial(module.prepare, plan=plan, settings=settings)
    asked = Options(data="builtin", jobs=1, **options)
    return run_study(replace(module.STUDY, prepare=few), "fig4", out, asked, progress)


@pytest.fixture
def calls(monkeypatch):
    """Count the points that are computed."""
    made = []
    compute = module.compute

    def counted(point, *rest, **kwargs):
        made.append(point)
        return compute(point, *rest, **kwargs)

    monkeypatch.setattr(module, "compute", counted)
    return made


def test_finished_points_are_not_run_again(tmp_path, calls):
    first = fig4(tmp_path / "out")
    assert (first.computed, first.reused, len(calls)) == (3, 0, 3)
    again = fig4(tmp_path / "out")
    assert (again.computed, again.reused, len(calls)) == (0, 3, 3)
    more = fig4(tmp_path / "out", plan=Plan(runs=2, images=("camera", "moon", "coins")))
    assert (more.computed, more.reused) == (3, 3)
    assert [point.run for point in calls[3:]] == [1, 1, 1]


def test_run_that_is_stopped_goes_on_where_it_ended(tmp_path, monkeypatch):
    compute = module.compute
    made = []

    def stopped(point, *rest, **kwargs):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(point)
        return compute(point, *rest, **kwargs)

    monkeypatch.setattr(module, "compute", stopped)
    with pytest.raises(KeyboardInterrupt):
        fig4(tmp_path / "out")
    monkeypatch.setattr(module, "compute", compute)
    result = fig4(tmp_path / "out")
    assert (result.computed, result.reused) == (1, 2)


def test_other_settings_are_not_mixed_in(tmp_path):
    fig4(tmp_path / "out")
    with pytest.raises(ValueError, match="another iterations"):
        fig4(tmp_path / "out", settings=Settings(iterations=4, max_iter=3, picture=32))


def test_plots_only_computes_nothing_and_draws_again(tmp_path, calls):
    first = fig4(tmp_path / "out")
    shutil.rmtree(tmp_path / "out" / "figures")
    first.report.unlink()
    again = fig4(tmp_path / "out", plots_only=True)
    assert len(calls) == 3
    assert again.computed == 0
    assert again.report.exists()
    assert (tmp_path / "out" / "figures" / "fig4.png").exists()


def test_plots_only_without_numbers_says_so(tmp_path):
    with pytest.raises(FileNotFoundError, match="no numbers"):
        fig4(tmp_path / "out", plots_only=True)


def test_unknown_target_is_named(tmp_path):
    with pytest.raises(ValueError, match="fig9"):
        run_study(module.STUDY, "fig9", tmp_path / "out", Options(data="builtin"))


def test_everything_is_written_down(tiny):
    folder = tiny.folder
    assert tiny.report == folder / "report.html"
    names = {"fig2", "fig3", "fig4", "checks"}
    figures = {file.name for file in (folder / "figures").iterdir()}
    drawn = {f"{name}{suffix}" for name in names for suffix in (".png", ".svg")}
    assert figures == {*drawn, "fig4-page.png"}
    tables = {file.stem for file in (folder / "numbers").glob("*.csv")}
    assert {"faces", "curves", "traces", "falls", "portion", "shrinkage", "pictures"} <= tables
    about = json.loads((folder / "numbers" / "run.json").read_text())
    assert {"data", "settings", "versions", "seconds", "runs", "fingerprint"} <= set(about)
    assert "not the ORL faces" in about["data"]
    assert about["settings"]["seed"] == 0
    claims = json.loads((folder / "numbers" / "claims.json").read_text())
    assert [claim["name"] for claim in claims] == [claim.name for claim in CLAIMS]
    assert (folder / "claims.md").read_text().count("**") > 2 * len(CLAIMS)


def test_every_claim_gets_a_verdict_from_a_whole_run(tiny):
    missing = [
        claim.name
        for claim, findings in tiny.judged
        for finding in findings.values()
        if finding.verdict == "not measured"
    ]
    # Two numbers of faces are too few to see a curve level off.
    assert set(missing) <= {"levels-off"}


def test_progress_goes_up_to_the_whole(tmp_path):
    heard = []
    fig4(tmp_path / "out", progress=lambda *told: heard.append(told))
    shares = [done / total for what, done, total in heard if what == "computing"]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    assert [what for what, *_ in heard][-1] == "drawing"
