"""The way of a text to the clipboard: through tmux and screen, to a file where there is none."""

from __future__ import annotations

import base64
import re
import sys
from pathlib import Path

import pytest

from xpudbg.tui.terminal.clipboard import (
    SCREEN_PIECE,
    SEQUENCE_LIMIT,
    TERMINAL_LIMIT,
    Clipboard,
    Way,
    clipboard_of,
    copied_to_file,
    hand_over,
    sequences,
)

TMUX = {"TMUX": "/run/tmux/default,1,0", "TERM": "tmux-256color"}


@pytest.mark.parametrize(
    ("env", "way"),
    [
        ({"TERM": "xterm-256color"}, Way.TERMINAL),
        ({}, Way.TERMINAL),
        (TMUX, Way.TMUX),
        ({"STY": "12.pts-0.host", "TERM": "screen"}, Way.SCREEN),
        ({"TERM": "tmux-256color"}, Way.TMUX_AFAR),
        ({"TERM": "screen.xterm-256color"}, Way.MULTIPLEXER_AFAR),
        ({"TERM": "linux"}, Way.NOBODY),
        ({"TERM": "vt100"}, Way.NOBODY),
        ({"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, Way.NOBODY),
    ],
    ids=lambda value: value.name if isinstance(value, Way) else ",".join(value),
)
def test_what_the_environment_tells(env: dict[str, str], way: Way) -> None:
    board = clipboard_of(env)
    assert board.way is way
    assert bool(board.why) is (way is Way.NOBODY)


def test_in_a_browser_the_terminal_of_the_server_means_nothing() -> None:
    assert clipboard_of({**TMUX, "STY": "1", "TERM": "linux"}, browser=True).way is Way.BROWSER


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("data", [b"", b"x", b"\x00\x1b\xff" * 500], ids=["nothing", "one", "many"])
def test_a_sequence_holds_the_data_once_it_is_unwrapped(way: Way, data: bytes) -> None:
    written = sequences(data, way)
    wanted = f"\x1b]52;c;{base64.b64encode(data).decode()}\a"
    if way is Way.SCREEN:
        pieces = re.findall("\x1bP(.*?)\x1b\\\\", written, re.S)
        assert "".join(pieces) == wanted
        assert all(len(piece) <= SCREEN_PIECE for piece in pieces)
        assert re.sub("\x1bP.*?\x1b\\\\", "", written, flags=re.S) == ""
    elif way in (Way.TMUX, Way.TMUX_AFAR):
        bare, passed = written.split("\x1bPtmux;")
        assert bare == wanted
        assert passed.removesuffix("\x1b\\").replace("\x1b\x1b", "\x1b") == wanted
    else:
        assert written == wanted


def test_the_limit_is_that_of_the_sequence() -> None:
    assert TERMINAL_LIMIT == 74_994
    assert len(sequences(b"x" * TERMINAL_LIMIT, Way.TERMINAL)) <= SEQUENCE_LIMIT
    assert len(sequences(b"x" * (TERMINAL_LIMIT + 1), Way.TERMINAL)) > SEQUENCE_LIMIT


def test_it_says_how_much_was_sent(tmp_path: Path) -> None:
    written: list[str] = []
    said = hand_over("é\n" * 1_000, "the verdict", Clipboard(Way.TERMINAL), written.append, tmp_path)
    assert said == "sent the verdict, 2,000 characters in 1,000 lines, to the terminal's clipboard (OSC 52)"
    assert written == [sequences("é\n".encode() * 1_000, Way.TERMINAL)]
    assert not list(tmp_path.iterdir())


def test_bytes_count_for_the_limit_not_characters(tmp_path: Path) -> None:
    """A text as long as the limit allows is sent; one byte more goes to a file, whole."""
    written: list[str] = []
    board = Clipboard(Way.TERMINAL)
    fits = "é" * (TERMINAL_LIMIT // 2)
    assert hand_over(fits, "a", board, written.append, tmp_path).startswith("sent a, 37,497 characters, ")
    said = hand_over(fits + "x", "a", board, written.append, tmp_path)
    file = tmp_path / "xpudbg-copied.txt"
    assert said == f"a, 37,498 characters, is in {file} (a clipboard takes 74,994 bytes, this has 74,995)"
    assert file.read_text(encoding="utf-8") == fits + "x"
    assert len(written) == 1


def test_without_a_clipboard_it_is_in_a_file_beside_earlier_ones(tmp_path: Path) -> None:
    written: list[str] = []
    board = clipboard_of({"TERM": "linux"})
    for name in ("xpudbg-copied.txt", "xpudbg-copied-2.txt"):
        said = hand_over("a\ud800", "the row", board, written.append, tmp_path)
        assert said == (
            f"the row, 2 characters, is in {tmp_path / name} (a terminal of the kind linux has no clipboard)"
        )
        assert (tmp_path / name).read_bytes() == b"a\\ud800"
    assert not written


def test_where_the_folder_takes_no_file_it_is_in_another_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = copied_to_file("text", "the row", tmp_path / "gone")
    (folder,) = tmp_path.iterdir()
    assert said == f"the row, 4 characters, is in {folder / 'xpudbg-copied.txt'}"
    assert folder.stat().st_mode & 0o077 == 0
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    said = copied_to_file("text", "the row", tmp_path / "gone", "why")
    assert said == "the row could not be copied (why), and not be written to a file: No such file or directory"


def fake_tmux(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """A program called tmux, the only one there is; what it is given goes to a file."""
    seen = folder / "seen"
    program = folder / "tmux"
    program.write_text(f"#!{sys.executable}\nimport pathlib, sys\nSEEN = pathlib.Path({str(seen)!r})\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return seen


@pytest.mark.parametrize(
    ("features", "says"),
    [
        ("bpaste,clipboard,title", "sent a, 4 characters, to tmux's buffer and the terminal's clipboard"),
        ("", "sent a, 4 characters, to tmux's buffer and the terminal's clipboard"),
        ("bpaste,title", "is in tmux's buffer: prefix ] pastes it; tmux knows no clipboard of this terminal"),
    ],
)
def test_tmux_takes_it_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, features: str, says: str) -> None:
    script = f"SEEN.write_text(repr((sys.argv[1:4], sys.stdin.read())))\nprint({features!r})"
    seen = fake_tmux(tmp_path, monkeypatch, script)
    written: list[str] = []
    assert says in hand_over("t\x1bx'", "a", Clipboard(Way.TMUX), written.append, tmp_path)
    assert seen.read_text() == repr((["load-buffer", "-w", "-"], "t\x1bx'"))
    assert not written


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("sys.exit('unknown option -- w\\x1b')", "unknown option -- w\\x1b"),
        ("sys.exit(3)", "status 3"),
        (None, "No such file or directory"),
    ],
    ids=["old", "failed", "absent"],
)
def test_where_tmux_does_not_take_it_both_sequences_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, says: str
) -> None:
    if script is None:
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        fake_tmux(tmp_path, monkeypatch, script)
    written: list[str] = []
    said = hand_over("text", "a", Clipboard(Way.TMUX), written.append, tmp_path)
    assert said.endswith(f"clipboard (OSC 52); tmux itself did not take it: {says}")
    assert written == [sequences(b"text", Way.TMUX)]
