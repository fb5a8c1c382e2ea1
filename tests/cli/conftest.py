from pathlib import Path

import pytest

from spoiled_csv import lines


@pytest.fixture
def spoiled_folder(monkeypatch, tmp_path):
    """We are in a folder with nothing but a table, t.csv, of which three cells are wrong."""
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(lines())
    return tmp_path
