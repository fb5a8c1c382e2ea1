import sys

import pytest

from robustnmf._common.optional import import_extra


def test_installed_packages_are_imported():
    assert import_extra("json.decoder", "all", "this needs") is sys.modules["json.decoder"]


def test_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "json", None)
    monkeypatch.delitem(sys.modules, "json.decoder")
    with pytest.raises(ImportError) as caught:
        import_extra("json.decoder", "plot", "pictures need")
    assert str(caught.value) == ("pictures need the 'plot' extra: pip install 'robustnmf[plot]'")


def test_a_broken_package_speaks_for_itself(monkeypatch, tmp_path):
    (tmp_path / "half_installed.py").write_text("import a_dependency_of_its_own")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_dependency_of_its_own"):
        import_extra("half_installed", "plot", "pictures need")
