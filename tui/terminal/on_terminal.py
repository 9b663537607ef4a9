"""The screens on the terminal that the program was started in: whether it can show them, and how."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .collections_spared import spare_collections
from .kind import TerminalKind, first_environment, terminal_kind, why_not

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..app import XpudbgApp

__all__ = ["SERVED_DRIVER", "ScreenOptions", "check_terminal", "screen_options", "show"]

F = TypeVar("F", bound="Callable[..., Any]")


SERVED_DRIVER = "xpudbg.tui.web.served_driver:ServedDriver"
"""What TEXTUAL_DRIVER says where the screens are shown in a browser."""


@dataclass(frozen=True, slots=True)
class ScreenOptions:
    """What was asked for on the command line; None where nothing was."""

    ascii: bool | None = None
    mouse: bool | None = None

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> ScreenOptions:
        """Those of `screen_options`, taken out of a command's other options."""
        return cls(options.pop("ascii_only"), options.pop("with_mouse"))


def screen_options(command: F) -> F:
    """Add the options that say how to draw."""
    options = [
        click.option(
            "--ascii/--no-ascii",
            "ascii_only",
            default=None,
            help="Draw with ASCII alone; else XPUDBG_ASCII, else where the locale is not one of UTF-8.",
        ),
        click.option(
            "--mouse/--no-mouse",
            "with_mouse",
            default=None,
            help="Take the mouse, or leave it to the terminal, for selecting text; else XPUDBG_NO_MOUSE.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def check_terminal(instead: str) -> None:
    """Make sure that there is a terminal which can show the screens, or a browser.

    Args:
        instead: what can be done without one.

    Raises:
        click.UsageError: there is none, or it cannot.
    """
    if os.environ.get("TEXTUAL_DRIVER") == SERVED_DRIVER:
        return
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError(f"the screens need a terminal; {instead}")
    if reason := why_not(os.environ):
        raise click.UsageError(f"the screens need a terminal with a cursor to move, and {reason}; {instead}")


def show(app: XpudbgApp, wanted: ScreenOptions) -> int:
    """Run an application on this terminal; its exit code."""
    env = first_environment(os.environ)
    loaded = app.preferences.loaded
    as_set = loaded.settings.ascii if loaded.source("ascii") != "default" else None
    ascii_only = wanted.ascii if wanted.ascii is not None else as_set
    if os.environ.get("TEXTUAL_DRIVER") == SERVED_DRIVER:
        app.paint_for(TerminalKind(bool(ascii_only)))  # a browser has all characters and colours, whatever the locale
    else:
        app.paint_for(terminal_kind(env, app.console.color_system, ascii=ascii_only))
    spare_collections()
    mouse = wanted.mouse if wanted.mouse is not None else loaded.settings.mouse
    code = app.run(mouse=mouse)
    return code if code is not None else app.return_code or 0
