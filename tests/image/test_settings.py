"""The constants of each step: frozen, documented one by one, with what chose them."""

import dataclasses
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import robustnmf._image as package

ROOT = Path(__file__).parents[2]
SETTINGS = {
    value
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    for name, value in vars(importlib.import_module(module.name)).items()
    if name.endswith("Settings") and isinstance(value, type)
}


def test_there_are_some():
    assert len(SETTINGS) >= 10


@pytest.mark.parametrize("settings", sorted(SETTINGS, key=lambda cls: cls.__name__))
def test_settings_are_frozen_documented_and_say_where_they_come_from(settings):
    assert settings.__dataclass_params__.frozen
    words, _, attributes = settings.__doc__.partition("Attributes\n")
    named = re.findall(r"(docs/images\.md|tests/image/test_\w+\.py)", words)
    assert named
    assert all((ROOT / name).is_file() for name in named if name.startswith("tests"))
    heads = re.findall(r"^    (\w[\w, ]*) : ", attributes, re.MULTILINE)
    documented = {name for head in heads for name in head.split(", ")}
    assert documented == {field.name for field in dataclasses.fields(settings)}
