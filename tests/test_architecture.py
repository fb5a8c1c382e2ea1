"""The page about the code names files that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`((?:_\w+|tests|studies|common)/[\w/]*(?:\.\w+)?)`", PAGE)))


def test_files_are_found_in_the_page():
    assert {"_core/penalties.py", "_tables/registry.py", "tests/reference.py"} <= set(NAMED)


@pytest.mark.parametrize("name", NAMED)
def test_what_the_page_names_exists(name):
    if name.startswith("_"):
        path = ROOT / "src" / "robustnmf" / name
    else:
        studies = ROOT / "studies" / "src" / "robustnmf_studies"
        path = studies / name if name.startswith("common") else ROOT / name
        if not (ROOT / "studies").is_dir() and studies.parents[1] in path.parents:
            pytest.skip("the source distribution of the library holds no studies")
    assert path.exists()
