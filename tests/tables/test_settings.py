"""One place for settings: checked there, and the same defaults wherever they are shown."""

import inspect
import re
from dataclasses import fields

import numpy as np
import pytest

from robustnmf import RobustNMF
from robustnmf._tables.settings import CleaningSettings
from robustnmf.cli.clean import clean as command
from robustnmf.tables import clean_table, read_table

DEFAULTS = {field.name: field.default for field in fields(CleaningSettings)}
# What the command line calls them, where that differs.
OPTIONS = {"n_components": "components", "random_state": "seed"}
ESTIMATOR = {
    name: parameter.default
    for name, parameter in inspect.signature(RobustNMF.__init__).parameters.items()
}
DIFFERENT = [name for name in DEFAULTS if name in ESTIMATOR and DEFAULTS[name] != ESTIMATOR[name]]


def option(name):
    (found,) = (p for p in command.params if p.name == OPTIONS.get(name, name))
    return found


def described(documented, name):
    """What a numpydoc docstring says of one parameter."""
    text = inspect.cleandoc(documented.__doc__)
    return re.search(rf"^{name} : .*\n((?:    .*\n)+)", text, re.MULTILINE).group(1)


def test_the_function_has_the_defaults_of_the_settings():
    parameters = inspect.signature(clean_table).parameters
    assert {name: parameters[name].default for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize("name", [name for name in DEFAULTS if name != "fill_missing"])
def test_the_command_has_the_defaults_of_the_settings(name):
    assert option(name).default == DEFAULTS[name]


def test_missing_cells_are_filled_by_both():
    given = command.make_context("clean", [__file__]).params
    assert DEFAULTS["fill_missing"] is not given["keep_missing"]


def test_the_command_knows_the_choices_of_the_settings():
    from robustnmf._core.penalties import PENALTIES

    assert list(option("penalty").type.choices) == list(PENALTIES)
    for name in ("scale", "negative"):
        for choice in option(name).type.choices:
            CleaningSettings(**{name: choice})


def test_some_defaults_differ_from_those_of_the_estimator():
    assert DIFFERENT == ["n_components", "lam", "random_state"]


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_default_that_differs_says_why(name):
    for documented in (CleaningSettings, clean_table):
        assert "`RobustNMF` takes" in described(documented, name)
    assert "RobustNMF" in option(name).help


@pytest.mark.parametrize("name", sorted(set(DEFAULTS) - set(DIFFERENT)))
def test_a_default_that_does_not_differ_says_nothing_of_it(name):
    assert "RobustNMF" not in described(CleaningSettings, name)


@pytest.mark.parametrize("name", DEFAULTS)
def test_the_docstrings_tell_the_defaults(name):
    said = DEFAULTS[name]
    shown = f'"{said}"' if isinstance(said, str) else said
    for documented in (CleaningSettings, clean_table):
        text = inspect.cleandoc(documented.__doc__)
        assert re.search(rf"^{name} : .*default={shown}$", text, re.MULTILINE), name


@pytest.mark.parametrize(
    ("setting", "kind", "words"),
    [
        ({"scale": "colums"}, ValueError, "scale must be one of 'auto', 'columns', 'none'; got"),
        ({"negative": "drop"}, ValueError, "negative must be one of 'judge', 'refuse', 'shift'"),
        ({"penalty": "l1"}, ValueError, "penalty must be one of 'squared_l1', 'squared_l0'; got"),
        ({"lam": -1}, ValueError, "lam must be finite and above 0; got -1. Try 0.04, or 'auto'"),
        ({"lam": "often"}, TypeError, "lam must be a number above 0; got 'often'"),
        ({"lam": np.array([1.0, 2.0])}, TypeError, "lam must be a number above 0; got array"),
        ({"n_components": 0}, ValueError, "n_components must be at least 1 or 'auto'; got 0"),
        ({"n_components": "many"}, TypeError, "n_components must be a whole number"),
        ({"fill_missing": "yes"}, ValueError, "fill_missing must be one of True, False; got 'yes'"),
        ({"max_iter": 2.5}, TypeError, "max_iter must be a whole number of at least 1; got 2.5"),
        ({"random_state": "a"}, ValueError, "random_state must be None, a whole number"),
    ],
)
def test_what_means_nothing_is_refused(setting, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        clean_table(np.ones((5, 5)), **setting)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"format": "xls"}, "format must be one of 'csv'"),
        ({"delimiter": "ab"}, "delimiter must be one character, such as ';' or a tab; got 'ab'"),
        ({"decimal": "'"}, "decimal must be one of '.', ',', None; got \"'\""),
        ({"thousands": "_"}, "thousands must be one of"),
        ({"header": "yes"}, "header must be one of True, False, None; got 'yes'"),
        ({"decimal": ",", "thousands": ","}, "decimal and thousands cannot be the same sign"),
    ],
)
def test_how_a_file_is_read_is_checked_too(options, words, tmp_path):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match=re.escape(words)):
        read_table(tmp_path / "a.csv", **options)
