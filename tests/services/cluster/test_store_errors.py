from __future__ import annotations

import errno
import os
import socket

import pytest

from xpudbg.services.cluster.store_errors import StoreFault, explain_connect, not_a_store


@pytest.mark.parametrize(
    ("error", "kind", "says"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), StoreFault.REFUSED, "nothing listens"),
        (OSError(errno.EHOSTUNREACH, "No route to host"), StoreFault.UNREACHABLE, "can't be reached: no route to host"),
        (TimeoutError(errno.ETIMEDOUT, "Connection timed out"), StoreFault.UNREACHABLE, "connection timed out"),
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), StoreFault.UNREACHABLE, "too many open files"),
        (ConnectionResetError(errno.ECONNRESET, "reset"), StoreFault.CLOSED, "reset the connection"),
        (socket.gaierror(-2, "Name or service not known"), StoreFault.NAME_UNKNOWN, "node-1 does not resolve"),
        (UnicodeError("label too long"), StoreFault.NAME_UNKNOWN, "node-1 does not resolve"),
        (ValueError("embedded null byte"), StoreFault.NAME_UNKNOWN, "not a host name"),
    ],
)
def test_no_connection(error: OSError | ValueError, kind: StoreFault, says: str) -> None:
    explained = explain_connect("node-1:29500", error)
    assert explained.kind is kind
    assert says in str(explained)
    assert explained.hint


def test_what_a_peer_says_is_shown_plain_and_short() -> None:
    error = not_a_store("h:1", b"\x1b[31m" + b"x" * 5_000)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 150


def test_an_answer_without_bytes() -> None:
    assert str(not_a_store("h:1", b"")) == "h:1 is not a TCPStore: its answer makes no sense"
