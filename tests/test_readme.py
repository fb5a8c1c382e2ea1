"""The README's example runs and prints what the README says."""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from robustnmf.cli.app import app
from robustnmf.cli.plugins import KNOWN

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


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/architecture.md",
        "docs/saving.md",
        "docs/tables.md",
        "examples/README.md",
    ],
)
def test_links_and_pictures_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not target.startswith("http"):
            assert ((ROOT / page).parent / target).is_file(), target


def blocks(page, language):
    """The blocks of code of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for name, block in found if name == language]


def commands(page):
    """The lines of shell blocks that call Python or the program."""
    shell = blocks(page, "")
    lines = [line.partition(" #")[0].strip() for block in shell for line in block.splitlines()]
    return [line for line in lines if line.startswith(("robustnmf ", "python examples/"))]


@pytest.mark.slow
@pytest.mark.parametrize("page", ["README.md", "docs/tables.md"])
def test_the_commands_of_the_pages_run(page, tmp_path):
    """In an empty folder, in their order, as a newcomer would type them."""
    found = commands(page)
    assert len(found) >= 3
    if page != "README.md":
        found.insert(0, "python examples/spreadsheet.py")
    programs = Path(sys.executable).parent
    for line in found:
        line = line.replace("python examples/", f"python {ROOT}/examples/")
        # What one line leaves is in the way of the next; a user would say --force.
        if line.startswith("robustnmf clean") and "<" not in line:
            line += " --force"
        run = subprocess.run(
            line,
            shell=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        )
        assert run.returncode == 0, (line, run.stderr)
        if page == "README.md" and line.startswith("robustnmf clean"):
            # What the page shows is what it prints.
            shown = re.search(r"^[\d,]+ of [\d,]+ cells replaced.*$", run.stdout, re.MULTILINE)
            assert shown
            assert shown[0].strip() in (ROOT / page).read_text(encoding="utf-8")


def test_every_command_is_told_of():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    told = set(re.findall(r"^\| `robustnmf (\w+)`", text, re.MULTILINE))
    # Those of the studies are told of, whether these are installed or not.
    assert told == {*app.commands, *KNOWN}


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(tmp_path):
    """Built, installed with nothing but its own dependencies, and used from another folder."""
    dist, venv = tmp_path / "dist", tmp_path / "venv"
    # The wheel is built from the source distribution, so that must hold all it takes.
    subprocess.run([sys.executable, "-m", "build", "--outdir", dist, ROOT], check=True)
    (wheel,), (source,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    tests = [path for folder in ("tests", "examples") for path in (ROOT / folder).rglob("*.py")]
    assert {path.relative_to(ROOT).as_posix() for path in tests} <= held
    assert {"conftest.py", "README.md", "docs/bad-input.md"} <= held
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if re.search(r"stud(y|ies)|bench|experiment", name)]
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
