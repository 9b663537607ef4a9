"""Everything that was handed over, as artifacts: folders, files, archives, in any mixture.

Nothing is written but into the spool, nothing is executed, and whatever cannot be used is told with a reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .archives import Unpacker
from .folders import FileFinder
from .limits import Budget, Limits
from .member_store import MemberStore

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from ..spool import Spool
    from .artifact import Artifact, Refused

__all__ = ["LIMITS", "Intake", "take_in"]

LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Intake:
    """What was found."""

    artifacts: tuple[Artifact, ...]
    """In the order of the paths; of a folder or an archive by name."""
    refused: tuple[Refused, ...]
    """What can't be used, each with its reason; also a file of which only a part could be read."""
    notes: tuple[str, ...]
    """What is worth knowing and is no fault, one plain line each."""


def take_in(
    paths: Sequence[Path],
    *,
    recursive: bool,
    spool: Spool,
    limits: Limits = LIMITS,
    told: Callable[[str], None] | None = None,
) -> Intake:
    """Find the files under these paths, and what archives hold. Only names and first bytes are read of a file.

    Sub-folders count when a folder has no file of use itself, or with `recursive`; links to folders are not followed.

    Args:
        paths: files and folders.
        recursive: take sub-folders in any case.
        spool: keeps the members of archives.
        limits: bounds of all that is read and kept.
        told: takes a line now and then about how far it is.

    Raises:
        FileNotFoundError: none of the paths exists.
    """
    refused: list[Refused] = []
    notes: list[str] = []
    tell = told or _nobody
    store = MemberStore(spool)
    unpacker = Unpacker(store, Budget(limits, store.free), refused.append, tell)
    finder = FileFinder(unpacker, limits, refused.append, notes.append, tell, recursive=recursive)
    missing = finder.all_of(paths)
    if missing and len(missing) == len(paths):
        raise FileNotFoundError(f"{missing[0]} does not exist")
    for path in missing:
        finder.gone(path)
    return Intake(tuple(found.artifact for found in finder.found), tuple(refused), tuple(notes))


def _nobody(_line: str) -> None:
    """Takes what nobody wants to hear."""
