"""What server and child say to each other over their socket: frames of a kind, a length and a payload.

request   server -> child   the RunRequest as JSON
body      both ways         a piece of an npz archive
end       server -> child   the request's body is complete
head      child -> server   {"status", "headers", "json"}: JSON bodies whole, archives as body frames after it
exit      template -> server, last   {"code"}: how the child's process ended
"""

from __future__ import annotations

import enum
import json
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

__all__ = ["HEADER", "LONGEST_FRAME", "FrameKind", "frame_header", "receive_frame", "received_body", "send_frame"]

HEADER = struct.Struct("<BI")
LONGEST_FRAME = 64 * 1024 * 1024
"""Bytes of one payload; longer ones are refused."""


class FrameKind(enum.IntEnum):
    """What a frame between server and child carries."""

    REQUEST = 1
    BODY = 2
    END = 3
    HEAD = 4
    EXIT = 5


def frame_header(kind: FrameKind, length: int) -> bytes:
    """The bytes before a payload."""
    return HEADER.pack(kind, length)


def send_frame(connection: socket.socket, kind: FrameKind, payload: bytes | memoryview | dict[str, Any] = b"") -> None:
    """Send one frame from blocking code; a dict goes as JSON."""
    data = json.dumps(payload).encode() if isinstance(payload, dict) else payload
    connection.sendall(frame_header(kind, len(data)))
    connection.sendall(data)


def receive_frame(connection: socket.socket) -> tuple[FrameKind, bytearray]:
    """Receive one frame in blocking code.

    Raises:
        EOFError: the other side has gone.
        ValueError: what comes is no frame.
    """
    kind, length = HEADER.unpack(_exactly(connection, HEADER.size))
    if length > LONGEST_FRAME:
        raise ValueError(f"a frame of {length} bytes")
    return FrameKind(kind), _exactly(connection, length)


def received_body(connection: socket.socket) -> Iterator[bytearray]:
    """The pieces of the request's body, up to its end."""
    while True:
        kind, payload = receive_frame(connection)
        if kind is not FrameKind.BODY:
            return
        yield payload


def _exactly(connection: socket.socket, length: int) -> bytearray:
    data = bytearray(length)
    view = memoryview(data)
    while view:
        count = connection.recv_into(view)
        if not count:
            raise EOFError("the server has gone")
        view = view[count:]
    return data
