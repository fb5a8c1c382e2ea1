"""The examples of docs/saving.md run as they stand there, and say what they say."""

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).parents[2] / "docs" / "saving.md"


def test_the_examples_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    first, second = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(first, {})
    assert capsys.readouterr().out == "True\n"
    pytest.importorskip("safetensors")
    exec(second, {})
    (said,) = re.findall(r"print\(.*\)  # (.*)$", second, re.MULTILINE)
    assert capsys.readouterr().out == said + "\n"
