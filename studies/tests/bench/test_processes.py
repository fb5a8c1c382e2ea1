"""Benchmarks in processes of their own."""

import pytest

from robustnmf_studies.common.processes import in_new_process


@pytest.mark.slow
def test_memory(tiny, run_all):
    rows = run_all("memory", tiny)
    assert set(rows) == {f"{d}{p}" for d in ("float64", "uint8") for p in ("", "-loop")}
    for row in rows.values():
        assert row.details["fit"] >= row.details["loop"] >= 0


@pytest.mark.slow
def test_import(tiny, run_all):
    rows = run_all("import", tiny)
    assert rows["lazy"].median < rows["package"].median < 60


@pytest.mark.slow
def test_compile_is_faster_with_a_warm_cache(tiny, run_all):
    rows = run_all("compile", tiny)
    assert set(rows) == {"empty", "warm", "auto-empty", "auto-warm"}
    for case in ("", "auto-"):
        empty, warm = rows[f"{case}empty"], rows[f"{case}warm"]
        assert warm.median < empty.median < empty.details["process"]
        assert warm.details["second"] < warm.median


def test_failure_in_a_child_is_told():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        in_new_process("1 / 0")
