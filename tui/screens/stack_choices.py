"""Merged stacks as something that can be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..stacks.export import SUFFIXES, file_name, write_new, written
from ..wording import count
from .export_request import ExportChoice

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ...services.stacks.tree import MergedStacks, ThreadChoice

__all__ = ["stack_choice"]

_ABOUT = {"speedscope": "for speedscope", "collapsed": "as collapsed stacks (flame graphs)"}


def stack_choice(merged: MergedStacks, target: str, threads: ThreadChoice, at: int, style: str) -> ExportChoice:
    """The stacks in one format.

    Args:
        target: as it is shown.
        at: when they were taken, ns since the epoch.
        style: a key of `SUFFIXES`.
    """

    def write(folder: Path, name: str, _stopped: Callable[[], bool]) -> str:
        path = write_new(folder, name, written(merged, target, style))
        return f"the stacks of {count(len(merged.ranks), 'rank')} are in {path}"

    about = f"the stacks of {count(len(merged.ranks), 'rank')} {_ABOUT[style]}"
    endings = (SUFFIXES[style], SUFFIXES[style][SUFFIXES[style].rindex(".") :])
    return ExportChoice(about, file_name(target, threads, at, style), endings, write)
