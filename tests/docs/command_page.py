"""docs/reference/commands.md and the table of docs/reference/exit-codes.md: made from the command line itself."""

from __future__ import annotations

import html
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click

from xpudbg.tui.cli import main

__all__ = ["REFERENCE", "codes_of", "commands", "commands_page", "with_codes"]

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"

_HEAD = """\
<!-- Written by `python -m tests.docs` from the command line itself: change the help of a command instead. -->

# Commands

Every command with every option, as `-h` and `--help` of a command print them. What the exit codes have in common stands
[here](exit-codes.md). Most options can be set for good in the [settings](../settings.md); a target or a
server may be a name of these.
"""
_CODES = re.compile(r"[Ee]xit codes(?: are those of the last look)?: (.*)", re.S)
_BEGIN = "<!-- exit codes: written by `python -m tests.docs` -->"
_END = "<!-- end of exit codes -->"
_BETWEEN = re.compile(f"{re.escape(_BEGIN)}.*?{re.escape(_END)}", re.S)
_OPTION = re.compile(r"(?<![\w`])(--?[a-z][a-z-]*)")
_MARKUP = str.maketrans({sign: f"\\{sign}" for sign in "\\*_[]|"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def commands() -> dict[str, click.Command]:
    """All commands by name, in the order of `xpudbg --help`."""
    context = _context()
    found = {}
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        if not command.hidden:
            found[name] = command
    return found


def codes_of(command: click.Command) -> dict[int, str]:
    """What the help of a command says of its exit codes; empty when it says nothing."""
    said = _CODES.search(" ".join((command.help or "").split()))
    if said is None:
        return {}
    parts = re.split(r", (?=\d )", said[1].rstrip("."))
    return {int(code): meaning for code, _, meaning in (part.partition(" ") for part in parts)}


def commands_page() -> str:
    """The whole page."""
    names = commands()
    links = " · ".join(f"[{name}](#xpudbg-{name})" for name in names)
    parts = [_HEAD, links, "", "## xpudbg", "", *_body(main, _context())]
    for name, command in names.items():
        context = click.Context(command, info_name=name, parent=_context())
        parts += ["", f"## xpudbg {name}", "", *_body(command, context)]
    return "\n".join(parts) + "\n"


def with_codes(text: str) -> str:
    """The page of exit codes with its table as it is now.

    Raises:
        ValueError: it has not exactly one place for it.
    """
    if len(_BETWEEN.findall(text)) != 1:
        raise ValueError(f"docs/reference/exit-codes.md needs {_BEGIN} and {_END} once")
    lines = ["| command | 0 | 1 | 2 | 3 | 4 |", "|---|---|---|---|---|---|"]
    for name, command in commands().items():
        if codes := codes_of(command):
            cells = " | ".join(_prose(codes.get(code, "")) for code in range(5))
            lines.append(f"| [`{name}`](commands.md#xpudbg-{name}) | {cells} |")
    made = "\n".join((_BEGIN, "", *lines, "", _END))
    return _BETWEEN.sub(lambda _found: made, text)


def _context() -> click.Context:
    return click.Context(main, info_name="xpudbg", **main.context_settings)


def _body(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join((context.command_path, *command.collect_usage_pieces(context)))
    yield from ("```text", usage, "```", "")
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        lines = paragraph.split("\n")
        if lines[0].strip() == "\b":
            yield from ("```text", *lines[1:], "```", "")
        else:
            yield from (_prose(" ".join(lines)), "")
    rows = []
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if isinstance(parameter, click.Option) and record is not None:
            rows.append(f"| <code>{html.escape(record[0]).replace('|', '&#124;')}</code> | {_prose(record[1])} |")
    if rows:
        yield from ("| option | |", "|---|---|", *rows)


def _prose(text: str) -> str:
    """Help as Markdown: code stays code, all other signs are what they are; options are code."""
    pieces = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(piece if piece.startswith("`") else _plain(piece) for piece in pieces)


def _plain(text: str) -> str:
    """Words in which Markdown finds nothing, and options as code."""
    pieces = _OPTION.split(text)
    made = []
    for place, piece in enumerate(pieces):
        made.append(f"`{piece}`" if place % 2 else piece.translate(_MARKUP))
    return "".join(made)
