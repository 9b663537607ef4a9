"""One notation for frames of both sources, so that stacks from faulthandler and from py-spy merge and compare.

py-spy shortens paths to what lies below an import root and puts classes before names; faulthandler writes full paths,
bare names, and escapes letters beyond ASCII. Addresses without a symbol differ on every rank and mean nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from .model import Frame, StackSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .model import StackDump, ThreadStack

__all__ = ["NO_SYMBOL", "align", "same_place"]

NO_SYMBOL = "<no-symbol>"
"""Function of a native frame of which only the address is known."""

_ADDRESS = re.compile(r"0x[0-9A-Fa-f]+")


def align(dumps: Mapping[int, StackDump]) -> dict[int, StackDump]:
    """The dumps with frames of py-spy written as faulthandler writes them, where the same line is known from it.

    A frame of py-spy becomes the full one when exactly one path known from faulthandler ends like it, with the same
    name and line or, failing that, the same file. Native frames without symbol lose their address.
    """
    if all(dump.source is StackSource.FAULTHANDLER for dump in dumps.values()):
        return dict(dumps)
    known = _KnownPaths(dump for dump in dumps.values() if dump.source is StackSource.FAULTHANDLER)
    made: dict[Frame, Frame] = {}
    stacks: dict[tuple[Frame, ...], tuple[Frame, ...]] = {}

    def aligned(thread: ThreadStack) -> ThreadStack:
        frames = stacks.get(thread.frames)
        if frames is None:
            for frame in thread.frames:
                if frame not in made:
                    made[frame] = known.full(frame)
            frames = stacks[thread.frames] = tuple(made[frame] for frame in thread.frames)
        return thread if frames == thread.frames else replace(thread, frames=frames)

    return {
        rank: dump
        if dump.source is StackSource.FAULTHANDLER
        else replace(dump, threads=tuple(aligned(thread) for thread in dump.threads))
        for rank, dump in dumps.items()
    }


def same_place(one: tuple[Frame, ...], other: tuple[Frame, ...]) -> bool:
    """Whether two stacks stand at the same lines, whichever source each is from; native frames don't count."""
    if one == other:
        return True
    first = [frame for frame in one if not frame.native]
    second = [frame for frame in other if not frame.native]
    return len(first) == len(second) and all(map(_same, first, second))


def _same(one: Frame, other: Frame) -> bool:
    if one == other:
        return True
    if one.line != other.line or _ascii(one.name) != _ascii(other.name):
        return False
    files = _ascii(one.file), _ascii(other.file)
    return files[0] == files[1] or files[0].endswith(f"/{files[1]}") or files[1].endswith(f"/{files[0]}")


class _KnownPaths:
    """The frames of faulthandler, to be found by what py-spy writes of them.

    Paths are kept by their last part and by their last two, so that a lookup has few to compare.
    """

    def __init__(self, dumps: Iterable[StackDump]) -> None:
        self._frames: dict[tuple[str, str, int | None], dict[Frame, None]] = {}
        self._files: dict[str, dict[str, None]] = {}
        stacks = {thread.frames: None for dump in dumps for thread in dump.threads}
        for frame in {frame: None for frames in stacks for frame in frames}:
            for end in _ends(frame.file):
                self._frames.setdefault((end, frame.name, frame.line), {})[frame] = None
                self._files.setdefault(end, {})[frame.file] = None

    def full(self, frame: Frame) -> Frame:
        if frame.native:
            return (
                Frame(NO_SYMBOL, frame.file, frame.line, frame.library) if _ADDRESS.fullmatch(frame.function) else frame
            )
        file = _ascii(frame.file)
        if not file or file.startswith(("/", "<")):
            return frame
        end = _ends(file)[-1]
        whole = file.count("/") > 1
        same = [
            known
            for known in self._frames.get((end, _ascii(frame.name), frame.line), ())
            if not whole or known.file.endswith(f"/{file}")
        ]
        if len(same) == 1:
            return same[0]
        files = self._files.get(end, {})
        if whole:
            files = {path: None for path in files if path.endswith(f"/{file}")}
        if same or len(files) != 1:
            return frame
        return Frame(_ascii(frame.name), next(iter(files)), frame.line)


def _ends(file: str) -> tuple[str, ...]:
    """The last part of a path, and the last two where there are two: `a.py`, `data/a.py`."""
    rest, _, base = file.rpartition("/")
    return (base, f"{rest.rpartition('/')[2]}/{base}") if rest else (base,)


def _ascii(text: str) -> str:
    return text if text.isascii() else text.encode("ascii", errors="backslashreplace").decode("ascii")
