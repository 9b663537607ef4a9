"""What is generated in docs/ is what `python -m tests.docs` would write now, and it is whole."""

from __future__ import annotations

import re

import click
import pytest

from xpudbg.tui.actions.registry import ACTIONS, Scope

from .command_page import REFERENCE, codes_of, commands, commands_page, with_codes
from .example_dumps import EXAMPLES, example_files
from .key_tables import PAGES, SCREENS, key_table, with_keys
from .room_table import ARCHITECTURE, with_rooms


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_the_keys_of_its_screen(page: str) -> None:
    text = (SCREENS / f"{page}.md").read_text(encoding="utf-8")
    assert with_keys(page, text) == text, "run `python -m tests.docs`"


def test_every_page_of_a_screen_is_known() -> None:
    assert {path.stem for path in SCREENS.glob("*.md")} == set(PAGES)


@pytest.mark.parametrize("page", sorted(set(PAGES) - {"index"}))
def test_a_page_says_how_to_read_the_screen_and_what_misleads(page: str) -> None:
    text = (SCREENS / f"{page}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.M)
    assert headings == ["How to read it", "Keys", "Traps"]
    assert "![" in text or page == "doctor"


def test_every_scope_has_a_table() -> None:
    assert {scope for tables in PAGES.values() for scopes in tables.values() for scope in scopes} == set(Scope)


def test_every_action_stands_in_a_page() -> None:
    told = "".join((SCREENS / f"{page}.md").read_text(encoding="utf-8") for page in PAGES)
    assert [action.name for action in ACTIONS if f"| `{action.name}` |" not in told] == []


def test_a_table_has_a_row_an_action_and_three_columns() -> None:
    lines = key_table("Everywhere", (Scope.APP,)).split("\n")
    assert lines[:2] == ["### Everywhere", ""]
    assert {len(re.split(r"(?<!\\)\|", line)) for line in lines[2:]} == {5}
    assert any(line.startswith("| <kbd>&#63;</kbd> |") and line.endswith("| `help` |") for line in lines)


def test_a_page_without_a_place_for_its_keys_is_refused() -> None:
    with pytest.raises(ValueError, match=r"start\.md"):
        with_keys("start", "# The start screen\n")


def test_the_commands_are_current() -> None:
    assert (REFERENCE / "commands.md").read_text(encoding="utf-8") == commands_page(), "run `python -m tests.docs`"


def test_every_option_of_every_command_stands_there() -> None:
    sections = re.split(r"^## xpudbg ", commands_page(), flags=re.M)[1:]
    told = {section.split("\n", 1)[0]: section for section in sections}
    assert list(told) == list(commands())
    for name, command in commands().items():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert max(option.opts, key=len) in told[name], f"{name} {option.opts}"


def test_the_exit_codes_are_current() -> None:
    text = (REFERENCE / "exit-codes.md").read_text(encoding="utf-8")
    assert with_codes(text) == text, "run `python -m tests.docs`"


@pytest.mark.parametrize("name", sorted(set(commands()) - {"attach", "demo", "dispatch"}))
def test_a_command_says_its_exit_codes(name: str) -> None:
    codes = codes_of(commands()[name])
    assert {0, 2} <= set(codes) <= set(range(5))
    assert all(codes.values())
    assert codes[2].startswith("wrong usage")


def test_a_meaning_may_have_commas() -> None:
    @click.command()
    def made() -> None:
        """Do it.

        Exit codes: 0 done, and well, 1 not done, 4 cancelled,
        or later.
        """

    assert codes_of(made) == {0: "done, and well", 1: "not done", 4: "cancelled, or later"}


def test_the_examples_are_current() -> None:
    there = {path.relative_to(EXAMPLES).as_posix(): path.read_bytes() for path in EXAMPLES.rglob("*") if path.is_file()}
    assert there == example_files(), "run `python -m tests.docs`"


def test_every_package_says_what_it_is_for() -> None:
    text = ARCHITECTURE.read_text(encoding="utf-8")
    assert with_rooms(text) == text, "run `python -m tests.docs`"
    with pytest.raises(ValueError, match="once"):
        with_rooms(text + text)
