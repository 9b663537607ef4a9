"""The folder in which a watch keeps its incident files."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from ..bundle.from_session import write_bundle
from .rotation import KeptFile, free_name, is_ours, rotate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from ..bundle.events import BundleWritten
    from ..bundle.from_session import SessionFacts
    from ..looks.record import LookRecord
    from ..snapshot import Snapshot
    from .rotation import Rotation

__all__ = ["IncidentFolder"]


class IncidentFolder:
    """Writes bundles, and removes old ones of its own."""

    def __init__(self, path: Path, *, keep: int | None, max_size: int | None, redacted: Iterable[str] = ()) -> None:
        """
        Args:
            path: made when it is not there.
            keep: how many files at most; None for any number.
            max_size: bytes of all of them at most; None for any.
            redacted: what is replaced in the bundles.

        Raises:
            OSError: it can't be made, or is no folder.
        """
        path.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._keep = keep
        self._max_size = max_size
        self._redacted = tuple(redacted)

    def write(
        self,
        at: int,
        why: str,
        looks: Sequence[LookRecord | Snapshot],
        facts: SessionFacts,
        told: Callable[[Path, int, int], None] | None = None,
    ) -> BundleWritten:
        """One bundle more. A file that is there is never written over.

        Args:
            at: ns since the epoch, for its name.
            why: for its name, as `rotation.why_of` gives it.
            looks: closed looks, the earliest first.
            facts: what belongs to them.
            told: which file, how many answers stand in it, and of how many; what it raises ends the writing.

        Raises:
            BundleError: more than a bundle may hold.
            OSError: it can't be written.
        """
        facts = replace(facts, unread="")  # a watch never reads keys: that is no news with each file
        taken = {entry.name for entry in self.path.iterdir()}
        while True:
            name = free_name(at, why, taken)
            how_far = None if told is None else partial(told, self.path / name)
            try:
                return write_bundle(self.path / name, looks, facts, self._redacted, how_far)
            except FileExistsError:  # somebody else's watch writes there too
                taken.add(name)

    def rotate(self) -> Rotation:
        """Remove what is too much.

        Returns:
            What was removed.

        Raises:
            OSError: a file can't be removed, or the folder not be read.
        """
        files = [
            KeptFile(entry.name, entry.stat().st_size)
            for entry in self.path.iterdir()
            if is_ours(entry.name) and entry.is_file() and not entry.is_symlink()
        ]
        made = rotate(files, keep=self._keep, max_size=self._max_size)
        for name in made.remove:
            (self.path / name).unlink(missing_ok=True)
        return made
