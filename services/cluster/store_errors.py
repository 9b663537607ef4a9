"""What can go wrong between us and a store, as one typed error with a message and a hint for a person."""

from __future__ import annotations

import errno
import socket
from enum import StrEnum

from ..plain_text import plain

__all__ = ["StoreError", "StoreFault", "explain_connect", "not_a_store"]

_UNREACHABLE = {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.ENETDOWN, errno.ETIMEDOUT}

_PAGE_PORT = 25999
"""Where torch's debug page listens on rank 0 unless told otherwise."""
_WHERE_HINT = "the store is at MASTER_ADDR:MASTER_PORT of the job's processes"


class StoreFault(StrEnum):
    """The kinds of StoreError."""

    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    """No connection: no route, connecting timed out, or this machine can't open one."""
    NAME_UNKNOWN = "name_unknown"
    NOT_A_STORE = "not_a_store"
    """The peer speaks another protocol."""
    TIMED_OUT = "timed_out"
    """Connected, but the whole answer has not come within the limit."""
    CLOSED = "closed"
    """The peer closed or reset the connection before the whole answer was there."""
    TOO_LARGE = "too_large"
    """A length or a number of keys beyond the limits."""


class StoreError(Exception):
    """An exchange with a store failed; the connection is not used again.

    Attributes:
        kind: what went wrong.
        hint: what to do about it, one plain line.
    """

    def __init__(self, kind: StoreFault, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint


def explain_connect(where: str, error: OSError | UnicodeError | ValueError) -> StoreError:
    """The error for a connection that did not come about."""
    host = where.rpartition(":")[0]
    if isinstance(error, socket.gaierror | UnicodeError):
        return StoreError(
            StoreFault.NAME_UNKNOWN,
            f"the name {host} does not resolve from here",
            hint="write the address in place of the name, or tunnel (ssh -L 29500:HOST:PORT) and write 127.0.0.1:29500",
        )
    if isinstance(error, ValueError):
        return StoreError(StoreFault.NAME_UNKNOWN, f"{host!r} is not a host name", hint=_WHERE_HINT)
    reason = (error.strerror or str(error)).lower()
    if error.errno == errno.ECONNREFUSED:
        return StoreError(
            StoreFault.REFUSED,
            f"{where} refused the connection: nothing listens there",
            hint=f"the process that holds the store has ended, or the port is another one; {_WHERE_HINT}",
        )
    if error.errno in (errno.ECONNRESET, errno.EPIPE):
        return StoreError(StoreFault.CLOSED, f"{where} reset the connection", hint=_WHERE_HINT)
    if error.errno in _UNREACHABLE:
        return StoreError(
            StoreFault.UNREACHABLE, f"{where} can't be reached: {reason}", hint=f"is the host up? {_WHERE_HINT}"
        )
    return StoreError(StoreFault.UNREACHABLE, f"no connection to {where}: {reason}", hint=_WHERE_HINT)


def not_a_store(where: str, said: bytes) -> StoreError:
    """The error for a peer whose answer is none of the protocol's; `said` is how the answer begins."""
    if said.startswith(b"HTTP/") or said.lstrip()[:1] == b"<":
        what = "an HTTP server answers there"
        hint = f"for a rank's worker write http://{where}; {_WHERE_HINT}"
        if where.endswith(f":{_PAGE_PORT}"):
            hint = f"{_PAGE_PORT} is the port of torch's own debug page; {_WHERE_HINT}"
    elif said.startswith(b"SSH-"):
        what, hint = "an SSH server answers there", _WHERE_HINT
    elif said[:1] in (b"\x15", b"\x16") and said[1:2] == b"\x03":
        what, hint = "a TLS server answers there", f"for a rank's worker write https://{where}; {_WHERE_HINT}"
    elif said:
        what, hint = f"it answers {plain(said[:40].decode('latin-1'))!r}", _WHERE_HINT
    else:
        what, hint = "its answer makes no sense", _WHERE_HINT
    return StoreError(StoreFault.NOT_A_STORE, f"{where} is not a TCPStore: {what}", hint=hint)
