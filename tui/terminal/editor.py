"""Opens a source file at a line, or a text, in the person's editor while the screen is put aside."""

from __future__ import annotations

import shlex
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from .outside_program import OutsideError, run_outside
from .pager import plain_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from textual.app import App

__all__ = ["edit_source", "edit_text", "editor_command"]

_FOUND = ("nano", "vim", "vi", "emacs")
"""What is looked for where no variable names an editor."""
_COLON = frozenset(("hx", "helix", "subl", "sublime_text", "zed", "zeditor", "atom"))
"""Editors that take FILE:LINE."""
_GOTO = frozenset(("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf", "positron", "code-server"))
"""Those that take it after -g."""
_LINE_OPTION = {
    **dict.fromkeys(("idea", "pycharm", "clion", "goland", "rustrover", "fleet"), "--line"),
    **dict.fromkeys(("kate", "kwrite", "mate"), "--line"),
}
_NO_LINE = frozenset(("ed", "notepad", "open", "xdg-open"))
_RETURN_AT_ONCE = _GOTO | {"subl", "sublime_text", "zed", "zeditor", "atom", "mate", "idea", "pycharm", "clion"}
"""Those with a window of their own: they end at once unless told to wait."""


def editor_command(env: Mapping[str, str], path: str, line: int | None = None, *, wait: bool = False) -> list[str]:
    """The words that open a file in $VISUAL, else $EDITOR, else an editor that is there.

    Args:
        path: absolute, so that it is never taken for an option.
        line: the first is 1; None for the beginning.
        wait: the file is gone when the command ends, so that an editor with a window has to wait until it is closed.

    Raises:
        OutsideError: there is no editor.
    """
    words = _chosen(env)
    name = Path(words[0]).name.lower().removesuffix(".exe")
    if wait and name in _RETURN_AT_ONCE and not {"--wait", "-w"} & set(words):
        words.append("--wait")
    if line is None or name in _NO_LINE:
        return [*words, path]
    if name in _COLON:
        return [*words, f"{path}:{line}"]
    if name in _GOTO:
        return [*words, "-g", f"{path}:{line}"]
    if name in _LINE_OPTION:
        return [*words, _LINE_OPTION[name], str(line), path]
    return [*words, f"+{line}", path]  # vi and its kin, nano, emacs, emacsclient, joe, kak, ne, mcedit


def edit_source(app: App[int], path: str, line: int, env: Mapping[str, str]) -> None:
    """Open a file of this machine at a line, and come back when the editor ends.

    Raises:
        OutsideError: there is no editor, it cannot be started, or the terminal cannot be given away.
    """
    run_outside(app, editor_command(env, path, line))


def edit_text(app: App[int], text: str, name: str, env: Mapping[str, str]) -> None:
    """Open a copy of a text, control characters made visible. What is written there is gone with the editor's end,
    unless it is saved under another name.

    Raises:
        OutsideError: as `edit_source`.
    """
    with tempfile.TemporaryDirectory(prefix="xpudbg-") as folder:
        file = plain_file(text, Path(folder), name)
        run_outside(app, editor_command(env, str(file), wait=True))


def _chosen(env: Mapping[str, str]) -> list[str]:
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = shlex.split(env.get(variable, ""))
        except ValueError as error:
            raise OutsideError(f"{variable} cannot be read: {error}") from None
        if words:
            return words
    found = next((name for name in _FOUND if shutil.which(name)), None)
    if found is None:
        raise OutsideError(f"neither VISUAL nor EDITOR is set, and none of {', '.join(_FOUND)} is here")
    return [found]
