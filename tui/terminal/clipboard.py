"""How a text comes to the clipboard of the person, who may be several programs and machines away.

A terminal puts on its clipboard what the control sequence OSC 52 holds (xterm's control sequences, "Manipulate
Selection Data"), and never says whether it has. tmux and GNU screen stand between; what gets through them was tried
with tmux 3.3a and screen 4.09. What cannot be sent goes to a file.
"""

from __future__ import annotations

import base64
import subprocess
import tempfile
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from ...services.new_file import create_new
from ...services.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "SEQUENCE_LIMIT",
    "TERMINAL_LIMIT",
    "Clipboard",
    "Way",
    "clipboard_of",
    "copied_to_file",
    "hand_over",
    "in_tmux",
    "sequences",
]

SEQUENCE_LIMIT = 100_000
"""Bytes of a whole sequence that terminals are known to take; some drop a longer one without a word."""
TERMINAL_LIMIT = (SEQUENCE_LIMIT - len("\x1b]52;c;\a")) // 4 * 3
"""Bytes of text that make a sequence of that length: 74,994."""
BROWSER_LIMIT = 5_000_000
"""The same for the terminal in a browser, which gives up at 10 million characters."""
SCREEN_PIECE = 240
"""Bytes of a sequence in one string of GNU screen, whose buffer has 256 in old versions and 768 in new ones."""
TMUX_TIMEOUT_S = 3.0
FILE_NAME = "xpudbg-copied.txt"

_WITHOUT = frozenset(("linux", "vt52", "vt100", "vt102", "vt220", "dumb", "ansi", "cons25"))


class Way(StrEnum):
    """Who takes the text."""

    TERMINAL = "terminal"
    TMUX = "tmux"
    TMUX_AFAR = "tmux of another machine"
    MULTIPLEXER_AFAR = "tmux or screen of another machine"
    SCREEN = "screen"
    BROWSER = "browser"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Clipboard:
    """What is known of the clipboard."""

    way: Way
    limit: int = TERMINAL_LIMIT
    """Bytes of text it takes."""
    why: str = ""
    """Why there is none."""


def clipboard_of(env: Mapping[str, str], *, browser: bool = False) -> Clipboard:
    """What the environment tells of the clipboard.

    Args:
        browser: the screens are shown in one; what the environment says of a terminal means nothing then.
    """
    if browser:
        return Clipboard(Way.BROWSER, BROWSER_LIMIT)
    if env.get("TMUX"):
        return Clipboard(Way.TMUX)
    if env.get("STY"):
        return Clipboard(Way.SCREEN)
    term = env.get("TERM", "")
    if env.get("TERM_PROGRAM") == "Apple_Terminal":
        return Clipboard(Way.NOBODY, why="Terminal of macOS takes no text for the clipboard")
    if term.partition("-")[0] in _WITHOUT:
        return Clipboard(Way.NOBODY, why=f"a terminal of the kind {plain(term, 20)} has no clipboard")
    if term.startswith("tmux"):
        return Clipboard(Way.TMUX_AFAR)
    return Clipboard(Way.MULTIPLEXER_AFAR if term.startswith("screen") else Way.TERMINAL)


def sequences(data: bytes, way: Way) -> str:
    """What to write to the terminal so that `data` comes to its clipboard.

    tmux takes the sequence itself where `set-clipboard` is on, and hands a wrapped one on where `allow-passthrough`
    is on. It drops the other one, so that both are written. screen hands on wrapped pieces only, always.
    """
    plain_one = f"\x1b]52;c;{base64.b64encode(data).decode('ascii')}\a"
    if way is Way.SCREEN:
        pieces = (plain_one[at : at + SCREEN_PIECE] for at in range(0, len(plain_one), SCREEN_PIECE))
        return "".join(f"\x1bP{piece}\x1b\\" for piece in pieces)
    if way in (Way.TMUX, Way.TMUX_AFAR):
        inner = plain_one.replace("\x1b", "\x1b\x1b")
        return f"{plain_one}\x1bPtmux;{inner}\x1b\\"
    return plain_one


def hand_over(text: str, name: str, board: Clipboard, write: Callable[[str], object], folder: Path) -> str:
    """Bring a text to the clipboard, or to a file where there is none or the text is too long for it.

    Under tmux another program is run for it: not for the event loop.

    Args:
        name: what to call the text.
        write: writes to the terminal.
        folder: where a file is made.

    Returns:
        What to say: how much went where.
    """
    data = text.encode("utf-8", "backslashreplace")
    amount = _amount(text, name)
    if board.why:
        return copied_to_file(text, name, folder, board.why)
    if len(data) > board.limit:
        return copied_to_file(text, name, folder, f"a clipboard takes {board.limit:,} bytes, this has {len(data):,}")
    if board.way is Way.TMUX:
        try:
            features = in_tmux(data)
        except (OSError, subprocess.SubprocessError) as error:
            write(sequences(data, board.way))
            return f"sent {amount}, to the terminal's clipboard (OSC 52); tmux itself did not take it: {_why(error)}"
        if features and "clipboard" not in features.split(","):
            return f"{amount}, is in tmux's buffer: prefix ] pastes it; tmux knows no clipboard of this terminal"
        return f"sent {amount}, to tmux's buffer and the terminal's clipboard"
    write(sequences(data, board.way))
    if board.way is Way.BROWSER:
        return f"sent {amount}, to the browser's clipboard"
    through = {
        Way.SCREEN: " through screen",
        Way.TMUX_AFAR: ", if tmux there has `set-clipboard on`",
        Way.MULTIPLEXER_AFAR: ", if tmux there has `set-clipboard on`; screen there drops it",
    }
    return f"sent {amount}, to the terminal's clipboard (OSC 52){through.get(board.way, '')}"


def in_tmux(data: bytes) -> str:
    """Put a text into tmux's newest buffer and have tmux send it to its terminal, whatever `set-clipboard` is.

    Returns:
        What tmux knows its terminal can do, with commas; empty when it does not tell.

    Raises:
        OSError: there is no tmux here.
        subprocess.SubprocessError: it failed, as versions before 3.2 do, or did not end.
    """
    ended = subprocess.run(
        ["tmux", "load-buffer", "-w", "-", ";", "display-message", "-p", "#{client_termfeatures}"],  # noqa: S607
        input=data,
        capture_output=True,
        timeout=TMUX_TIMEOUT_S,
        check=True,
    )
    return ended.stdout.decode("utf-8", "replace").strip()


def copied_to_file(text: str, name: str, folder: Path, why: str = "") -> str:
    """Write a text to a new file in `folder`, or in a private folder for temporary files where that cannot be.

    Returns:
        What to say: where it is, or why it is nowhere.
    """
    because = f" ({why})" if why else ""
    try:
        path = _written(text, folder)
    except OSError as error:
        return f"{name} could not be copied{because}, and not be written to a file: {error.strerror or error}"
    return f"{_amount(text, name)}, is in {path}{because}"


def _written(text: str, folder: Path) -> Path:
    try:
        path, file = create_new(folder, FILE_NAME)
    except OSError:
        path, file = create_new(Path(tempfile.mkdtemp(prefix="xpudbg-")), FILE_NAME)
    with file:
        file.write(text.encode("utf-8", "backslashreplace"))
    return path


def _amount(text: str, name: str) -> str:
    lines = text.count("\n") + (not text.endswith("\n"))
    return f"{name}, {len(text):,} characters{f' in {lines:,} lines' if lines > 1 else ''}"


def _why(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        said = plain(error.stderr.decode("utf-8", "replace").strip(), 200)
        return said or f"status {error.returncode}"
    if isinstance(error, subprocess.TimeoutExpired):
        return f"no answer in {TMUX_TIMEOUT_S:g} s"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
