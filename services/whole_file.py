"""Files that are there whole or not at all, and devices and pipes that are written into as they are."""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["is_no_file", "whole_file"]


def is_no_file(path: Path) -> bool:
    """Whether something is there that is no regular file: a device, a pipe, a folder. It is never replaced."""
    return path.exists() and not path.is_file()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Write into a file beside it, hidden and new, which takes its name at the end; any exception leaves all as it was.

    The file that a link leads to is replaced, not the link. A device or pipe is written into.

    Args:
        path: replaced when it is there.

    Raises:
        OSError: it can't be written.
    """
    if is_no_file(path):
        with path.open("wb") as file:
            yield file
        return
    target = path.resolve()
    beside = target.with_name(f".{target.name[:200]}.{secrets.token_hex(4)}.part")
    try:
        with beside.open("xb") as file:
            yield file
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
