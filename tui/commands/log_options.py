"""`--log`: the program's log goes to a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...services.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["begin_log", "log_options"]

F = TypeVar("F", bound="Callable[..., Any]")


def log_options(command: F) -> F:
    """Add the options of the log, which stand before the command."""
    options = [
        click.option(
            "--log",
            type=click.Path(dir_okay=False, path_type=Path),
            metavar="FILE",
            help="Log to a file what was done and what failed; else XPUDBG_LOG.",
        ),
        click.option(
            "--log-level",
            type=click.Choice(["debug", "info", "warning", "error"]),
            help="Least important messages that the log takes; else XPUDBG_LOG_LEVEL.  [default: info]",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def begin_log(path: Path | None, level: str | None) -> None:
    """Begin the log where one is wanted: by the options, the environment or the settings, in this order.

    Raises:
        click.UsageError: the file of the option can't be written. One of the environment or the settings that can't is
            said on standard error.
    """
    from ..loaded_settings import loaded_settings

    settings = loaded_settings().settings
    wanted = path or (Path(settings.log).expanduser() if settings.log else None)
    if wanted is None:
        return
    from ...services.logs import log_to, logger

    try:
        log_to(wanted, level or settings.log_level)
    except OSError as error:
        said = f"the log can't be written to {wanted}: {error.strerror or error}"
        if path is not None:
            raise click.UsageError(f"{said}\nname another file with --log") from error
        print(f"xpudbg: {said}", file=sys.stderr)
        return
    logger("xpudbg.tui.cli").info("xpudbg %s: %s", __version__, " ".join(sys.argv[1:]))
