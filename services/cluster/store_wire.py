"""The bytes of the TCPStore protocol that a reader needs (spec: tcpstore.md), little-endian; no input or output.

Only queries that read are here: none that writes, adds, waits or deletes can be encoded.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "KEY_PREFIX",
    "MAX_ANNOUNCED",
    "MAX_KEY",
    "MAX_LENGTH",
    "Query",
    "check_request",
    "get_request",
    "int64",
    "multi_get_request",
    "ping_request",
    "uint32",
    "uint64",
    "validate_request",
]

MAGIC = 0x3C85F7CE
MAX_LENGTH = 64 * 1024 * 1024
"""Bytes of one string or value; a longer one is refused unread, or its beginning alone is read."""
MAX_ANNOUNCED = 1 << 40
"""A length beyond is none: the peer speaks another protocol."""
MAX_KEY = 8 * 1024
"""Bytes of a key that is asked for; a store refuses longer ones."""
KEY_PREFIX = b"/"
"""Stands before every key on the wire, except those that the store keeps for itself."""


class Query(IntEnum):
    """Query codes that xpudbg sends."""

    VALIDATE = 0
    GET = 3
    CHECK = 5
    GETNUMKEYS = 7
    MULTI_GET = 10
    PING = 13
    LIST_KEYS = 17


def uint32(data: bytes) -> int:
    """A number of the store's, little-endian whatever the machine."""
    return int.from_bytes(data, "little")


def uint64(data: bytes) -> int:
    """A length or a count of the store's, little-endian."""
    return int.from_bytes(data, "little")


def int64(data: bytes) -> int:
    """A signed number of the store's, little-endian."""
    return int.from_bytes(data, "little", signed=True)


def validate_request() -> bytes:
    """The first message of a connection; no answer comes."""
    return struct.pack("<BI", Query.VALIDATE, MAGIC)


def ping_request(nonce: int) -> bytes:
    """Answer: the nonce as uint32."""
    return struct.pack("<BI", Query.PING, nonce)


def get_request(key: bytes) -> bytes:
    """Answer: one value. Ask only for a key that is there."""
    return bytes((Query.GET,)) + _string(key)


def multi_get_request(keys: Sequence[bytes]) -> bytes:
    """Answer: one value for each key. Ask only for keys that are there, and for at least one."""
    return struct.pack("<BQ", Query.MULTI_GET, len(keys)) + b"".join(map(_string, keys))


def check_request(keys: Sequence[bytes]) -> bytes:
    """Answer: one byte, 0 when all keys are there and 1 when not."""
    return struct.pack("<BQ", Query.CHECK, len(keys)) + b"".join(map(_string, keys))


def _string(key: bytes) -> bytes:
    if len(key) > MAX_KEY:
        raise ValueError(f"a key of {len(key):,} bytes; the longest has {MAX_KEY:,}")
    return struct.pack("<Q", len(key) + len(KEY_PREFIX)) + KEY_PREFIX + key
