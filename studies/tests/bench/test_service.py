"""The benchmark of single samples and of batches."""

from robustnmf_studies.bench import service


def test_one_sample_and_batches(tiny, run_all):
    one, many = run_all("one-sample", tiny), run_all("batches", tiny)
    for row in (*one.values(), *many.values()):
        assert set(row.details["seconds"]) == {*service.QUESTIONS, "theirs"}
        assert len(row.values) == tiny.repeat
    # The slowest question decides: seconds at least as many as for each, rows at most.
    seconds = one["number"].details["seconds"]
    assert one["number"].median >= max(seconds[name] for name in service.QUESTIONS) * (1 - 1e-9)
    assert many["number"].unit == "rows/s"
