"""The targets, each decided from the numbers: those about tables, then those about matrices."""

from __future__ import annotations

from robustnmf_studies.common.frames import Numbers
from robustnmf_studies.common.targets import Judged
from robustnmf_studies.trust.matrix_judge import judge_matrices
from robustnmf_studies.trust.table_judge import judge_tables


def judge(numbers: Numbers) -> list[Judged]:
    """Decide all targets."""
    return [*judge_tables(numbers), *judge_matrices(numbers)]
