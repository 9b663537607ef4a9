"""Style sheets parsed once for all applications that the tests start.

Textual parses all style sheets anew several times at each start of an application, half of what a start costs. What
comes of it depends on the text and on the theme's variables alone, and is only read afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.css.stylesheet import Stylesheet

if TYPE_CHECKING:
    from collections.abc import Hashable

    from textual.css.model import RuleSet

__all__ = ["parsed_once"]

_parse_rules = Stylesheet._parse_rules
_parsed: dict[Hashable, list[RuleSet]] = {}


def parsed_once(sheet: Stylesheet, css: str, read_from: Any, *args: Any, **kwargs: Any) -> list[RuleSet]:
    """Stands where `Stylesheet._parse_rules` stands."""
    variables = tuple(sheet._variables.items())
    key = (variables, css, read_from, args, tuple(kwargs.items()))
    if key not in _parsed:
        _parsed[key] = _parse_rules(sheet, css, read_from, *args, **kwargs)
    return _parsed[key]
