"""Merged stacks for other tools: speedscope's JSON and collapsed stacks as flame graph programs read them.

The weight of a stack is its number of ranks.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..plain_text import plain

if TYPE_CHECKING:
    from .model import Frame
    from .tree import MergedStacks

__all__ = ["SPEEDSCOPE_SCHEMA", "to_collapsed", "to_speedscope"]

SPEEDSCOPE_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
"""What a file has to name as its `$schema` to be recognised."""

_LONGEST = 20_000
"""Characters of one frame in a collapsed stack."""


def to_speedscope(merged: MergedStacks, name: str) -> bytes:
    """A speedscope file with one sampled profile, in ASCII; texts are unchanged inside the JSON strings.

    Args:
        merged: the stacks.
        name: what the profile is called, the target for example.
    """
    frames: dict[Frame, int] = {}
    samples = [[frames.setdefault(frame, len(frames)) for frame in reversed(one.frames)] for one in merged.classes]
    weights = [len(one.ranks) for one in merged.classes]
    document = {
        "$schema": SPEEDSCOPE_SCHEMA,
        "version": "0.0.1",
        "exporter": "xpudbg",
        "name": name,
        "activeProfileIndex": 0,
        "shared": {"frames": [_speedscope_frame(frame) for frame in frames]},
        "profiles": [
            {
                "type": "sampled",
                "name": name,
                "unit": "none",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        ],
    }
    return json.dumps(document, separators=(",", ":")).encode("ascii")


def to_collapsed(merged: MergedStacks) -> str:
    """One line a stack: frames outermost first with `;` between them, a blank, the number of ranks.

    Control characters, and `;` inside a frame, become visible escapes.
    """
    return "".join(
        f"{';'.join(_collapsed_frame(frame) for frame in reversed(one.frames))} {len(one.ranks)}\n"
        for one in merged.classes
    )


def _speedscope_frame(frame: Frame) -> dict[str, str | int]:
    made: dict[str, str | int] = {"name": frame.function}
    file = frame.file or frame.library
    if file:
        made["file"] = file
    if frame.line is not None:
        made["line"] = frame.line
    return made


def _collapsed_frame(frame: Frame) -> str:
    return plain(str(frame), _LONGEST).replace(";", "\\x3b")
