import sys

import pytest

from robustnmf._core.penalties import PENALTIES
from robustnmf._tables.registry import FORMATS
from robustnmf_studies.commands.reproduce import STUDIES
from robustnmf_studies.common import code


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of four modules, of which one computes."""
    folder = tmp_path / "robustnmf_toy"
    folder.mkdir()
    sources = {
        "__init__": "",
        "compute": "from robustnmf_toy import helper\ncompute = lambda: helper.two()\n",
        "helper": "def two():\n    from robustnmf_toy.deep import TWO\n    return TWO\n",
        "deep": "TWO = 2\n",
        "draw": "COLOUR = 'red'\n",
    }
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(code, "_OURS", ("robustnmf_toy",))
    yield folder
    sys.modules.pop("robustnmf_toy", None)


def version():
    code.code_version.cache_clear()
    return code.code_version("robustnmf_toy.compute")


def test_what_computes_is_reached_through_functions_too(package):
    assert set(code.reached("robustnmf_toy.compute")) == {
        "robustnmf_toy",
        "robustnmf_toy.compute",
        "robustnmf_toy.helper",
        "robustnmf_toy.deep",
    }


def test_what_a_table_of_names_points_to_is_reached(package):
    (package / "helper.py").write_text("KINDS = {'deep': 'robustnmf_toy.deep:TWO', 'no': 'a: b'}\n")
    assert "robustnmf_toy.deep" in code.reached("robustnmf_toy.compute")


def test_formats_and_penalties_are_reached():
    found = code.reached("robustnmf._tables.formats", "robustnmf._core.penalties")
    for name in (*FORMATS.values(), *PENALTIES.values()):
        assert name.partition(":")[0] in found


@pytest.mark.parametrize("name", ["compute", "helper", "deep", "__init__"])
def test_a_change_of_what_computes_is_another_version(package, name):
    before = version()
    file = package / f"{name}.py"
    file.write_text(file.read_text() + "\nMORE = 1\n")
    assert version() != before


def test_words_and_layout_are_no_other_version(package):
    before = version()
    file = package / "deep.py"
    file.write_text('"""What two is."""\n\n# It is even.\nTWO  =  2\n')
    assert version() == before


def test_a_change_of_what_draws_is_no_other_version(package):
    before = version()
    (package / "draw.py").write_text("COLOUR = 'blue'\n")
    assert version() == before


@pytest.mark.parametrize("study", sorted({listed.package for listed in STUDIES.values()}))
def test_studies_compute_without_what_draws_and_reports(study):
    reached = code.reached(f"robustnmf_studies.{study}.compute")
    assert {"robustnmf", f"robustnmf_studies.{study}.compute"} <= set(reached)
    assert any(name.startswith("robustnmf._solvers") for name in reached)
    for step in ("document", "draw", "figures", "judge", "targets", "study"):
        assert f"robustnmf_studies.{study}.{step}" not in reached
    for step in ("drawing", "page", "study", "verdicts"):
        assert f"robustnmf_studies.common.{step}" not in reached
