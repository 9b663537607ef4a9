"""Where settings come from: command line, environment, file, what was remembered, default; in this order."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ..plain_text import plain
from .reading import check_value, read_settings
from .shape import Settings
from .statements import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["CONFIG_VARIABLE", "VARIABLES", "Loaded", "config_path", "load_settings"]

CONFIG_VARIABLE = "XPUDBG_CONFIG"
FILE_LIMIT = 256 * 1024
"""Bytes of a configuration file that is read."""

VARIABLES: dict[str, str] = {
    "theme": "XPUDBG_THEME",
    "refresh": "XPUDBG_REFRESH",
    "mouse": "XPUDBG_NO_MOUSE",
    "ascii": "XPUDBG_ASCII",
    "server": "XPUDBG_SERVER",
    "log": "XPUDBG_LOG",
    "log_level": "XPUDBG_LOG_LEVEL",
    "limits.timeout_s": "XPUDBG_TIMEOUT",
    "limits.deadline_s": "XPUDBG_DEADLINE",
}
"""Environment variables, by what they set."""
_SWITCH = {"1": True, "yes": True, "true": True, "on": True, "0": False, "no": False, "false": False, "off": False}
_REVERSED = frozenset(("mouse",))
"""Settings that the variable switches off."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and what is known of where they come from."""

    settings: Settings = field(default_factory=Settings)
    path: Path | None = None
    """The file, whether it is there or not; None without a home."""
    is_there: bool = False
    lines: dict[str, int] = field(default_factory=dict)
    """Lines of the file, by the dotted name of what is set there."""
    variables: dict[str, str] = field(default_factory=dict)
    """Environment variables that count, by the same names."""
    problems: tuple[Problem, ...] = ()

    def source(self, name: str) -> str:
        """Where a value comes from: `XPUDBG_THEME`, `config.toml:3`, `default`."""
        if name in self.variables:
            return self.variables[name]
        if name in self.lines and self.path is not None:
            return f"{self.path.name}:{self.lines[name]}"
        return "default"

    def values(self) -> Iterator[tuple[str, Any, str]]:
        """Each value that can be set by itself: dotted name, value, where from. Empty tables are not there."""
        yield from self._below(self.settings, ())

    def _below(self, made: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any, str]]:
        for one in msgspec.structs.fields(made):
            value = getattr(made, one.name)
            here = (*path, one.name)
            if isinstance(value, msgspec.Struct):
                yield from self._below(value, here)
            elif isinstance(value, dict):
                for name, element in value.items():
                    yield self._said((*here, name), element)
            else:
                yield self._said(here, value)

    def _said(self, path: tuple[str, ...], value: Any) -> tuple[str, Any, str]:
        name = ".".join(path)
        return name, value, self.source(name)

    def spoilt(self, name: str) -> Problem | None:
        """What is wrong with a name of the settings, `targets.prod`, that therefore can't be used; None for others."""
        return next((one for one in self.problems if one.spoils == name), None)

    def told(self) -> str:
        """One line for a person about what is wrong; empty when nothing is."""
        if not self.problems:
            return ""
        first = self.problems[0]
        where = f"{plain(str(self.path))}: " if first.line is not None else ""
        rest = "and more: " if len(self.problems) > 1 else ""
        return f"{where}{first} ({rest}`xpudbg config --check`)"


def config_path(environ: Mapping[str, str]) -> Path | None:
    """The file: what XPUDBG_CONFIG names, else config.toml in the user's configuration folder; None without a home."""
    import platformdirs

    named = environ.get(CONFIG_VARIABLE, "").strip()
    try:
        return (
            Path(named).expanduser()
            if named
            else platformdirs.user_config_path("xpudbg", appauthor=False) / "config.toml"
        )
    except RuntimeError:
        return Path(named) if named else None


def load_settings(environ: Mapping[str, str]) -> Loaded:
    """Read the file and the environment. Never fails: what can't be used is in `problems`, the rest counts."""
    path = config_path(environ)
    text, problems = _text(path, is_named=bool(environ.get(CONFIG_VARIABLE, "").strip()))
    settings, lines, found = read_settings(text or "")
    problems += found
    variables: dict[str, str] = {}
    for name, variable in VARIABLES.items():
        given = environ.get(variable, "").strip()
        if not given:
            continue
        try:
            settings = _replaced(settings, tuple(name.split(".")), given)
        except ValueError as error:
            problems.append(Problem(None, f"{variable} {error}"))
        else:
            variables[name] = variable
    return Loaded(settings, path, text is not None, lines, variables, tuple(problems))


def _text(path: Path | None, *, is_named: bool) -> tuple[str | None, list[Problem]]:
    if path is None:
        return None, []
    try:
        if path.is_fifo():  # it may have no writer, and would be waited for
            return None, [Problem(None, f"{path} is a pipe and is not read")]
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except FileNotFoundError as error:
        said = [Problem(None, f"{CONFIG_VARIABLE} names {path}: {error.strerror}")] if is_named else []
        return None, said
    except (OSError, ValueError) as error:
        return None, [Problem(None, f"{path} can't be read: {getattr(error, 'strerror', None) or error}")]
    if len(data) > FILE_LIMIT:
        return None, [Problem(None, f"{path} is larger than {FILE_LIMIT // 1024} KiB and is not read")]
    try:
        return data.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        return data.decode("utf-8-sig", errors="replace"), [Problem(line, "not UTF-8; other lines are read")]


def _replaced(settings: Settings, path: tuple[str, ...], given: str) -> Settings:
    """
    Raises:
        ValueError: the variable's text is no such value.
    """
    owner: Any = getattr(settings, path[0]) if len(path) > 1 else settings
    kind = next(one.type for one in msgspec.structs.fields(owner) if one.name == path[-1])
    value: Any = given
    if kind is bool:
        if given.lower() not in _SWITCH:
            raise ValueError(f"wants 1 or 0: {plain(given, 60)!r}")
        value = _SWITCH[given.lower()] is not (path[-1] in _REVERSED)
    elif isinstance(getattr(owner, path[-1]), float):
        try:
            value = float(given)
        except ValueError:
            raise ValueError(f"wants a number: {plain(given, 60)!r}") from None
    made = msgspec.structs.replace(owner, **{path[-1]: check_value(path, kind, value)})
    return made if len(path) == 1 else msgspec.structs.replace(settings, **{path[0]: made})
