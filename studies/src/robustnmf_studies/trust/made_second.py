"""The made-up tables of the second edition, each built otherwise than those of the first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from robustnmf_studies.trust.made import made_reader
from robustnmf_studies.trust.sources import Reader


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


MADE_SECOND: dict[str, Reader] = {
    name: made_reader(200 + number, make)
    for number, (name, make) in enumerate(
        {
            "made-kinds": _kinds,
            "made-uneven": _uneven,
            "made-seasons": _seasons,
            "made-shares": _shares,
        }.items()
    )
}
