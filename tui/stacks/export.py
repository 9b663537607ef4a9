"""Writes merged stacks to a new file: speedscope's JSON, or collapsed stacks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...services.instants import stamp_text
from ...services.new_file import create_new
from ...services.stacks.export import to_collapsed, to_speedscope

if TYPE_CHECKING:
    from pathlib import Path

    from ...services.stacks.tree import MergedStacks, ThreadChoice

__all__ = ["SUFFIXES", "file_name", "write_new", "written"]

SUFFIXES = {"speedscope": ".speedscope.json", "collapsed": ".collapsed.txt"}
"""End of the name, by format."""


def file_name(target: str, threads: ThreadChoice, at: int, style: str) -> str:
    """`xpudbg-head-0-29500-main-stacks-20251009T085320Z.speedscope.json`.

    Args:
        target: as it is shown.
        at: when the stacks were taken, ns since the epoch.
        style: a key of `SUFFIXES`.
    """
    what = re.sub(r"[^A-Za-z0-9]+", "-", target).strip("-")[:60] or "job"
    when = stamp_text(at)
    return f"xpudbg-{what}-{threads}-stacks-{when}{SUFFIXES[style]}"


def written(merged: MergedStacks, target: str, style: str) -> bytes:
    """The file's content."""
    return to_speedscope(merged, target) if style == "speedscope" else to_collapsed(merged).encode("utf-8")


def write_new(folder: Path, name: str, data: bytes) -> Path:
    """Write a file that was not there (`create_new`).

    Raises:
        OSError: it cannot be written.
    """
    path, file = create_new(folder, name)
    with file:
        file.write(data)
    return path
