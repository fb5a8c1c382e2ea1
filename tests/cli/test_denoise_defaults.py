"""One rule for defaults: those of the estimator, and where they differ it is said why."""

import inspect
import re

import click
import pytest

from robustnmf import RobustNMF
from robustnmf._image.denoise import MODES
from robustnmf.cli.denoise import denoise
from robustnmf.image import denoise_image, denoise_stack

# Each option of the command that sets an argument of the function.
ARGUMENT_OF = {
    "mode": "mode",
    "patch_size": "patch_size",
    "components": "n_components",
    "seed": "random_state",
}
# What the file tells, and what only a program can use.
NO_OPTION = {"channel_axis", "data_range", "return_details", "progress"}


def defaults(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}


def differing(function):
    """Return the arguments whose default is not that of the estimator's argument of that name."""
    own, estimator = defaults(function), defaults(RobustNMF)
    return {name for name in own.keys() & estimator.keys() if own[name] != estimator[name]}


def described(function, name):
    """Return what the docstring says of one parameter."""
    text = inspect.getdoc(function).split("Returns\n---")[0]
    return re.search(rf"^{name} : .*\n((?: {{4}}.*\n)+)", text, re.MULTILINE)[1]


def options():
    return {param.name: param for param in denoise.params if isinstance(param, click.Option)}


def test_the_command_has_the_defaults_of_the_function():
    expected = defaults(denoise_image)
    given = {argument: options()[option].default for option, argument in ARGUMENT_OF.items()}
    assert given == {argument: expected[argument] for argument in ARGUMENT_OF.values()}
    assert set(options()["mode"].type.choices) == set(MODES)


def test_every_argument_is_an_option_or_needs_none():
    assert set(defaults(denoise_image)) == set(ARGUMENT_OF.values()) | NO_OPTION


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (denoise_image, {"n_components", "random_state"}),
        (denoise_stack, {"lam", "random_state"}),
    ],
)
def test_another_default_than_the_estimators_is_explained(function, expected):
    assert differing(function) == expected
    for name in expected:
        assert "RobustNMF" in described(function, name), name


def test_the_command_explains_them_too():
    for option, argument in ARGUMENT_OF.items():
        if argument in differing(denoise_image):
            assert "RobustNMF" in options()[option].help, option


def test_the_command_says_how_many_components_a_stack_has():
    n = defaults(denoise_stack)["n_components"]
    assert f"With --stack those of the stack, {n} by default" in options()["components"].help


def test_the_two_functions_share_their_defaults_but_for_the_number_of_components():
    one, many = defaults(denoise_image), defaults(denoise_stack)
    assert {name for name in one.keys() & many.keys() if one[name] != many[name]} == {
        "n_components"
    }
