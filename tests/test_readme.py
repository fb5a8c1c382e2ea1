"""The README's example runs and prints what the README says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def example():
    """The first Python block that is followed by its output."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code, output = re.search(r"```python\n(.*?)```\n\n```\n(.*?)```", text, re.DOTALL).groups()
    return code, output


def test_the_example_prints_what_the_readme_says():
    code, output = example()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == output


def test_links_and_pictures_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (ROOT / target).is_file(), target


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(tmp_path):
    """Built, installed with nothing but its own dependencies, and used from another folder."""
    wheels, venv = tmp_path / "wheels", tmp_path / "venv"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "--wheel-dir", wheels, ROOT], check=True)
    (wheel,) = wheels.iterdir()
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    python = venv / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    code, output = example()
    run = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert run.stdout == output
    # The command line says which extra it needs.
    run = subprocess.run([venv / "bin" / "robustnmf"], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 1
    assert "pip install 'robustnmf[cli]'" in run.stderr
    assert any((venv / "lib").rglob("robustnmf/py.typed"))
