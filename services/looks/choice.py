"""Which look of a target is meant: `x.xpudbg#2` is look 2 of x.xpudbg."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

__all__ = ["LookChoice", "NamedLook", "parse_named_look"]

_NUMBERED = re.compile(r"(?P<word>.+)#(?P<number>[0-9]{1,9})", re.ASCII | re.DOTALL)


@dataclass(frozen=True, slots=True)
class NamedLook:
    """A target as it was written, and the look of it that is meant."""

    word: str
    look: int | None
    """Its number; None where none was given."""


@dataclass(frozen=True, slots=True)
class LookChoice:
    """What is wanted of the looks of one target."""

    look: int | None = None
    """Number of the look; None: the first or the last."""
    first: bool = False

    def said(self) -> str:
        """`look 2`, `the last look`."""
        if self.look is not None:
            return f"look {self.look}"
        return "the first look" if self.first else "the last look"


def parse_named_look(word: str) -> NamedLook:
    """The target and the number of its look; a file whose own name ends so is that file."""
    match = _NUMBERED.fullmatch(word)
    if match is None or _is_there(word):
        return NamedLook(word, None)
    return NamedLook(match["word"], int(match["number"]))


def _is_there(word: str) -> bool:
    try:
        return Path(word).expanduser().exists()
    except (OSError, RuntimeError, ValueError):  # no name of a file
        return False
