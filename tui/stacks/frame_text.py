"""Frames as people read them: one short line each, whole ones for copying."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...services.stacks.model import Frame

__all__ = ["caller_of", "copied", "frame_line", "short_place"]


def short_place(frame: Frame) -> str:
    """`loader.py:88` without folders; `libnccl.so.2` for a native frame; empty when nothing is known."""
    place = (frame.file or frame.library or "").replace("\\", "/").rpartition("/")[2]
    return f"{place}:{frame.line}" if frame.line is not None else place


def frame_line(frame: Frame) -> str:
    """`next_batch loader.py:88`. As the rank wrote it: whoever paints it makes it plain."""
    place = short_place(frame)
    return f"{frame.function} {place}" if place else frame.function


def caller_of(frames: Sequence[Frame], user: Frame | None) -> str:
    """Where a stack stands in one line: the innermost frame of the user's code and what that is in.

    Args:
        frames: innermost first.
        user: the innermost frame of the user's code, None when there is none.
    """
    if not frames:
        return ""
    if user is None or user is frames[0]:
        return frame_line(frames[0])
    return f"{frame_line(user)} > {frames[0].name}"


def copied(frames: Iterable[Frame]) -> str:
    """A stack as text, innermost first, nothing cut; only lone surrogates become escapes."""
    text = "".join(f"{frame}\n" for frame in frames)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
