"""Tables that tests judge: with and without structure, with and without errors."""

import warnings

import numpy as np

from robustnmf import TrustWarning
from robustnmf._tables.arrays import ArrayTable
from robustnmf._tables.table import Column
from robustnmf.tables import clean_table


def judged(X, names=None, decimals=None, **settings):
    """Clean an array; its owner has to be warned if, and only if, the verdict is no good one."""
    table = ArrayTable(np.asarray(X))
    if names is not None or decimals is not None:
        names = names or [column.name for column in table.columns]
        decimals = decimals or [None] * len(names)
        table.columns = [Column(*both) for both in zip(names, decimals, strict=True)]
    with warnings.catch_warnings(record=True) as warned:
        # All other warnings are failures still.
        warnings.simplefilter("error")
        warnings.simplefilter("always", TrustWarning)
        done = clean_table(table, **settings)
    assert bool(warned) != done.diagnosis.trusted
    return done


def mended(done):
    """The whole table as it would be written."""
    return done.data.block(slice(0, done.table.n_rows))


def related(n=80, m=6, k=2, noise=0.03, seed=0):
    """Columns that have to do with one another."""
    rng = np.random.default_rng(seed)
    return (
        rng.gamma(2, 1, (n, k)) @ rng.gamma(2, 1, (k, m)) * rng.normal(1, noise, (n, m)).clip(0.1)
    )


def shops(seed):
    """The sales of examples/spreadsheet.py: as they are, as typed, what is wrong, what is empty."""
    rng = np.random.default_rng(seed)
    season = np.cos(2 * np.pi * (np.arange(12) - 6) / 12)
    habits = np.array([np.clip(season, 0, None), np.clip(-season, 0, None), np.ones(12)])
    sizes = rng.gamma(3, 1, (150, 3)) * [300, 200, 100]
    pieces = sizes @ habits * rng.normal(1, 0.03, (150, 12))
    euros = pieces * [3.5] * rng.normal(1, 0.03, (150, 12))
    hours = pieces[:, ::3] / 40 * rng.normal(1, 0.03, (150, 4))
    true = np.hstack([np.round(pieces), np.round(euros, 2), np.round(hours, 1)])
    typed = true.copy()
    wrong = rng.random(true.shape) < 0.01
    typed[wrong] *= rng.choice([0.01, 0.1, 10, 100], wrong.sum())
    empty = rng.random(true.shape) < 0.005
    typed = np.hstack(
        [np.round(typed[:, :12]), np.round(typed[:, 12:24], 2), np.round(typed[:, 24:], 1)]
    )
    return true, typed, wrong, empty


SHOP_DECIMALS = [0] * 12 + [2] * 12 + [1] * 4
