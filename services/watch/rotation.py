"""Names of the incident files that a watch writes, and which of them go so that the folder keeps within bounds. Pure.

`xpudbg-20260102T030405Z-hang.xpudbg`: when it was taken in UTC, and why. The first file of an incident is never
removed; later ones of the same incident end in `-again`, those taken from time to time are `periodic`. A second file of
the same second and reason has a number: `...-hang.2.xpudbg`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..instants import stamp_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["PERIODIC", "SUFFIX", "KeptFile", "Rotation", "free_name", "is_ours", "rotate", "why_of"]

SUFFIX = ".xpudbg"
PERIODIC = "periodic"
AGAIN = "-again"

_NAME = re.compile(
    r"xpudbg-(?P<at>[0-9]{8}T[0-9]{6}Z)-(?P<why>[a-z][a-z0-9_]*(?:-[a-z0-9_]+)*)(?:\.(?P<number>[0-9]{1,6}))?\.xpudbg",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file of the folder."""

    name: str
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """What is to be done with a folder."""

    remove: tuple[str, ...]
    """Names, oldest first."""
    over: bool
    """The bounds are not kept all the same: what is left is the first file of an incident, or the newest."""


def why_of(why: str, *, again: bool = False) -> str:
    """The reason as it stands in a name."""
    made = re.sub(r"[^a-z0-9_]+", "-", why.lower()).strip("-")
    made = made if made[:1].isalpha() else "incident"
    return f"{made}{AGAIN}" if again and made != PERIODIC else made


def free_name(at: int, why: str, taken: Collection[str]) -> str:
    """A name that is not taken.

    Args:
        at: when the file was taken, ns since the epoch.
        why: as `why_of` gives it.
        taken: the names in the folder.
    """
    stamp = stamp_text(at)
    name, number = f"xpudbg-{stamp}-{why}{SUFFIX}", 1
    while name in taken:
        number += 1
        name = f"xpudbg-{stamp}-{why}.{number}{SUFFIX}"
    return name


def is_ours(name: str) -> bool:
    """Whether a watch gave this name."""
    return _NAME.fullmatch(name) is not None


def rotate(files: Iterable[KeptFile], *, keep: int | None, max_size: int | None) -> Rotation:
    """Which files go, so that no more than `keep` files of no more than `max_size` bytes together are left.

    Files that are not named as a watch names them don't count and stay.

    Args:
        files: all files of the folder.
        keep: None for any number.
        max_size: None for any size.
    """
    ours = sorted((one for one in files if is_ours(one.name)), key=lambda one: _order(one.name))
    count, size = len(ours), sum(one.size for one in ours)
    remove = []
    for one in ours[:-1]:
        if _within(count, size, keep, max_size):
            break
        if not _may_go(one.name):
            continue
        remove.append(one.name)
        count, size = count - 1, size - one.size
    return Rotation(tuple(remove), not _within(count, size, keep, max_size))


def _within(count: int, size: int, keep: int | None, max_size: int | None) -> bool:
    return (keep is None or count <= keep) and (max_size is None or size <= max_size)


def _may_go(name: str) -> bool:
    match = _NAME.fullmatch(name)
    return match is not None and (match["why"] == PERIODIC or match["why"].endswith(AGAIN))


def _order(name: str) -> tuple[str, int, str]:
    match = _NAME.fullmatch(name)
    assert match is not None
    return match["at"], int(match["number"] or 1), name
