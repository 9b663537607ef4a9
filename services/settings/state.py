"""What the program remembers by itself, apart from settings: one small JSON file in the user's state folder.

Two programs may change it at once: a change reads the file, alters its part and writes it anew while the folder is
locked. Parts that this version does not know are kept as they are.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["FILE_LIMIT", "WIDEST", "KeptTable", "Remembered", "StateFile", "kept_table", "state_path"]

T = TypeVar("T")

FILE_LIMIT = 64 * 1024
"""Bytes of the file that are read; ours is never that large."""
WIDEST = 1_000
"""Terminal cells of a column at most."""
LOCK_TRIES = 50
LOCK_PAUSE_S = 0.01
"""Another program holds the lock for the time of one small write; after all tries it is gone without."""

_NO_HOME = "there is no home folder, so nothing is remembered"


def state_path() -> Path | None:
    """The file in the user's state folder; None for a user without a home (a container's random uid)."""
    import platformdirs

    try:
        return platformdirs.user_state_path("xpudbg", appauthor=False) / "state.json"
    except RuntimeError:
        return None


class StateFile:
    """The file, part by part. One that cannot be read or written is said in `problem`, nothing worse."""

    def __init__(self, path: Path | None, what: str = "what was remembered") -> None:
        """
        Args:
            path: None: nothing is read, nothing is kept.
            what: what a problem calls it.
        """
        self._path = path
        self._what = what
        self.problem = "" if path is not None else _NO_HOME
        """What is wrong with the file, one line; empty when nothing is."""
        self._is_left_alone = False
        """Whether what is there may be somebody's who would miss it."""

    @property
    def path(self) -> Path | None:
        return self._path

    def get(self, name: str, kind: type[T]) -> T | None:
        """A part; None when it is not there or is no such thing."""
        return self._part(self._read(), name, kind)

    def change(self, name: str, kind: type[T], change: Callable[[T | None], T]) -> None:
        """Change a part and write the file, unless it is so already.

        Args:
            change: gets the part as it is in the file now, None when there is none.
        """
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self._path.parent):
                parts = self._read()
                if self._is_left_alone:
                    return
                made = msgspec.to_builtins(change(self._part(parts, name, kind)))
                if parts.get(name) == made and not self.problem:
                    return
                self._write(msgspec.json.encode({"version": 1} | parts | {name: made}))
                self.problem = ""
        except OSError as error:
            self.problem = f"{self._what} cannot be written: {error.strerror or error}"

    def _read(self) -> dict[str, Any]:
        self.problem = _NO_HOME if self._path is None else ""
        self._is_left_alone = False
        if self._path is None:
            return {}
        try:
            if self._path.exists() and not self._path.is_file():
                return self._left_alone("is no regular file and is left alone")
            with self._path.open("rb") as file:
                data = file.read(FILE_LIMIT + 1)
        except FileNotFoundError:
            return {}
        except OSError as error:
            return self._left_alone(f"cannot be read: {error.strerror or error}")
        if len(data) > FILE_LIMIT:
            return self._left_alone(f"is larger than {FILE_LIMIT // 1024} KiB and is left alone")
        try:
            return msgspec.json.decode(data, type=dict[str, Any])
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self._damaged(error)
            return {}

    def _part(self, parts: dict[str, Any], name: str, kind: type[T]) -> T | None:
        if name not in parts:
            return None
        try:
            return msgspec.convert(parts[name], kind)
        except msgspec.ValidationError as error:
            self._damaged(error)
            return None

    def _left_alone(self, why: str) -> dict[str, Any]:
        self.problem = f"{self._what} {why}"
        self._is_left_alone = True
        return {}

    def _damaged(self, error: Exception) -> None:
        self.problem = f"{self._what} is damaged and will be written anew: {error}"

    def _write(self, data: bytes) -> None:
        assert self._path is not None
        handle, name = tempfile.mkstemp(prefix=".state-", dir=self._path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self._path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


class KeptTable(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a person arranged of one table, columns by their keys; None where nothing was."""

    order: tuple[str, ...] | None = None
    """These first, in this order."""
    hidden: tuple[str, ...] | None = None
    """These not at all; an empty one: all are shown, whatever the settings hide."""
    widths: dict[str, int] = {}
    """Terminal cells that a column takes, 1 to `WIDEST`."""
    sorts: tuple[tuple[str, bool], ...] | None = None
    """Sorted by these, and whether descending; an empty one: as the table comes."""


def kept_table(found: object) -> KeptTable:
    """A record of the file as far as it can be meant: each part that is of another kind is left out."""
    if not isinstance(found, dict):
        return KeptTable()
    parts: dict[str, Any] = {}
    for name, kind in _KINDS.items():
        try:
            parts[name] = msgspec.convert(found[name], kind)
        except (KeyError, msgspec.ValidationError):
            continue
    widths = {key: width for key, width in parts.pop("widths", {}).items() if 1 <= width <= WIDEST}
    return KeptTable(**parts, widths=widths)


_KINDS: dict[str, Any] = {
    "order": tuple[str, ...] | None,
    "hidden": tuple[str, ...] | None,
    "widths": dict[str, int],
    "sorts": tuple[tuple[str, bool], ...] | None,
}


class Remembered:
    """The parts of the file that the screens use."""

    def __init__(self, file: StateFile) -> None:
        self._file = file

    @property
    def problem(self) -> str:
        return self._file.problem

    @property
    def theme(self) -> str:
        """The theme chosen last; empty when none was."""
        return self._file.get("theme", str) or ""

    def keep_theme(self, name: str) -> None:
        self._file.change("theme", str, lambda _: name)

    def table(self, name: str) -> KeptTable:
        """How a table was arranged. What can't be meant of it is as if it were not there."""
        return kept_table((self._file.get("tables", dict[str, Any]) or {}).get(name))

    def keep_tables(self, changed: Mapping[str, KeptTable]) -> None:
        """Keep how some tables are arranged; the others stay as they are in the file, whatever they are."""
        made = {name: msgspec.to_builtins(table) for name, table in changed.items()}
        self._file.change("tables", dict[str, Any], lambda known: (known or {}) | made)

    def was_shown(self, hint: str) -> bool:
        """Whether a hint that comes once has come."""
        return hint in (self._file.get("hints", tuple[str, ...]) or ())

    def note_shown(self, hint: str) -> None:
        def noted(known: tuple[str, ...] | None) -> tuple[str, ...]:
            return known if known and hint in known else (*(known or ()), hint)

        self._file.change("hints", tuple[str, ...], noted)


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; where the file system has none, or it is not to be had in time, go on without."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(LOCK_TRIES):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(LOCK_PAUSE_S)
            except OSError:
                break
            else:
                break
        yield
    finally:
        os.close(handle)
