import json

import numpy as np
import pandas as pd
import pytest

from robustnmf_studies.common.frames import rows_of
from robustnmf_studies.common.study import Options, run_study, write_page
from robustnmf_studies.common.targets import MET, MISSED, UNKNOWN, as_records
from robustnmf_studies.images import settings
from robustnmf_studies.images import study as module
from robustnmf_studies.images.compute import compute
from robustnmf_studies.images.data import damage, load_part
from robustnmf_studies.images.judge import judge
from robustnmf_studies.images.methods import METHOD_NAMES, METHODS, OURS, RIVALS
from robustnmf_studies.images.numbers import number_tables
from robustnmf_studies.images.settings import HARD, NATURAL, Case, cases_of


@pytest.mark.parametrize("name", [*NATURAL, *HARD])
def test_pictures_come_with_scikit_image(name, monkeypatch):
    # Any attempt to reach the network is an error.
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("wants the network"))
    part = load_part(name, 64)
    assert (part.shape, part.dtype) == ((64, 64), np.uint8)


def test_damages_are_what_they_are_called():
    clean = load_part("camera", 64)
    changed = {
        kind: damage(clean, Case("camera", kind, amount, 64), 0) != clean
        for kind, amount in [
            (settings.SALT_PEPPER, 0.1),
            (settings.RANDOM, 0.1),
            (settings.LINES, 0.0),
            (settings.OCCLUSION, 0.0),
            (settings.CLEAN, 0.0),
        ]
    }
    assert 0.07 < changed[settings.SALT_PEPPER].mean() < 0.101
    assert 0.07 < changed[settings.RANDOM].mean() < 0.101
    lines = changed[settings.LINES]
    assert (lines.mean(axis=0) > 0.9).sum() == (lines.mean(axis=1) > 0.9).sum() == 3
    rows, columns = np.nonzero(changed[settings.OCCLUSION])
    assert np.ptp(rows) <= 10 >= np.ptp(columns)
    assert not changed[settings.CLEAN].any()


def test_the_same_seed_gives_the_same_noise():
    clean = load_part("camera", 64)
    case = Case("camera", settings.RANDOM, 0.1, 64)
    np.testing.assert_array_equal(damage(clean, case, 0), damage(clean, case, 0))
    assert (damage(clean, case, 0) != damage(clean, case, 1)).any()


def test_the_plan_has_every_level_of_both_noises_for_every_photograph():
    cases = cases_of(quick=False)
    assert len({case.key for case in cases}) == len(cases)
    for name in NATURAL:
        for kind in settings.IMPULSES:
            found = {case.amount for case in cases if (case.picture, case.damage) == (name, kind)}
            assert found == set(settings.LEVELS)
    assert len(NATURAL) >= 8


def test_every_method_has_a_name_and_restores(tmp_path):
    assert set(METHOD_NAMES) == set(METHODS)
    case = Case("astronaut", settings.SALT_PEPPER, 0.1, 48)
    rows = compute(case, tmp_path, 0)["images"]
    assert {row["method"] for row in rows} == set(METHODS)
    quality = {row["method"]: row["psnr"] for row in rows}
    assert quality[OURS] > max(quality[name] for name in RIVALS)
    assert quality["biharmonic"] > max(quality[name] for name in RIVALS)
    # All rivals do more good than harm, but for those that blur a picture this small.
    assert quality["adaptive"] > quality["nothing"] + 5
    with np.load(tmp_path / "astronaut-salt_pepper-10.npz") as shown:
        assert {"clean", "dirty", OURS} <= set(shown)


def _row(method, psnr=30.0, f1=0.9, changed=0.1, kind=settings.RANDOM, level=0.1):
    return {
        "picture": "camera",
        "group": "natural",
        "damage": kind,
        "amount": level,
        "method": method,
        "psnr": psnr,
        "ssim": 0.9,
        "f1": f1,
        "changed": changed,
        "seconds": 1.0,
    }


def _verdict(rows, words):
    (found,) = (found for found in judge({"images": pd.DataFrame(rows)}) if words in found.target)
    return found.verdict


@pytest.mark.parametrize(("psnr", "verdict"), [(34.1, MET), (33.9, MISSED)])
def test_the_best_rival_decides(psnr, verdict):
    rows = [_row(OURS, psnr), _row("tv", 34.0), _row("median3", 31.0), _row("biharmonic", 50.0)]
    assert _verdict(rows, "impulses, 10 %: mean PSNR above") == verdict
    assert _verdict(rows, "salt & pepper, 10 %: mean PSNR above") == UNKNOWN


@pytest.mark.parametrize(("psnr", "verdict"), [(34.0, MET), (33.9, MISSED)])
def test_three_decibels_above_the_better_median(psnr, verdict):
    rows = [_row(OURS, psnr), _row("median3", 29.0), _row("median5", 31.0)]
    assert _verdict(rows, "impulses, 10 %: ≥ 3 dB") == verdict


@pytest.mark.parametrize(("f1", "verdict"), [(0.9, MET), (0.89, MISSED)])
def test_detection(f1, verdict):
    assert _verdict([_row(OURS, f1=f1)], "impulses, 10 %: F1") == verdict


@pytest.mark.parametrize(("changed", "verdict"), [(0.003, MET), (0.0031, MISSED)])
def test_the_worst_clean_picture_decides(changed, verdict):
    rows = [_row(OURS, changed=value, kind="clean", level=0.0) for value in (0.0, changed)]
    assert _verdict(rows, "clean pictures") == verdict


def test_the_best_figure_is_bold_but_not_the_oracle():
    rows = [_row(OURS, 35.0), _row("tv", 30.0), _row("biharmonic", 50.0)]
    table = number_tables({"images": pd.DataFrame(rows)})["psnr-random"]
    cells = dict(rows_of(table))
    assert cells["denoise_image"] == "**35.0**"
    assert cells["biharmonic, told the mask"] == "50.0"


def test_from_cases_to_report_and_page(tmp_path, monkeypatch):
    def few(*, quick):
        damages = [(settings.SALT_PEPPER, 0.2), (settings.CLEAN, 0.0)]
        return [Case("coffee", *which, 32) for which in damages]

    monkeypatch.setattr(module, "cases_of", few)
    out = tmp_path / "out"
    outcome = run_study(module.STUDY, "images", out, Options(jobs=1))
    assert (outcome.computed, outcome.reused) == (2, 0)
    again = run_study(module.STUDY, "images", out, Options(jobs=1))
    assert (again.computed, again.reused) == (0, 2)
    assert outcome.report.read_text(encoding="utf-8").count("<img") >= 5
    assert json.loads((out / "numbers" / "claims.json").read_text()) == as_records(outcome.judged)
    page = tmp_path / "images.md"
    names = ("facts", "tally", "targets", *number_tables({}))
    markers = [f"<!-- {name} -->\nstale words\n<!-- /{name} -->\n" for name in names]
    page.write_text("".join(markers), encoding="utf-8")
    write_page(module.STUDY, out, page)
    text = page.read_text(encoding="utf-8")
    assert "stale words" not in text
    assert "salt & pepper, 20 %" in text
    assert (tmp_path / "images" / "denoise" / "coffee.png").exists()
