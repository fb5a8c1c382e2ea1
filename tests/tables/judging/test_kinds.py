"""What is a measurement and what is not."""

import numpy as np
import pytest

from robustnmf._tables.judging.kinds import kind_of

RNG = np.random.default_rng(0)
N = 200


def with_errors(x):
    x = np.array(x, dtype=float)
    x[[3, 50]] = [9999, -5]
    return x


MEASURED = {
    "normal": RNG.normal(size=N),
    "small decimals": RNG.normal(0.05, 0.01, N).round(3),
    "very small": RNG.lognormal(size=N) * 1e-12,
    "prices": RNG.lognormal(3, 1, N).round(2),
    "counts": RNG.poisson(40, N),
    "ages": RNG.integers(18, 90, N),
    "degrees": RNG.normal(12, 8, N).round(0),
    "incomes": (RNG.lognormal(10, 0.5, N)).round(-2),
    "sorted": np.sort(RNG.normal(size=N)),
    "with gaps": np.where(RNG.random(N) < 0.5, np.nan, RNG.normal(size=N)),
    "a tenth zero": np.where(RNG.random(N) < 0.1, 0, RNG.lognormal(size=N)),
    "with errors": with_errors(RNG.normal(50, 5, N)),
}


@pytest.mark.parametrize("name", MEASURED)
def test_measurements(name):
    kind = kind_of(np.asarray(MEASURED[name], dtype=float), "income")
    assert kind.judged, kind


OTHERS = {
    "codes": [
        RNG.random(N) < 0.2,
        RNG.integers(1, 6, N),
        RNG.integers(0, 11, N),
        RNG.choice([3, 17, 404], N),
        RNG.choice([0.5, 1.0, 1.5, 2.0], N),
        RNG.choice([-1, 1], N),
        with_errors(RNG.integers(1, 6, N)),
        np.where(RNG.random(N) < 0.3, np.nan, RNG.integers(1, 6, N)),
    ],
    "counter": [
        np.arange(N),
        np.arange(N)[::-1],
        1000 + 5 * np.arange(N),
        np.where(np.arange(N) % 50 == 7, np.nan, np.arange(N)),
        with_errors(np.arange(N)),
    ],
    "dates": [
        20240000 + 100 * RNG.integers(1, 13, N) + RNG.integers(1, 29, N),
        with_errors(19900000 + 100 * RNG.integers(1, 13, N) + RNG.integers(1, 29, N)),
    ],
    "one value": [np.full(N, 7.0), np.where(np.arange(N) % 2, 7.0, np.nan)],
    "mostly one value": [
        np.where(RNG.random(N) < 0.6, 0, RNG.lognormal(size=N)),
        np.where(RNG.random(N) < 0.55, 5.5, RNG.normal(size=N)),
    ],
    "too few values": [np.arange(5.0) ** 2, np.append(RNG.normal(size=10), [np.nan] * 90)],
}


@pytest.mark.parametrize(
    ("name", "i"), [(name, i) for name, values in OTHERS.items() for i in range(len(values))]
)
def test_all_else(name, i):
    kind = kind_of(np.asarray(OTHERS[name][i], dtype=float), "x")
    assert kind.name == name
    assert not kind.judged


@pytest.mark.parametrize(
    "name",
    ["id", "customer_id", "ID", "Zip", "zip code", "PLZ", "order-no", "phone", "year", "key"],
)
def test_identifiers_are_told_by_their_name(name):
    values = RNG.integers(10_000, 99_999, N).astype(float)
    assert kind_of(values, name).name == "identifiers"
    assert kind_of(values, "amount").judged
    # What has decimals is no identifier, whatever it is called.
    assert kind_of(values + 0.25, name).judged


@pytest.mark.parametrize("name", ["width", "idle", "note", "period", "yearly", "nozzle", ""])
def test_names_that_only_contain_such_words(name):
    assert kind_of(RNG.integers(10_000, 99_999, N).astype(float), name).judged


def test_columns_without_a_value():
    assert kind_of(np.full(50, np.nan)).name == "too few values"
    assert kind_of(np.empty(0)).name == "too few values"
