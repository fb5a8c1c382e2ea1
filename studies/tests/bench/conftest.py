import pytest

from robustnmf_studies.bench import machine
from robustnmf_studies.bench.plan import Plan, Size
from robustnmf_studies.bench.registry import BENCHMARKS

TINY = Plan(
    repeat=2,
    small=Size(30, 24, 3),
    large=Size(60, 40, 3),
    converge=Size(50, 30, 3),
    fits={case: Size(30, 20, 3) for case in ("tiny", "small", "faces", "tall", "large")},
    fit_starts=2,
    samples=3,
    batch=50,
    rule_small=20,
    rule_large=20,
    rule_slice=2,
    steps=1,
    stack=(8, 32, 32),
    stored_stack=(8, 32, 32),
    stream_bytes=200_000,
    stream_features=(100, 3),
    many_rows=Size(400, 30, 3),
    single_rows=20,
    growth=Size(20, 16, 2),
    growth_fixed=Size(30, 20, 3),
    doublings=1,
    others=Size(30, 24, 3),
    photograph=(40, 48),
    growing_picture=(32, 32),
    picture_doublings=1,
    auto_faces=(25,),
    starts=1,
    table=(60, 6),
    small_table=(40, 5),
    table_growth=40,
    table_doublings=1,
    tuning_iterations=15,
    tuning_seeds=1,
)


@pytest.fixture
def tiny():
    return TINY


@pytest.fixture
def small_machine(monkeypatch):
    """Spare the tests the measurement of the machine at full size."""
    measured = machine.describe(side=50, entries=10_000)
    monkeypatch.setattr(machine, "describe", lambda: measured)
    return measured


@pytest.fixture
def tell():
    """Hear of progress, and hold that it is a share that never falls."""
    heard = []

    def hear(done):
        assert 0 <= done <= 1
        assert not heard or done >= heard[-1] - 1e-12
        heard.append(done)

    return hear


@pytest.fixture
def run_all():
    return _run_all


def _run_all(name, plan):
    """Run all cases of a benchmark and return the rows by what follows the name in their keys."""
    benchmark = BENCHMARKS[name]
    rows = []
    for case in benchmark.cases:
        heard = []
        rows += benchmark.load()(plan, case.name, heard.append) if case.weight else []
        assert heard == sorted(heard)
        assert all(0 <= done <= 1 for done in heard)
    keys = [row.key.removeprefix(f"{name}.") for row in rows]
    assert len(set(keys)) == len(keys)
    # A target that no row has would never be judged.
    assert {case.name for case in benchmark.cases if case.target} <= set(keys)
    return dict(zip(keys, rows, strict=True))
