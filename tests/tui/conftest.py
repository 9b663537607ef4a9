"""How tests of the screens wait, and what they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import textual.app
import textual.pilot
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

from tests.tui.parsed_styles import parsed_once
from tests.tui.quiet import quiet
from xpudbg.tui.keys.keymap import Keymap, use_keymap
from xpudbg.tui.tables.column_settings import use_tables

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def leaves_the_keys_as_they_are() -> Iterator[None]:
    """A test that reads settings in this process sets the keys and tables of all that come after it."""
    yield
    use_keymap(Keymap())
    use_tables(None)


@pytest.fixture(autouse=True)
def waits_for_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pilot waits until the event loop is quiet, not until the processor is."""
    monkeypatch.setattr(textual.app, "wait_for_idle", quiet)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", quiet)


@pytest.fixture(autouse=True)
def parses_each_style_sheet_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A start of an application costs half; and what finds the rules of a widget asks for millions of hashes."""
    monkeypatch.setattr(Stylesheet, "_parse_rules", parsed_once)
    monkeypatch.setattr(RuleSet, "__hash__", object.__hash__)
