"""Checks of arguments: what they take; an error names the argument, the value and a fix."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.utils import check_random_state

from robustnmf._common import checks
from robustnmf._common.checks import (
    AUTO,
    as_generator,
    as_random_state,
    check_choice,
    check_count,
    check_not_negative,
    check_positive,
    check_seed,
    check_share,
    count_or_auto,
)

HINT = "Try 0.5."


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: check_count("n", np.int8(3)), 3),
        (lambda: check_count("n", 0, least=0), 0),
        (lambda: count_or_auto("n", "auto"), AUTO),
        (lambda: count_or_auto("n", 2), 2),
        (lambda: check_positive("x", np.float32(0.5), HINT), 0.5),
        (lambda: check_positive("x", 2, HINT), 2.0),
        (lambda: check_not_negative("x", 0, HINT), 0.0),
        (lambda: check_share("x", 0, HINT), 0.0),
        (lambda: check_share("x", 0.999, HINT), 0.999),
        (lambda: check_choice("x", None, ("a", None)), None),
    ],
)
def test_what_means_something_is_taken(call, expected):
    found = call()
    assert found == expected
    assert type(found) is type(expected)


BAD = [
    (check_count, TypeError, (2.0, True, np.True_, "3", None, np.array([1, 2]))),
    (check_count, ValueError, (0, -1)),
    (count_or_auto, TypeError, ("atuo", 2.0)),
    (check_positive, TypeError, ("1", True, np.True_, 1j, None, np.ones(2))),
    (check_positive, ValueError, (0, -1, np.inf, np.nan)),
    (check_not_negative, TypeError, ("1", True)),
    (check_not_negative, ValueError, (-1e-9, np.inf, np.nan)),
    (check_share, TypeError, ("1", True)),
    (check_share, ValueError, (-0.1, 1, 1.0, np.nan)),
    (check_choice, ValueError, ("c", None, 1, np.array(["a", "b"]))),
]


@pytest.mark.parametrize(
    ("check", "kind", "value"),
    [(check, kind, value) for check, kind, values in BAD for value in values],
)
def test_errors_name_the_argument_the_value_and_the_fix(check, kind, value):
    more = {check_count: (), count_or_auto: (), check_choice: (("a", "b"),)}.get(check, (HINT,))
    with pytest.raises(kind) as error:
        check("amount", value, *more)
    words = str(error.value)
    assert words.startswith("amount ")
    assert f"got {value!r}" in words
    fix = {check_count: "at least 1", count_or_auto: "or 'auto'", check_choice: "'a', 'b'"}
    assert fix.get(check, HINT) in words


SEEDS = [None, 0, 2**32 - 1, np.int64(3), np.random, np.random.RandomState(0), True]
NO_SEEDS = [-1, 2**32, 1.5, "x", np.random.default_rng(0), (1, 2)]


@pytest.mark.parametrize("seed", SEEDS + NO_SEEDS)
def test_a_seed_is_what_scikit_learn_takes_for_one(seed):
    try:
        check_random_state(seed)
    except ValueError:
        with pytest.raises(ValueError, match=r"random_state must be None, .* got"):
            as_random_state(seed)
    else:
        check_seed(seed)


@pytest.mark.parametrize("seed", [0, np.int64(3), True])
def test_a_random_state_is_that_of_scikit_learn(seed):
    assert as_random_state(seed).randint(2**31) == check_random_state(seed).randint(2**31)


@pytest.mark.parametrize("seed", [None, np.random, np.random.RandomState(0)])
def test_a_random_state_that_is_there_is_taken(seed):
    assert as_random_state(seed) is check_random_state(seed)


def test_a_generator_is_kept_or_seeded():
    generator = np.random.default_rng(0)
    assert as_generator(generator) is generator
    assert as_generator(3).random() == as_generator(3).random()


def test_the_checks_load_nothing():
    code = f"import sys, {checks.__name__}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
