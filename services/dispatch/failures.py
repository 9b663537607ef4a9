"""What a reply that is no 200 says, as a typed error. Bodies may be JSON, a page, bytes of any kind: never trusted."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from ..plain_text import plain
from .errors import BadReplyError, DispatchError, OpFailedError, RequestRefusedError, ServerBusyError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BODY_LIMIT", "ModuleMissing", "failure"]

BODY_LIMIT = 256 * 1024
"""Bytes of an error's body that are read; the rest is left."""
TEXT_LIMIT = 2_000
_KIND = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Z]\w*): (.*)", re.DOTALL | re.ASCII)
_TITLE = re.compile(rb"<title[^>]*>([^<]{1,400})", re.IGNORECASE)
_REQUEST = frozenset((400, 403, 404, 405, 411, 413, 414, 415, 422, 431, 501, 505))


class ModuleMissing(Exception):  # noqa: N818 - a signal to the run loop, not an error of the user's
    """424: the server could not import a module of the spec."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(text)
        self.name = name


class _ErrorBody(msgspec.Struct):
    error: str
    missing: str | None = None


def failure(
    where: str, status: int, headers: Mapping[str, str], body: bytes, *, retry_after: float | None = None
) -> DispatchError | ModuleMissing:
    """The error for a reply.

    Args:
        where: the endpoint, for the message.
        body: the first BODY_LIMIT bytes.
        retry_after: seconds, where the server names them.
    """
    said = _json_error(body)
    text = plain(said.error, TEXT_LIMIT) if said is not None else _other_text(body)
    if status == 503:
        busy = ServerBusyError(f"{where}: the server is busy ({text or 'HTTP 503'})")
        busy.retry_after_s = retry_after
        return busy
    if status == 424 and said is not None and said.missing:
        return ModuleMissing(said.missing, text)
    api = plain(headers.get("x-api", ""), 200)
    if 300 <= status < 400:
        to = plain(headers.get("location", "?"), 200)
        return BadReplyError(
            f"{where}: HTTP {status}, moved to {to}; not followed", hint="give the server's own address"
        )
    if status < 200 or status in range(201, 300):
        return BadReplyError(f"{where}: HTTP {status} where a result was expected: {text or 'no data'}")
    found = _KIND.fullmatch(said.error) if said is not None else None
    kind = plain(found[1], 100) if found else ""
    refused = status in _REQUEST
    message = (
        f"{where}: the {'server refused the request' if refused else 'op failed'} (HTTP {status}): {text or 'no text'}"
    )
    made = RequestRefusedError if refused else OpFailedError
    return made(
        message,
        status=status,
        kind=kind,
        text=plain(found[2], TEXT_LIMIT) if found else text,
        api=api,
        hint=_hint(status, said.error if said is not None else "", json=said is not None),
    )


def _json_error(body: bytes) -> _ErrorBody | None:
    try:
        return msgspec.json.decode(body.decode("utf-8", errors="replace"), type=_ErrorBody)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


def _other_text(body: bytes) -> str:
    """Title of a page, or the first line of anything else."""
    title = _TITLE.search(body)
    if title is not None:
        return f"a page titled {plain(title[1].decode('utf-8', errors='replace').strip(), 200)!r}"
    text = body[: 4 * TEXT_LIMIT].decode("utf-8", errors="replace").strip()
    return plain(text.partition("\n")[0], TEXT_LIMIT) if text else ""


def _hint(status: int, error: str, *, json: bool) -> str:
    if "timed out after" in error:
        return "the server's own run deadline passed; run a smaller case or raise run_deadline_s there"
    if "child process exited with code -9" in error:
        return "the op was killed, most likely for lack of memory on the server"
    if "child process exited with code" in error:
        return "the op crashed its process; the server's log has the rest"
    if "cannot be parameter-bound" in error:
        return "an attribute or input name, or a type, does not fit the function; the server hides which"
    if status == 404:
        return "not an op server's address, or a version without this path"
    if status == 431:
        return "a header is too long for the server; send fewer inputs or smaller attributes"
    if not json:
        return "what answered is not the op server itself; check host and port"
    return ""
