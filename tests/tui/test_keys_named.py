"""Sentences name the keys as they are set: none of them knows a key by heart."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.tui.recorder_scripts import recorder_job, stuck
from tests.tui.scripted import NOW
from xpudbg.services import events
from xpudbg.services.session import Session
from xpudbg.tui import app as tui_app
from xpudbg.tui.actions.registry import ACTIONS, key_of, key_of_begin
from xpudbg.tui.keys.keymap import Keymap, use_keymap
from xpudbg.tui.notices.hints import HINTS
from xpudbg.tui.widgets.look_strip import LookStrip
from xpudbg.tui.widgets.status_bar import status_line
from xpudbg.tui.widgets.verdict_lines import card

if TYPE_CHECKING:
    from collections.abc import Iterator

TUI = Path(tui_app.__file__).parent
KEYS = r"[A-Za-z]|[Ee]sc|[Ee]nter|[Tt]ab|space"
DONE = (
    "lists|chooses|opens|runs|takes|goes|leads|leaves|sets|adds|reads|turns|puts|tries|closes|quits|shows|copies|ends"
)
BY_HEART = re.compile(rf"(?:^|[ (;:,.])(?:{KEYS}) (?:{DONE})\b")
FIXED = ("ctrl+q quits", "ctrl+c")
NOT_KEYS = ("a ", "I ")


@pytest.fixture
def other_keys() -> Iterator[None]:
    """Each action on a key of its own that no sentence would know: f1, f2 and so on."""
    use_keymap(Keymap({action.name: (f"f{number}",) for number, action in enumerate(ACTIONS, 1)}))
    yield
    use_keymap(Keymap())


def sentences(path: Path) -> Iterator[str]:
    """The texts of a module that are no docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.value


def test_no_text_knows_a_key_by_heart() -> None:
    found = [
        f"{path.relative_to(TUI).as_posix()}: {text}"
        for path in sorted(TUI.rglob("*.py"))
        if not path.name.startswith("actions")
        for text in sentences(path)
        if BY_HEART.search(text) and not text.startswith(NOT_KEYS) and not any(one in text for one in FIXED)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("text", "known"), [("No row. Esc takes it away.", True), ("(U lists)", True), ("rank 3 leads", False)]
)
def test_the_scan_finds_what_it_looks_for(text: str, known: bool) -> None:
    assert bool(BY_HEART.search(text)) is known


@pytest.mark.usefixtures("other_keys")
@pytest.mark.parametrize("hint", HINTS, ids=lambda hint: hint.name)
def test_hints_name_the_keys_that_are_set(hint: object) -> None:
    one = next(each for each in HINTS if each is hint)
    for keys, _said in one.words():
        assert all(re.fullmatch(r"f\d+", key) for key in re.split(" to | and ", keys)), keys


@pytest.mark.usefixtures("other_keys")
def test_the_verdict_names_the_keys_that_are_set() -> None:
    session = Session()
    for event in recorder_job(stuck()):
        session.apply(event)
    lines = [line.content.plain for line in card(session, 100, 20)]
    see = next(line for line in lines if line.startswith(" see"))
    assert f"{key_of('stacks')} stacks   {key_of('recorder')} flight recorder   {key_of('next_finding')} all" in see
    failed = Session()
    for event in (events.TargetOpening("store x"), events.TargetFailed("store x", "no route", "is it up?")):
        failed.apply(event)
    lines = [line.content.plain for line in card(failed, 100, 20)]
    assert any(f"{key_of('look')} tries again   {key_of('target')} attaches" in line for line in lines)


@pytest.mark.usefixtures("other_keys")
def test_the_top_line_names_the_key_that_is_set() -> None:
    session = Session()
    for event in [*recorder_job(stuck()), events.LookShown(1)]:
        session.apply(event)
    assert f"{key_of('next_look')} to newer ones" in status_line(session, NOW, None, 120).plain


def test_where_a_sentence_begins_the_key_is_written_large() -> None:
    assert key_of_begin("back") == "Esc"
    assert key_of_begin("look") == "r"
    use_keymap(Keymap({"back": ()}))
    assert key_of_begin("back").startswith("“")
    use_keymap(Keymap())


@pytest.mark.usefixtures("other_keys")
def test_the_strip_of_looks_names_the_keys_that_are_set() -> None:
    assert LookStrip()._keys == f"{key_of('previous_look')} {key_of('next_look')} "
