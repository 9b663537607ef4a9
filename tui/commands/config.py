"""`xpudbg config`: what is set, and where each value comes from."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from .putting_out import say
from .table_text import table_text

if TYPE_CHECKING:
    from ...services.settings.sources import Loaded
    from ...services.settings.statements import Problem

__all__ = ["config", "settings_problems"]


@click.command(short_help="Show the settings and where each comes from.")
@click.option("--path", "only_path", is_flag=True, help="Print where the file is, whether it is there or not.")
@click.option("--example", is_flag=True, help="Print a file with every setting, commented out.")
@click.option("--check", is_flag=True, help="Only tell what is wrong with the settings.")
@click.option("--keys", "with_keys", is_flag=True, help="List the actions with their keys, for [keys].")
@click.option("--json", "as_json", is_flag=True, help="Print as JSON.")
def config(only_path: bool, example: bool, check: bool, with_keys: bool, as_json: bool) -> None:
    """Show each setting, its value and where it comes from: environment, file and line, or default.

    \b
    xpudbg config
    xpudbg config --example > ~/.config/xpudbg/config.toml
    xpudbg config --check
    xpudbg config --keys

    The command line wins over the environment, that over the file; XPUDBG_CONFIG names another file.

    Exit codes: 0 nothing wrong, 1 --check: something can't be used, 2 wrong usage.
    """
    if sum((only_path, example, check, with_keys)) > 1:
        raise click.UsageError("--path, --example, --check and --keys: one of them at a time")
    if example:
        from ...services.settings.example import example_file

        say(example_file().rstrip("\n"))
        return
    from ..loaded_settings import loaded_settings

    loaded = loaded_settings()
    if only_path:
        if loaded.path is None:
            raise click.UsageError("there is no home folder\nset XPUDBG_CONFIG to the name of a file")
        say(str(loaded.path))
    elif check:
        sys.exit(_check(loaded, as_json=as_json))
    elif with_keys:
        _show_keys(loaded, as_json=as_json)
    else:
        _show(loaded, as_json=as_json)


def settings_problems(loaded: Loaded) -> list[Problem]:
    """What can't be used of the settings, the screens' part too: keys, names that are taken, themes, columns."""
    from ...services.settings.statements import Problem
    from ..keys.keymap_reading import read_keymap
    from ..named_targets import RESERVED

    settings = loaded.settings
    problems = [*loaded.problems, *read_keymap(settings.keys, loaded.lines)[1]]
    context = click.get_current_context(silent=True)
    commands = getattr(context.find_root().command, "commands", {}) if context is not None else {}
    for name in settings.targets:
        if name in RESERVED or name in commands:
            said = f"targets.{name}: {name} is a command, which is what the word means"
            problems.append(Problem(loaded.lines.get(f"targets.{name}"), said, "take another name"))
    if settings.theme and settings.theme not in (known := _themes()):
        from ...services.settings.reading import near

        line = loaded.lines.get("theme") if "theme" not in loaded.variables else None
        hint = near(settings.theme, known) or f"there are: {', '.join(known)}"
        problems.append(Problem(line, f"theme: there is none called {settings.theme!r}", hint))
    for name, one in settings.endpoints.items():
        problems += _endpoint_problems(loaded, name, one.url)
    if settings.server and settings.server not in settings.endpoints:
        problems += _endpoint_problems(loaded, "", settings.server)
    problems += _column_problems(loaded)
    return sorted(problems, key=lambda problem: problem.line or 0)


def _column_problems(loaded: Loaded) -> list[Problem]:
    """Tables and columns that there are not."""
    from ...services.settings.reading import near
    from ...services.settings.statements import Problem

    if not loaded.settings.columns:
        return []
    from ..tables.table_names import TABLES

    problems = []
    for name, wanted in loaded.settings.columns.items():
        line = loaded.lines.get(f"columns.{name}")
        if name not in TABLES:
            hint = near(name, TABLES) or f"there are: {', '.join(TABLES)}"
            problems.append(Problem(line, f"columns.{name}: there is no such table", hint))
            continue
        for part, keys in (("shown", wanted.shown), ("hidden", wanted.hidden), ("widths", wanted.widths)):
            at = loaded.lines.get(f"columns.{name}.{part}", line)
            for key in keys:
                if key not in TABLES[name]:
                    hint = near(key, TABLES[name]) or f"there are: {', '.join(TABLES[name])}"
                    problems.append(Problem(at, f"columns.{name}.{part}: there is no column {key!r}", hint))
    return problems


def _endpoint_problems(loaded: Loaded, name: str, url: str) -> list[Problem]:
    from ...services.addressing.endpoints import TargetError
    from ...services.dispatch.endpoint import parse_server
    from ...services.settings.statements import Problem

    setting = f"endpoints.{name}" if name else "server"
    try:
        parse_server(url)
    except TargetError as error:
        return [
            Problem(
                None if setting in loaded.variables else loaded.lines.get(setting), f"{setting}: {error}", error.hint
            )
        ]
    return []


def _themes() -> list[str]:
    from textual.theme import BUILTIN_THEMES

    from ..themes import THEMES

    return [*THEMES, *BUILTIN_THEMES]


def _check(loaded: Loaded, *, as_json: bool) -> int:
    problems = settings_problems(loaded)
    if as_json:
        _print_json([{"line": one.line, "problem": one.text, "hint": one.hint} for one in problems])
    else:
        for one in problems:
            say(str(one))
        if not problems:
            say("nothing is wrong" if loaded.is_there else "there is no file, so nothing is wrong")
    return 1 if problems else 0


def _show(loaded: Loaded, *, as_json: bool) -> None:
    from ...services.secrets import without_secrets
    from ...services.settings.example import toml_value

    values = list(loaded.values())
    if as_json:
        import msgspec

        made = {
            "path": str(loaded.path) if loaded.path is not None else None,
            "is_there": loaded.is_there,
            "values": [
                {"name": name, "value": msgspec.to_builtins(value), "from": source} for name, value, source in values
            ],
            "problems": [{"line": one.line, "problem": one.text, "hint": one.hint} for one in loaded.problems],
        }
        _print_json(made)
        return
    state = "" if loaded.is_there else "  (not there)"
    say(f"file  {loaded.path or 'none: there is no home folder'}{state}\n")
    rows = [(name, without_secrets(toml_value(value)), source) for name, value, source in values]
    say(table_text(("setting", "value", "from"), rows, (1,)))


def _show_keys(loaded: Loaded, *, as_json: bool) -> None:
    from ..actions.registry import ACTIONS
    from ..keys.key_names import keys_shown
    from ..keys.keymap import use_keymap
    from ..keys.keymap_reading import read_keymap

    use_keymap(read_keymap(loaded.settings.keys, loaded.lines)[0])
    if as_json:
        _print_json(
            [
                {"action": one.name, "keys": keys_shown(one), "where": [*one.scopes], "does": one.description}
                for one in ACTIONS
            ]
        )
        return
    rows = [(one.name, " ".join(keys_shown(one)), ", ".join(one.scopes), one.title or one.label) for one in ACTIONS]
    say(table_text(("action", "keys", "where", "what"), rows, (2, 3)))


def _print_json(value: Any) -> None:
    import json

    say(json.dumps(_told(value), ensure_ascii=True, indent=2))


def _told(value: Any) -> Any:
    """A value as JSON has it, its texts without passwords."""
    from ...services.secrets import without_secrets

    if isinstance(value, dict):
        return {key: _told(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_told(one) for one in value]
    return without_secrets(value) if isinstance(value, str) else value
