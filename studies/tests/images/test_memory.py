import subprocess
import sys

import pytest


def _peak_gb(side):
    command = [sys.executable, "-m", "robustnmf_studies.images.memory", str(side)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return float(dict(line.split(": ") for line in text.splitlines())["peak_gb"])


@pytest.mark.slow
def test_memory_hardly_grows_with_the_picture():
    # As floats, the larger picture alone would take 0.1 GB more, and the work on it ten times that.
    assert _peak_gb(2000) < _peak_gb(1000) + 0.25
