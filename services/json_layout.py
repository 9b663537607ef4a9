"""JSON of a stranger laid out for reading. Every line of a deeply nested text begins with as many blanks as it is deep,
so half a megabyte can grow a thousandfold: what would is not laid out.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np

__all__ = ["LAID_OUT_LIMIT", "LayoutError", "is_json", "laid_out"]

LAID_OUT_LIMIT = 4 * 1024 * 1024
"""Bytes that the laid out text may have."""
_INDENT = 2
_STRING = re.compile(rb'"(?:[^"\\]+|\\.)*+"', re.DOTALL)
_OPENING, _CLOSING, _COMMA = b"[{", b"]}", b","


class LayoutError(ValueError):
    """The text is not laid out; the message says why, as the end of a sentence."""


def is_json(data: bytes) -> bool:
    """Whether these bytes are one whole JSON text; one that is nested too deep to be read is not known to be."""
    try:
        msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return False
    return True


def laid_out(data: bytes) -> str:
    """One JSON text over lines, two blanks for each level.

    Raises:
        LayoutError: it is no JSON, nested too deep, or would become longer than `LAID_OUT_LIMIT`.
    """
    try:
        msgspec.json.decode(data)
    except RecursionError as error:
        raise LayoutError("it is nested too deep") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise LayoutError("it is no JSON") from error
    if _size(data) > LAID_OUT_LIMIT:
        raise LayoutError("it is nested so deep that it would fill too many lines")
    return msgspec.json.format(data, indent=_INDENT).decode("utf-8")


def _size(data: bytes) -> int:
    """Bytes of the text when it is laid out, or a few more."""
    marks = np.frombuffer(_STRING.sub(b'""', data), np.uint8)
    opening = np.isin(marks, list(_OPENING))
    closing = np.isin(marks, list(_CLOSING))
    depth = np.cumsum(opening.astype(np.int64) - closing)
    breaks = opening | closing | np.isin(marks, list(_COMMA))
    return len(data) + int(np.sum(depth[breaks] * _INDENT + 1))
