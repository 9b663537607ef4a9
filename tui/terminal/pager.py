"""Shows a text in the person's pager while the screen is put aside."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ...services.plain_text import plain
from .outside_program import OutsideError, run_outside

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

__all__ = ["page", "plain_file"]

LONGEST_LINE = 1_000_000


def page(app: App[int], text: str, name: str, env: Mapping[str, str]) -> None:
    """Run $PAGER (else less, else more) on a file with the text, and come back when it ends.

    Control characters are visible escapes in that file: a pager may pass them on to the terminal.

    Args:
        name: what the file is called; pagers show it.

    Raises:
        OutsideError: there is no pager, it cannot be started, or the terminal cannot be given away.
    """
    command = _command(env)
    with tempfile.TemporaryDirectory(prefix="xpudbg-") as folder:
        run_outside(app, [*command, str(plain_file(text, Path(folder), name))])


def plain_file(text: str, folder: Path, name: str) -> Path:
    """A file with a text, its control characters made visible, line by line."""
    file = folder / name
    file.write_text("\n".join(plain(line, LONGEST_LINE) for line in text.split("\n")), encoding="utf-8")
    return file


def _command(env: Mapping[str, str]) -> list[str]:
    try:
        chosen = shlex.split(env.get("PAGER", ""))
    except ValueError as error:
        raise OutsideError(f"PAGER cannot be read: {error}") from None
    if chosen:
        return chosen
    found = next((name for name in ("less", "more") if shutil.which(name)), None)
    if found is None:
        raise OutsideError("there is neither PAGER nor less nor more here")
    return [found]
