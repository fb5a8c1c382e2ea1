"""Tables that are made up: those to plant errors in, and those that nothing can be learned from."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.sources import Read, Reader


def _parts(rng: np.random.Generator) -> NDArray[Any]:
    """A few parts, of which every row holds some: what the model believes in."""
    W, H = rng.gamma(1.0, size=(200, 3)), rng.gamma(1.0, size=(3, 10))
    return np.round(20 * W @ H * rng.lognormal(0, 0.05, (200, 10)), 2)


def _sales(rng: np.random.Generator) -> NDArray[Any]:
    """Shops with a size and two kinds of customers; weeks with a season; whole numbers."""
    size = rng.lognormal(5, 0.6, (120, 1))
    mix = rng.beta(2, 2, (120, 1))
    weeks = np.arange(12)
    summer, winter = 1 + 0.5 * np.sin(weeks / 2), 1 + 0.5 * np.cos(weeks / 3)
    return rng.poisson(size * (mix * summer + (1 - mix) * winter)).astype(float)


def _correlated(rng: np.random.Generator) -> NDArray[Any]:
    """Measurements that go together, around zero: temperatures, say."""
    factors = rng.normal(size=(250, 2)) @ rng.normal(size=(2, 8))
    return np.round(10 * (factors + 0.4 * rng.normal(size=(250, 8))), 1)


def _ratios(rng: np.random.Generator) -> NDArray[Any]:
    """Columns that are products of others, over several orders of magnitude."""
    a, b, c = (rng.lognormal(mean, 0.8, 180) for mean in (3, 1, 6))
    exact = np.stack([a, b, c, a * b, c / a, b * c / 50, a * a], axis=1)
    return np.round(exact * rng.lognormal(0, 0.04, exact.shape), 2)


def _sensors(rng: np.random.Generator) -> NDArray[Any]:
    """Nine sensors of one slow process, each with a gain and an offset of its own."""
    time = np.arange(300)[:, None]
    level = 50 + 10 * np.sin(time / 20) + np.cumsum(rng.normal(0, 0.3, (300, 1)), axis=0)
    gains, offsets = rng.uniform(0.5, 2, 9), rng.uniform(0, 30, 9)
    return np.round(gains * level + offsets + rng.normal(0, 0.6, (300, 9)), 1)


def _mixed(rng: np.random.Generator) -> NDArray[Any]:
    """Related measurements beside a flag, a code and a scale from 1 to 5."""
    height = rng.normal(171, 9, 220)
    weight = 24 * (height / 100) ** 2 * rng.lognormal(0, 0.1, 220)
    waist = 0.9 * weight + 15 + rng.normal(0, 3, 220)
    pressure = 80 + 0.6 * waist + rng.normal(0, 5, 220)
    flag = (rng.random(220) < 0.1).astype(float)
    code = rng.choice([11, 12, 21, 31], 220).astype(float)
    scale = np.clip(np.rint(3 + rng.normal(0, 1, 220)), 1, 5)
    found = np.stack([height, weight, waist, pressure, flag, code, scale], axis=1)
    return np.round(found.astype(np.float64), 1)


def _kinds(rng: np.random.Generator) -> NDArray[Any]:
    """Parts from four machines: what goes together, and how, is another matter in each."""
    machine = rng.choice(4, 240, p=[0.4, 0.3, 0.2, 0.1])
    centres = rng.uniform(20, 200, (4, 7))
    relations = rng.normal(0, 0.12, (4, 2, 7))
    wear = rng.normal(size=(240, 1, 2))
    exact = centres[machine] * (1 + (wear @ relations[machine])[:, 0])
    return np.round(exact * (1 + 0.01 * rng.normal(size=exact.shape)), 1)


def _uneven(rng: np.random.Generator) -> NDArray[Any]:
    """Farms of all sizes, whose yields by the acre are the less certain the smaller the farm."""
    acres = rng.lognormal(4, 1.1, 200)
    rates = rng.lognormal(np.log([2.5, 40, 0.8, 6, 15]), 0.1, (200, 5))
    doubt = rng.normal(size=(200, 5)) / np.sqrt(acres)[:, None]
    amounts = acres[:, None] * rates * np.exp(doubt)
    return np.round(np.column_stack([acres, amounts]), 1)


def _seasons(rng: np.random.Generator) -> NDArray[Any]:
    """Eight stations in the course of a year: each its own summer, and weather that moves on."""
    day = np.arange(365)
    season = -np.cos(2 * np.pi * (day[:, None] - rng.uniform(10, 40, 8)) / 365)
    front = np.zeros(365 + 8)
    for today in range(1, len(front)):
        front[today] = 0.8 * front[today - 1] + rng.normal(0, 1.5)
    # The weather of a station is that of its western neighbour a day before.
    passing = np.column_stack([front[8 - station : 8 - station + 365] for station in range(8)])
    level, swing = rng.uniform(5, 14, 8), rng.uniform(6, 12, 8)
    return np.round(level + swing * season + passing + rng.normal(0, 0.7, (365, 8)), 1)


def _shares(rng: np.random.Generator) -> NDArray[Any]:
    """Rocks that mix three minerals: shares of six oxides in percent, a hundred in all."""
    minerals = rng.dirichlet(np.full(6, 0.7), 3)
    mix = rng.dirichlet([2.0, 1.5, 1.0], 160)
    measured = mix @ minerals * rng.lognormal(0, 0.05, (160, 6))
    return np.round(100 * measured / measured.sum(axis=1, keepdims=True), 2)


def _uniform_pairs(rng: np.random.Generator) -> NDArray[Any]:
    x = rng.uniform(10, 90, 60)
    return np.round(np.stack([x, 2 * x + rng.normal(0, 1, 60)], axis=1), 1)


def _identifiers(rng: np.random.Generator) -> NDArray[Any]:
    numbers = [rng.permutation(200) + 10_000 for _ in range(4)]
    return np.stack(numbers, axis=1).astype(np.float64)


def _nearly_constant(rng: np.random.Generator) -> NDArray[Any]:
    table = np.full((40, 6), 5.0)
    table[rng.integers(40), rng.integers(6)] = 6.0
    return table


_Maker = Callable[[np.random.Generator], NDArray[Any]]


def _read(seed: int, make: _Maker) -> Read:
    values = make(np.random.default_rng([10, seed]))
    return Read([f"column {j + 1}" for j in range(values.shape[1])], values)


def _readers(first: int, makers: dict[str, _Maker]) -> dict[str, Reader]:
    """Return a reader of each table; their seeds are numbered from `first`."""
    return {
        name: functools.partial(_read, seed, make)
        for seed, (name, make) in enumerate(makers.items(), first)
    }


MADE = _readers(
    0,
    {
        "made-parts": _parts,
        "made-sales": _sales,
        "made-correlated": _correlated,
        "made-ratios": _ratios,
        "made-sensors": _sensors,
        "made-mixed": _mixed,
    },
)
# Those of the second edition, each built otherwise than those of the first.
MADE_SECOND = _readers(
    200,
    {
        "made-kinds": _kinds,
        "made-uneven": _uneven,
        "made-seasons": _seasons,
        "made-shares": _shares,
    },
)
# Nothing in these tables is wrong, and nothing can be learned that would say so.
BARREN = _readers(
    100,
    {
        "exponential": lambda rng: np.round(rng.exponential(10, (200, 6)), 2),
        "lognormal": lambda rng: np.round(rng.lognormal(3, 1, (200, 6)), 2),
        "pareto": lambda rng: np.round(1 + rng.pareto(1.5, (200, 6)), 3),
        "normal": lambda rng: np.round(rng.normal(0, 3, (200, 6)), 2),
        "uniform": lambda rng: np.round(rng.uniform(0, 100, (200, 6)), 1),
        "counts": lambda rng: rng.poisson(2, (200, 6)).astype(float),
        "likert": lambda rng: rng.integers(1, 6, (200, 8)).astype(float),
        "flags": lambda rng: (rng.random((300, 8)) < 0.2).astype(float),
        "codes": lambda rng: rng.choice([101, 102, 205, 310, 999], (200, 5)).astype(float),
        "identifiers": _identifiers,
        "constant": lambda rng: np.full((30, 5), 7.0),
        "nearly constant": _nearly_constant,
        "three rows": lambda rng: np.round(rng.uniform(1, 9, (3, 5)), 1),
        "two by two": lambda rng: np.array([[1.0, 2.0], [3.0, 4.0]]),
        "two columns": _uniform_pairs,
    },
)
