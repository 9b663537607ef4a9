"""How writing a bundle goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["BundleEvent", "BundleFailed", "BundleProgress", "BundleWritten", "FolderRotated"]


@dataclass(frozen=True, slots=True)
class BundleProgress:
    """How far the writing of a bundle is."""

    path: Path
    done: int
    """Answers that stand in the file."""
    total: int


@dataclass(frozen=True, slots=True)
class BundleWritten:
    """A bundle is complete."""

    path: Path
    size: int
    """Bytes of the file."""
    looks: int
    replies: int
    left_out: tuple[str, ...] = ()
    """What the bundle does not hold though the looks had it, one plain line each."""
    why: str = ""
    """Why a watch took it; empty for one that a person asked for."""


@dataclass(frozen=True, slots=True)
class BundleFailed:
    """A bundle could not be written to its end; what stands in the file can be opened all the same."""

    path: Path
    """The folder, for a file of a watch."""
    message: str
    """One plain line."""
    why: str = ""
    """As in `BundleWritten`."""


@dataclass(frozen=True, slots=True)
class FolderRotated:
    """Old files of a watch were removed from its folder, as far as its bounds ask for it."""

    folder: Path
    removed: tuple[str, ...] = ()
    """Names, oldest first."""
    over: bool = False
    """The bounds are not kept all the same: what is left is the first file of an incident, or the newest."""
    failure: str = ""
    """Why not, one plain line; empty where it worked."""


BundleEvent: TypeAlias = BundleProgress | BundleWritten | BundleFailed | FolderRotated
