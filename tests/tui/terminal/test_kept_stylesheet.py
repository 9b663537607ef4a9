"""Style sheets are parsed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from textual.css import stylesheet
from textual.css.parse import parse as textual_parse
from textual.css.stylesheet import StylesheetParseError

from xpudbg.tui.terminal.kept_stylesheet import KeptStylesheet

from ..parsed_styles import _parse_rules
from ..running import running
from ..scripted import job

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from pathlib import Path

    from textual.css.model import RuleSet


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[Hashable]:
    """What Textual's parser has been given; nothing that other tests have parsed is known here."""
    seen: list[Hashable] = []

    def parse(scope: str, css: str, read_from: Any, **kwargs: Any) -> Iterable[RuleSet]:
        seen.append((scope, css, read_from, kwargs["is_default_rules"], kwargs["tie_breaker"]))
        return textual_parse(scope, css, read_from, **kwargs)

    monkeypatch.setattr(stylesheet, "parse", parse)
    monkeypatch.setattr(stylesheet.Stylesheet, "_parse_rules", _parse_rules)
    return seen


def sheets(colour: str) -> KeptStylesheet:
    made = KeptStylesheet(variables={"accent": colour})
    made.add_source("Label { color: $accent; }", ("label.tcss", ""))
    made.parse()
    return made


def colours(sheet: KeptStylesheet) -> list[str]:
    return [rule.styles.color.hex for rule in sheet.rules]


def test_the_same_variables_leave_what_was_parsed(parsed: list[Hashable]) -> None:
    made = sheets("#ff0000")
    made.add_source("Input { color: blue; }", ("input.tcss", ""))
    made.set_variables({"accent": "#ff0000"})
    made.reparse()
    assert len(parsed) == 2
    assert colours(made) == ["#FF0000", "#0000FF"]


def test_others_are_seen_in_every_sheet(parsed: list[Hashable]) -> None:
    made = sheets("#ff0000")
    made.set_variables({"accent": "#00ff00"})
    made.reparse()
    assert len(parsed) == 2
    assert colours(made) == ["#00FF00"]


def test_after_an_error_the_rules_are_those_before(parsed: list[Hashable]) -> None:
    made = sheets("#ff0000")
    assert colours(made) == ["#FF0000"]
    made.add_source("Input { color: no-such-colour; }", ("input.tcss", ""))
    with pytest.raises(StylesheetParseError):
        made.reparse()
    assert [rule.styles.color.hex for rule in made._rules] == ["#FF0000"]


async def test_screens_opened_for_the_first_time_parse_only_what_is_new(parsed: list[Hashable], tmp_path: Path) -> None:
    async with running(job(8, {4: "stopped"}), tmp_path) as run:
        at_start = len(parsed)
        await run.press("2")
        await run.press("4")
        assert run.app.current_mode == "recorder"
        assert at_start < len(parsed) < 1.5 * at_start, "the screens have widgets of their own, not so many"
        assert len(set(parsed)) == len(parsed), "no sheet is parsed twice"

        before = run.app.screen.styles.background
        run.app.theme = "textual-light"
        await run.until(lambda: run.app.screen.styles.background != before, "another theme")
