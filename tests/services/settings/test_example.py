"""The example file: it can be read as it is, and with every example taken."""

from __future__ import annotations

import msgspec
import pytest

from xpudbg.services.settings.example import example_file, meanings, toml_value
from xpudbg.services.settings.reading import read_settings
from xpudbg.services.settings.shape import Limits, Settings


def test_as_it_is_it_changes_nothing() -> None:
    made, _, problems = read_settings(example_file())
    assert (made, problems) == (Settings(), [])


def test_with_all_examples_it_is_right_and_complete() -> None:
    made, lines, problems = read_settings(example_file().replace("#: ", ""))
    assert problems == []
    for name in msgspec.structs.fields(Settings):
        assert name.name in lines, name.name
    for limit in msgspec.structs.fields(Limits):
        assert f"limits.{limit.name}" in lines
    assert made.targets["lab"].ranks == "0-31"
    assert made.limits == Limits()


@pytest.mark.parametrize("kind", [Settings, Limits])
def test_every_setting_has_a_meaning(kind: type[msgspec.Struct]) -> None:
    assert set(meanings(kind)) == {one.name for one in msgspec.structs.fields(kind)}


@pytest.mark.parametrize(
    "value", ["", 'a "b" \\ ä', 3.5, 7, True, ["a", "b"], ("x",), {"a": 1, "b": ["c"]}, {}], ids=range(9)
)
def test_values_are_written_so_that_they_are_read_the_same(value: object) -> None:
    import tomllib

    read = tomllib.loads(f"x = {toml_value(value)}")["x"]
    assert read == (list(value) if isinstance(value, tuple) else value)
