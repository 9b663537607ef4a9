"""Shows a text in the person's pager while the screen is put aside."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from ..services.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

__all__ = ["PagerError", "page"]

LONGEST_LINE = 1_000_000


class PagerError(Exception):
    """The text could not be shown; the message is one plain line."""


def page(app: App[int], text: str, name: str, env: Mapping[str, str]) -> None:
    """Run $PAGER (else less, else more) on a file with the text, and come back when it ends.

    Control characters are visible escapes in that file: a pager may pass them on to the terminal.

    Args:
        name: what the file is called; pagers show it.

    Raises:
        PagerError: there is no pager, it cannot be started, or the terminal cannot be given away.
    """
    command = _command(env)
    with tempfile.TemporaryDirectory(prefix="xpudbg-") as folder:
        file = Path(folder) / name
        file.write_text("\n".join(plain(line, LONGEST_LINE) for line in text.split("\n")), encoding="utf-8")
        try:
            with app.suspend():
                ended = subprocess.run([*command, str(file)], check=False)  # noqa: S603 - the person's own pager
        except SuspendNotSupported:
            raise PagerError("this terminal cannot be given to another program") from None
        except OSError as error:
            raise PagerError(f"{command[0]} cannot be started: {error.strerror}") from None
    if ended.returncode > 0:
        raise PagerError(f"{command[0]} ended with status {ended.returncode}")


def _command(env: Mapping[str, str]) -> list[str]:
    try:
        chosen = shlex.split(env.get("PAGER", ""))
    except ValueError as error:
        raise PagerError(f"PAGER cannot be read: {error}") from None
    if chosen:
        return chosen
    found = next((name for name in ("less", "more") if shutil.which(name)), None)
    if found is None:
        raise PagerError("there is neither PAGER nor less nor more here")
    return [found]
