"""Targets used before, for the start screen: a part of the state file, never with a password."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ..targets import FilesTarget, StoreTarget, WorkersTarget
from .state import StateFile, state_path

if TYPE_CHECKING:
    from pathlib import Path

    from ..targets import Target

__all__ = ["KEPT", "Recent", "RecentTargets", "words_of"]

KEPT = 12
"""Targets kept, the newest first."""
WORKERS_KEPT = 8
"""Most worker addresses of a target that is kept; longer lists come from a file."""
OLD_NAME = "recent.json"
"""The file that earlier versions kept the list in; it is read until the list is in the new one."""

_WHAT = "the list of recent targets"
_USER_INFO = re.compile(r"//[^/@\s]*@")


class Recent(msgspec.Struct, frozen=True):
    """One target as it would be typed again."""

    words: tuple[str, ...]
    used_at: int
    """ns since the epoch."""


class RecentTargets:
    """The list of targets in its file. A file that cannot be read or written is said in `problem`, nothing worse."""

    def __init__(self, path: Path | None = None) -> None:
        """
        Args:
            path: the file; the one in the user's state folder when None.
        """
        self._before: StateFile | None = None
        """Where the list was before there was one file for all that is remembered."""
        if path is None:
            path = state_path()
            if path is not None:
                self._before = StateFile(path.with_name(OLD_NAME), _WHAT)
        self.file = StateFile(path, _WHAT)
        """The file, which holds more than this list."""

    @property
    def problem(self) -> str:
        """What is wrong with the file, one plain line; empty when nothing is."""
        return self.file.problem

    def load(self) -> list[Recent]:
        """The targets, newest first; none when there is no file or it cannot be understood."""
        found = self.file.get("recent", list[Recent])
        if found is None and not self.problem and self._before is not None:
            found = self._before.get("recent", list[Recent])
        return [recent for recent in found or () if recent.words][:KEPT]

    def add(self, target: Target, now: int, name: str = "") -> None:
        """Put a target first and write the file; what cannot be typed again, or is there already, is not repeated.

        Args:
            now: ns since the epoch.
            name: what the settings call the target, where it was given by that; it is what is kept then, so that its
                options hold again.
        """
        words = (name,) if name else words_of(target)
        if not words or self.file.path is None:
            return
        before = self._before.get("recent", list[Recent]) if self._before is not None else None

        def added(found: list[Recent] | None) -> list[Recent]:
            known = before if found is None else found
            return [Recent(words, now), *(one for one in known or () if one.words and one.words != words)][:KEPT]

        self.file.change("recent", list[Recent], added)


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
