"""Captures on the disk: a folder each, with the traces of ranks and a small file that says what they are of."""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ..instants import stamp_text
from .trace_event import UNREADABLE
from .trace_set import TraceRow, TraceSet, TraceState

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ABOUT",
    "FOLDER_VARIABLE",
    "SavedCapture",
    "TracesError",
    "captures_folder",
    "new_folder",
    "open_folder",
    "open_traces",
    "remove_empty",
    "saved_captures",
    "trace_name",
    "write_about",
]

FOLDER_VARIABLE = "XPUDBG_PROFILES"
"""Names the folder of captures, in place of the user's own."""
ABOUT = "capture.json"
MOST_LISTED = 500
"""Captures listed, the newest first."""
MOST_TRACES = 100_000
_RANK = re.compile(r"rank[-_ ]?0*(\d{1,7})(?!\d)", re.IGNORECASE)
_TRACE = re.compile(r"\.json(\.gz)?$", re.IGNORECASE)


class TracesError(Exception):
    """Captures can't be kept or read; message and hint are for a person."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class _About(msgspec.Struct):
    target: str = ""
    began_at: int | None = None
    duration_s: float | None = None


@dataclass(frozen=True, slots=True)
class SavedCapture:
    """One folder."""

    folder: Path
    target: str
    began_at: int | None
    """ns since the epoch."""
    duration_s: float | None
    traces: int
    size: int
    """Bytes of its traces on the disk."""


def captures_folder() -> Path:
    """The folder that captures go to.

    Raises:
        TracesError: there is no home folder.
    """
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    import platformdirs

    try:
        return platformdirs.user_data_path("xpudbg", appauthor=False) / "profiles"
    except RuntimeError as error:  # a user without a home: a container's random uid
        raise TracesError(
            "there is no home folder for captures", hint=f"name a folder with {FOLDER_VARIABLE}"
        ) from error


def new_folder(parent: Path, began_at: int) -> Path:
    """Make the folder of one capture, for its owner's eyes only.

    Raises:
        TracesError: the disk refuses.
    """
    name = stamp_text(began_at)
    try:
        parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        for number in range(1, 1_000):
            folder = parent / (name if number == 1 else f"{name}-{number}")
            try:
                folder.mkdir(mode=0o700)
            except FileExistsError:
                continue
            return folder
    except OSError as error:
        hint = f"name another folder with {FOLDER_VARIABLE}"
        raise TracesError(f"no folder can be made in {parent}: {error.strerror or error}", hint) from error
    raise TracesError(f"{parent / name} and 998 more are there already")


def trace_name(rank: int) -> str:
    """The name of a rank's trace."""
    return f"rank-{rank:05d}.json.gz"


def write_about(one: TraceSet) -> None:
    """Say in its folder what a capture is of.

    Raises:
        OSError: the disk refuses.
    """
    assert one.folder is not None
    about = _About(one.target, one.began_at, one.duration_s)
    (one.folder / ABOUT).write_bytes(msgspec.json.format(msgspec.json.encode(about), indent=2) + b"\n")


def remove_empty(folder: Path) -> None:
    """Remove the folder of a capture that has no trace; one that holds anything else stays.

    Nothing is raised: what the disk does not let go of does no harm.
    """
    with contextlib.suppress(OSError):
        if {path.name for path in folder.iterdir()} <= {ABOUT}:
            (folder / ABOUT).unlink(missing_ok=True)
            folder.rmdir()


def saved_captures(parent: Path) -> tuple[SavedCapture, ...]:
    """The captures in a folder, newest first; those without a trace are left out.

    Raises:
        OSError: the folder can't be read.
    """
    if not parent.is_dir():
        return ()
    folders = sorted((path for path in parent.iterdir() if path.is_dir()), key=lambda path: path.name, reverse=True)
    found = []
    for folder in folders[:MOST_LISTED]:
        traces = _traces_in(folder)
        if traces:
            about = _about(folder)
            size = sum(path.stat().st_size for path in traces)
            found.append(SavedCapture(folder, about.target, about.began_at, about.duration_s, len(traces), size))
    return tuple(found)


def open_folder(folder: Path) -> TraceSet:
    """A saved capture.

    Raises:
        TracesError: it has no trace, or can't be read.
    """
    try:
        traces = _traces_in(folder)
    except OSError as error:
        raise TracesError(f"{folder} can't be read: {error.strerror or error}") from error
    if not traces:
        raise TracesError(f"{folder} has no trace", hint="traces are files named *.json or *.json.gz")
    about = _about(folder)
    return _of_files(str(folder), traces, folder, about)


def open_traces(paths: Iterable[Path]) -> TraceSet:
    """Trace files, or the folder of a capture, as a set; ranks are told by names such as rank-3.json.gz, else counted.

    Raises:
        TracesError: none is there.
    """
    given = list(paths)
    if len(given) == 1 and given[0].is_dir():
        return open_folder(given[0])
    missing = [path for path in given if not path.is_file()]
    if missing or not given:
        raise TracesError(f"{missing[0]} is no file" if missing else "no file was named")
    return _of_files(" ".join(map(str, given)), given, None, _About())


def _of_files(name: str, traces: list[Path], folder: Path | None, about: _About) -> TraceSet:
    rows: dict[int, TraceRow] = {}
    free = 0
    for path in traces:
        named = _RANK.search(path.name)
        rank = int(named[1]) if named else free
        while rank in rows:
            rank += 1
        free = max(free, rank + 1)
        rows[rank] = TraceRow(rank, TraceState.DONE, path, stored=path.stat().st_size)
    title = folder.name if folder is not None else traces[0].name + (f" and {len(traces) - 1} more" * (len(traces) > 1))
    return TraceSet(name, title, folder, about.duration_s, about.began_at, dict(sorted(rows.items())), about.target)


def _traces_in(folder: Path) -> list[Path]:
    names = [path for path in folder.iterdir() if _TRACE.search(path.name) and path.name != ABOUT]
    return sorted(path for path in names if path.is_file() and not path.name.startswith("merged"))[:MOST_TRACES]


def _about(folder: Path) -> _About:
    """What the folder says of itself; nothing when it does not, or not in this way."""
    try:
        with (folder / ABOUT).open("rb") as file:
            return msgspec.json.decode(file.read(64 * 1024), type=_About)
    except (OSError, *UNREADABLE):
        return _About()
