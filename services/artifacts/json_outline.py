"""The outer keys of a JSON text of which only the beginning is there: enough to tell what it is, never decoded."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["outer_keys"]

_TOKEN = re.compile(rb'"((?:[^"\\]|\\.)*+)(?:"(\s*+:)?|\\?\Z)|[{}\[\]]', re.DOTALL)
_TOKENS = 20_000
"""Tokens looked at; what tells a file apart stands further in front."""


def outer_keys(head: bytes) -> Iterator[tuple[int, bytes]]:
    """Keys with their depth as they come: 1 for those of the outermost object (or of the objects in an outermost
    list), 2 for those of the objects in these.

    Args:
        head: the text from its opening bracket on.
    """
    is_list = head[:1] == b"["
    depth = -1 if is_list else 0
    for token in islice(_TOKEN.finditer(head), _TOKENS):
        sign = token[0][0]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
            if depth < (0 if is_list else 1):
                return
        elif token[2] is not None and depth in (1, 2):
            yield depth, token[1]
