"""TOML statement by statement, each with its line, so that one that is wrong does not take the others with it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Problem", "Statement", "read_statements"]

MOST_LINES = 300
"""Lines of one value."""
MOST_TRIES = 1_000
"""Times that lines are taken together in one file; in one that asks for more, values are of one line from there on."""
DEEPEST = 20
"""Steps of a dotted name."""
_WHERE = re.compile(r" \(at (?:line \d+, column (\d+)|end of document)\)$")
_OPENS = re.compile(r"=.*(?:\[|\{|\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something of the settings that can't be used."""

    line: int | None
    """In the file; None when it is about all of it, or not about the file."""
    text: str
    hint: str = ""
    spoils: str = ""
    """The name in the settings that can't be used at all for it: `targets.prod`."""

    def __str__(self) -> str:
        """One plain line."""
        said = plain(self.text + (f"; {self.hint}" if self.hint else ""), 400)
        return said if self.line is None else f"line {self.line}: {said}"


@dataclass(frozen=True, slots=True)
class Statement:
    """One value."""

    path: tuple[str, ...]
    value: Any
    """As `tomllib` reads it; a table only when it is empty."""
    line: int


def read_statements(text: str) -> tuple[list[Statement], list[Problem]]:
    """The values of a document in its order, and what can't be read of it. A table with nothing in it is an empty
    value."""
    lines = text.splitlines()
    found: list[Statement] = []
    problems: list[Problem] = []
    table: tuple[str, ...] | None = ()
    headers: dict[tuple[str, ...], int] = {}
    tries = MOST_TRIES
    at = 0
    while at < len(lines):
        number, line = at + 1, lines[at].strip()
        if not line or line.startswith("#"):
            at += 1
            continue
        if line.startswith("["):
            at += 1
            table = _table(line, number, problems)
            headers.setdefault(table or (), number)
            continue
        made, end, used = _value(lines, at, tries)
        tries, at = max(tries - used, 1), end
        if isinstance(made, str):
            problems.append(Problem(number, made))
        elif table is not None:
            for path, value in _leaves(made):
                if len(path) > DEEPEST:
                    problems.append(Problem(number, f"a name of more than {DEEPEST} steps"))
                else:
                    found.append(Statement((*table, *path), value, number))
    found += _empty(headers, found)
    found.sort(key=lambda one: one.line)
    return found, problems


def _empty(headers: Mapping[tuple[str, ...], int], found: Sequence[Statement]) -> list[Statement]:
    """The tables that have nothing in them, no other table either."""
    taken = {(), *(one.path for one in found)}
    taken |= {path[:end] for path in (*headers, *list(taken)) for end in range(1, len(path))}
    return [Statement(path, {}, line) for path, line in headers.items() if path not in taken]


def _table(line: str, number: int, problems: list[Problem]) -> tuple[str, ...] | None:
    """The path that a header names; None when what is under it has no place."""
    try:
        made: Any = tomllib.loads(line)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        problems.append(Problem(number, f"{_said(error)}; what stands under this header is not read"))
        return None
    path: list[str] = []
    while isinstance(made, dict) and made:
        name, made = next(iter(made.items()))
        path.append(name)
    if len(path) > DEEPEST:
        problems.append(Problem(number, f"a name of more than {DEEPEST} steps"))
        return None
    if isinstance(made, list):
        problems.append(Problem(number, f"[[{'.'.join(path)}]] is not known here", f"write [{'.'.join(path)}]"))
        return None
    return tuple(path)


def _value(lines: Sequence[str], at: int, tries: int) -> tuple[dict[str, Any] | str, int, int]:
    """One statement, or what is wrong with its first line; the line after it; how often lines were taken together.

    Args:
        tries: how often they may be.
    """
    first = ""
    last = at + (min(MOST_LINES, tries) if _OPENS.search(lines[at]) else 1)
    for end in range(at + 1, min(last, len(lines)) + 1):
        try:
            return tomllib.loads("\n".join(lines[at:end])), end, end - at - 1
        except (tomllib.TOMLDecodeError, RecursionError) as error:
            first = first or _said(error)
    return first, at + 1, last - at - 1


def _said(error: Exception) -> str:
    text = str(error) or type(error).__name__
    match = _WHERE.search(text)
    if match is None:
        return text
    where = f" at column {match[1]}" if match[1] else " at its end"
    return f"not TOML: {text[: match.start()]}{where}"


def _leaves(made: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in made.items():
        if isinstance(value, dict) and value and len(path) < DEEPEST:
            yield from _leaves(value, (*path, name))
        else:
            yield (*path, name), value
