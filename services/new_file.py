"""Files that were not there before: what is exported never takes another file's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["create_new"]

TRIES = 1_000


def create_new(folder: Path, name: str) -> tuple[Path, BinaryIO]:
    """Open a file that was not there; when there is one of that name, `-2`, `-3` ... goes before the suffix.

    Raises:
        OSError: it cannot be made.
    """
    stem, dot, suffix = name.partition(".")
    for number in range(1, TRIES):
        path = folder / (name if number == 1 else f"{stem}-{number}{dot}{suffix}")
        try:
            return path, path.open("xb")
        except FileExistsError:
            continue
    raise FileExistsError(f"{name} and {TRIES - 1} more are there already")
