import pytest
from jinja2 import TemplateNotFound

from robustnmf_studies.common import study as module
from robustnmf_studies.common.storage import Storage
from robustnmf_studies.common.study import Options, Study, Work, run_study


def test_a_study_without_a_report_fails_before_it_computes(tmp_path):
    def prepare(target, options):
        pytest.fail("has begun")

    study = Study("nowhere", "title", "lead", prepare, None, None, None)
    with pytest.raises(TemplateNotFound, match=r"nowhere/report\.html"):
        run_study(study, "nowhere", tmp_path, Options())


@pytest.mark.parametrize(("alone", "at_once"), [(True, 1), (False, 3)])
def test_points_that_need_the_machine_wait_for_one_another(tmp_path, monkeypatch, alone, at_once):
    asked = []

    def run_points(compute, points, n_jobs, *more):
        asked.append(n_jobs)
        return iter(())

    monkeypatch.setattr(module, "run_points", run_points)
    storage = Storage(tmp_path)
    storage.open({}, "code")
    work = Work([], None, {}, {}, alone=alone)
    module._run_missing(storage, work, "code", 3, lambda *_: None)
    assert asked == [at_once]
