"""The benchmark of files that are read in parts, on a small one."""

import pytest

from robustnmf_studies.bench.streams import measure


@pytest.mark.parametrize("case", ["uint8", "float32"])
def test_a_file_of_each_type_has_its_rows(case, tiny, tell):
    rows = {row.key: row for row in measure(tiny, case, tell)}
    assert set(rows) == {f"streams.{case}", f"streams.{case}-time"}
    assert rows[f"streams.{case}"].verdict == "met*"
    assert rows[f"streams.{case}-time"].median > 0
    # The file was read, and as often as there are iterations and a few looks more.
    assert "reading the file once took" in rows[f"streams.{case}-time"].note
