import pytest
from jinja2 import TemplateNotFound

from robustnmf_studies.common.study import Options, Study, run_study


def test_a_study_without_a_report_fails_before_it_computes(tmp_path):
    def prepare(target, options):
        pytest.fail("has begun")

    study = Study("nowhere", "title", "lead", prepare, None, None, None)
    with pytest.raises(TemplateNotFound, match=r"nowhere/report\.html"):
        run_study(study, "nowhere", tmp_path, Options())
