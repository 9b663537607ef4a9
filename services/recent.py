"""Targets used before, for the start screen: a small JSON file in the user's state folder, never with a password."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from .targets import FilesTarget, StoreTarget, WorkersTarget

if TYPE_CHECKING:
    from .targets import Target

__all__ = ["KEPT", "Recent", "RecentTargets", "words_of"]

KEPT = 12
"""Targets kept, the newest first."""
WORKERS_KEPT = 8
"""Most worker addresses of a target that is kept; longer lists come from a file."""
FILE_LIMIT = 64 * 1024
"""Bytes of the file that are read; ours is never that large."""

_NO_HOME = "there is no home folder, so recent targets are not kept"
_USER_INFO = re.compile(r"//[^/@\s]*@")


class Recent(msgspec.Struct, frozen=True):
    """One target as it would be typed again."""

    words: tuple[str, ...]
    used_at: int
    """ns since the epoch."""


class _File(msgspec.Struct):
    recent: list[Recent]
    version: int = 1


class RecentTargets:
    """The list of targets in its file. A file that cannot be read or written is said in `problem`, nothing worse."""

    def __init__(self, path: Path | None = None) -> None:
        """
        Args:
            path: the file; the one in the user's state folder when None.
        """
        self._path = path or _default_path()
        self.problem = ""
        """What is wrong with the file, one plain line; empty when nothing is."""
        if self._path is None:
            self.problem = _NO_HOME

    def load(self) -> list[Recent]:
        """The targets, newest first; none when there is no file or it cannot be understood."""
        self.problem = _NO_HOME if self._path is None else ""
        if self._path is None:
            return []
        try:
            if self._path.exists() and not self._path.is_file():
                self.problem = "the list of recent targets is no regular file and is left alone"
                return []
            with self._path.open("rb") as file:
                data = file.read(FILE_LIMIT + 1)
        except FileNotFoundError:
            return []
        except OSError as error:
            self.problem = f"the list of recent targets cannot be read: {error.strerror or error}"
            return []
        if len(data) > FILE_LIMIT:
            self.problem = f"the list of recent targets is larger than {FILE_LIMIT // 1024} KiB and is left alone"
            return []
        try:
            found = msgspec.json.decode(data, type=_File).recent
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.problem = f"the list of recent targets is damaged and will be written anew: {error}"
            return []
        return [recent for recent in found if recent.words][:KEPT]

    def add(self, target: Target, now: int) -> None:
        """Put a target first and write the file; what cannot be typed again, or is there already, is not repeated.

        Args:
            now: ns since the epoch.
        """
        words = words_of(target)
        if not words or self._path is None:
            return
        known = [recent for recent in self.load() if recent.words != words]
        problem = self.problem
        data = msgspec.json.encode(_File([Recent(words, now), *known][:KEPT]))
        try:
            self._write(data)
        except OSError as error:
            problem = f"the list of recent targets cannot be written: {error.strerror or error}"
        self.problem = problem

    def _write(self, data: bytes) -> None:
        assert self._path is not None
        self._path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".recent-", dir=self._path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(self._path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def words_of(target: Target) -> tuple[str, ...]:
    """What would be typed to reach a target again, without user names and passwords; empty when nothing short would."""
    if isinstance(target, StoreTarget):
        host = f"[{target.host}]" if ":" in target.host else target.host
        return (f"{host}:{target.port}",)
    if isinstance(target, WorkersTarget) and len(target.workers) <= WORKERS_KEPT:
        in_order = [worker.rank for worker in target.workers] == list(range(len(target.workers)))
        return tuple(
            ("" if in_order else f"rank{worker.rank}=") + _USER_INFO.sub("//", worker.registered)
            for worker in target.workers
        )
    if isinstance(target, FilesTarget) and len(target.paths) <= WORKERS_KEPT:
        return tuple(str(path.absolute()) for path in target.paths)
    return ()


def _default_path() -> Path | None:
    """The file in the user's state folder; None for a user without a home (a container's random uid)."""
    import platformdirs

    try:
        return platformdirs.user_state_path("xpudbg", appauthor=False) / "recent.json"
    except RuntimeError:
        return None
