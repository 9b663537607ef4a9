"""Reading what a rank's handler answered: JSON or a plain reason why there is none (spec: worker-server.md)."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ..snapshot import Outcome

if TYPE_CHECKING:
    from ..snapshot import RankReply
    from ..spool import Body

__all__ = ["AnswerError", "explain_status", "first_line", "read_json"]

T = TypeVar("T")

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_HTML = re.compile(r"\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)
_SHOWN = 160


class AnswerError(ValueError):
    """An answer came, but it is not what the handler should say; the message is one plain line."""


def read_json(reply: RankReply, wanted: type[T]) -> T:
    """The body of a good reply as `wanted`; bytes that are not UTF-8 are replaced and read all the same.

    Raises:
        AnswerError: no data, no JSON, or JSON of another shape.
    """
    if reply.outcome is not Outcome.OK:
        raise AnswerError(reply.error)
    data = reply.body.read()
    if not data.strip():
        raise AnswerError("no data")
    try:
        return _decode(data, wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        mended = data.decode("utf-8", errors="replace").encode()
        if mended == data:
            raise AnswerError(f"not JSON: {_what(reply.body) or error}") from None
    try:
        return _decode(mended, wanted)
    except msgspec.DecodeError as error:
        raise AnswerError(f"not JSON: {_what(reply.body) or error}") from None


def _decode(data: bytes, wanted: type[T]) -> T:
    try:
        return msgspec.json.decode(data, type=wanted)
    except msgspec.ValidationError as error:
        raise AnswerError(f"JSON of another shape: {error}") from None
    except RecursionError:
        raise AnswerError("its JSON is nested too deep to be read") from None


def explain_status(source: str, status: int, body: Body, location: str = "") -> str:
    """One plain line for an HTTP status that is no success."""
    said = _what(body)
    if status == 404 and source not in ("ping", "handlers"):
        return f"{source} is not there on this rank" + (f": {said}" if said and "not found" not in said.lower() else "")
    if status >= 500 and source == "pyspy_dump" and "not found" in said:
        return "py-spy is not installed on this rank"
    if 300 <= status < 400:
        return f"HTTP {status} to {location[:_SHOWN] or 'nowhere'} (not followed)"
    return f"HTTP {status}" + (f": {said}" if said else "")


def first_line(body: Body) -> str:
    """The first line of a text that is not blank, cut to a showable length; empty when there is none."""
    for line in body.text(4096).splitlines():
        if line.strip():
            return line.strip()[:_SHOWN]
    return ""


def _what(body: Body) -> str:
    head = body.text(16_384)
    if _HTML.match(head):
        title = _TITLE.search(head)
        named = " ".join(html.unescape(title[1]).split())[:_SHOWN] if title else ""
        return f"an HTML page titled {named!r}" if named else "an HTML page"
    return first_line(body)
