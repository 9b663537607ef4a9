"""The stacks of one rank in a file of their own: which of the two tools wrote them is told by the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..stacks.pyspy_errors import starts_error
from .artifact import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..spool import Body

__all__ = ["FAULTHANDLER", "PYSPY", "read_stacks", "source_of_stacks"]

FAULTHANDLER = "dump_traceback"
PYSPY = "pyspy_dump"

_FAULTHANDLER_SAYS = re.compile(
    rb"^(?:(?:Current thread|Thread) 0x[0-9A-Fa-f]+(?: \[.*\])?|Stack) \(most recent call first\):"
    rb"|^Fatal Python error: |^Timeout \(\d+:\d\d:\d\d",
    re.MULTILINE,
)
_PYSPY_SAYS = re.compile(rb"^Process \d+: |^Python v\d|^Thread (?:0x[0-9A-Fa-f]+|\d+) \([a-z+ ]*\)", re.MULTILINE)
_HEAD = 256 * 1024
"""Bytes from the start in which the writer shows itself."""


def source_of_stacks(data: bytes) -> str | None:
    """`dump_traceback` for faulthandler's text, `pyspy_dump` for py-spy's, None when it is neither.

    Where both could be, the one whose mark comes first counts.
    """
    head = data[:_HEAD]
    one, other = _FAULTHANDLER_SAYS.search(head), _PYSPY_SAYS.search(head)
    if one is None and other is None:
        # py-spy says why it has none; faulthandler never does.
        return PYSPY if any(starts_error(line) for line in head.decode("utf-8", "replace").split("\n")[:20]) else None
    if one is None or (other is not None and other.start() < one.start()):
        return PYSPY
    return FAULTHANDLER


def read_stacks(
    name: str, data: bytes, rank: int, *, taken_at: int, put: Callable[[bytes], Body], host: str = ""
) -> Evidence:
    """The stacks of one rank as evidence; an empty or unknown text is kept as faulthandler's, whose reader says so.

    Args:
        name: the artifact's.
        data: its text.
        rank: the rank, from the file's name.
        taken_at: when, ns since the epoch.
        put: stores a body.
        host: the rank's host, where it is known.
    """
    source = source_of_stacks(data) or FAULTHANDLER
    return Evidence(rank, source, put(data), taken_at, name, host)
