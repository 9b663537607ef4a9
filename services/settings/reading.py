"""Statements of a file become settings; each value that can't be used is told with its line, the others count."""

from __future__ import annotations

import difflib
import math
import re
import typing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from ..plain_text import plain
from .shape import Endpoint, Settings, Target
from .statements import Problem, Statement, read_statements

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NAME_RULE", "Found", "Read", "check_value", "near", "read_settings"]

NAME_RULE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
"""Names of targets, endpoints and the like."""
LEAST_REFRESH_S = 0.5

_SHORT: dict[type, str] = {Target: "words", Endpoint: "url"}
"""Tables that may be written as one value, and which of their fields that is."""

Tree = dict[str, "Tree | Statement"]
Found = dict[str, int]
"""Lines, by the dotted name of what is set there: `limits.timeout_s`, `targets.prod`."""
Read = tuple[Settings, Found, list[Problem]]


class _UnusableError(Exception):
    """A value that can't be used; it has been told."""


def read_settings(text: str) -> Read:
    """The settings of a file, the lines where each is set, and what is wrong with it."""
    statements, problems = read_statements(text)
    tree = _tree(statements, problems)
    found: Found = {}
    made = _struct(Settings, tree, (), found, problems)
    problems.sort(key=lambda problem: problem.line or 0)
    return made, found, problems


def near(word: str, known: Iterable[str]) -> str:
    """A hint at the word that was meant; empty when nothing is like it."""
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"did you mean {close[0]}?" if close else ""


def check_value(path: tuple[str, ...], kind: Any, value: Any) -> Any:
    """A value as its type.

    Raises:
        ValueError: it is another one; the message says which is wanted.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number that can be used")
    try:
        made = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        text = str(error).replace("Expected ", "wants ").replace("`", "")
        text = re.sub(r" - at .*$", "", text)
        raise ValueError(f"{text}: {plain(repr(value), 60)}") from error
    if path == ("refresh",) and 0 < made < LEAST_REFRESH_S:
        raise ValueError(f"wants 0 or at least {LEAST_REFRESH_S} seconds: {made}")
    return made


def _tree(statements: Iterable[Statement], problems: list[Problem]) -> Tree:
    tree: Tree = {}
    for statement in statements:
        node = tree
        name = ".".join(statement.path)
        for step in statement.path[:-1]:
            below = node.setdefault(step, {})
            if isinstance(below, Statement):
                problems.append(Problem(statement.line, f"{name}: line {below.line} sets {step} to a value already"))
                break
            node = below
        else:
            last = statement.path[-1]
            if last in node:
                there = _line(node[last])
                problems.append(Problem(statement.line, f"{name} is set on line {there} already; that one holds"))
            else:
                node[last] = statement
    return tree


def _line(node: Tree | Statement) -> int | None:
    if isinstance(node, Statement):
        return node.line
    return next((line for line in map(_line, node.values()) if line is not None), None)


def _struct(
    kind: type[Any],
    tree: Tree,
    path: tuple[str, ...],
    found: Found,
    problems: list[Problem],
    line_of_all: int | None = None,
) -> Any:
    fields = {field.name: field for field in msgspec.structs.fields(kind)}
    values: dict[str, Any] = {}
    for name, node in tree.items():
        here = (*path, name)
        if name not in fields:
            said = f"{'.'.join(here)} is no setting"
            problems.append(Problem(_line(node), said, near(name, fields) or f"known: {', '.join(fields)}"))
            continue
        try:
            values[name] = _node(fields[name].type, node, here, found, problems)
        except _UnusableError:
            continue
        line = _line(node)
        if line is not None:
            found[".".join(here)] = line
    missing = [field.name for field in fields.values() if field.required and field.name not in values]
    if missing:
        if not any(problem.text.startswith(".".join((*path, missing[0]))) for problem in problems):
            said, hint = f"{'.'.join(path)}: {missing[0]} is missing", f'write {missing[0]} = "host:port"'
            problems.append(Problem(line_of_all, said, hint if kind in _SHORT else ""))
        raise _UnusableError
    return kind(**values)


def _node(kind: Any, node: Tree | Statement, path: tuple[str, ...], found: Found, problems: list[Problem]) -> Any:
    name = ".".join(path)
    if typing.get_origin(kind) is dict:
        return _named(typing.get_args(kind)[1], node, path, found, problems)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        line = _line(node)
        if isinstance(node, Statement):
            if node.value == {}:
                node = {}
            elif kind in _SHORT:
                node = {_SHORT[kind]: node}
            else:
                problems.append(Problem(node.line, f"{name} is a table", f"write [{name}] and its values under it"))
                raise _UnusableError
        made = _struct(kind, node, path, found, problems, line)
        if isinstance(made, Target):
            _words(made, path, node, problems)
        return made
    if not isinstance(node, Statement):
        problems.append(Problem(_line(node), f"{name} is one value, not a table"))
        raise _UnusableError
    try:
        return check_value(path, kind, node.value)
    except ValueError as error:
        problems.append(Problem(node.line, f"{name} {error}"))
        raise _UnusableError from error


def _named(
    kind: Any, node: Tree | Statement, path: tuple[str, ...], found: Found, problems: list[Problem]
) -> dict[str, Any]:
    """A table whose names are free."""
    if isinstance(node, Statement):
        if node.value == {}:
            return {}
        problems.append(Problem(node.line, f"{'.'.join(path)} is a table of names"))
        raise _UnusableError
    made: dict[str, Any] = {}
    for name, below in node.items():
        here = (*path, name)
        if not NAME_RULE.fullmatch(name):
            problems.append(Problem(_line(below), f"{'.'.join(path)}: {name!r} can't be a name", "use a-z, 0-9, _ . -"))
            continue
        told = len(problems)
        try:
            made[name] = _node(kind, below, here, found, problems)
        except _UnusableError:
            _spoilt(".".join(here), problems, told)
            continue
        line = _line(below)
        if line is not None:
            found[".".join(here)] = line
    return made


def _spoilt(name: str, problems: list[Problem], told: int) -> None:
    """The first problem of a name that can't be used says so.

    Args:
        told: problems that were there before it was looked at; only where nothing came one of them is about it.
    """
    for at in (*range(told, len(problems)), *range(told)):
        if problems[at].text.startswith(name):
            problems[at] = replace(problems[at], spoils=name)
            return


def _words(target: Target, path: tuple[str, ...], node: Tree, problems: list[Problem]) -> None:
    try:
        there = bool(target.typed)
    except ValueError:
        there = False
    if not there:
        problems.append(Problem(_line(node), f"{'.'.join(path)} names no target", 'write words = "host:port"'))
        raise _UnusableError
