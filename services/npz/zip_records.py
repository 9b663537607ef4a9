"""The records of a zip archive as far as npz needs them. Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5."""

from __future__ import annotations

import struct

__all__ = [
    "CENTRAL",
    "CENTRAL_SIGNATURE",
    "DEFLATED",
    "DESCRIPTOR_FLAG",
    "DESCRIPTOR_SIGNATURE",
    "END",
    "END64",
    "END64_LOCATOR",
    "END64_LOCATOR_SIGNATURE",
    "END64_SIGNATURE",
    "END_SIGNATURE",
    "LOCAL",
    "LOCAL_SIGNATURE",
    "STORED",
    "U16",
    "U32",
    "UTF8_FLAG",
    "ZIP64_EXTRA",
    "zip64_extra",
]

LOCAL_SIGNATURE = b"PK\x03\x04"
CENTRAL_SIGNATURE = b"PK\x01\x02"
END_SIGNATURE = b"PK\x05\x06"
END64_SIGNATURE = b"PK\x06\x06"
END64_LOCATOR_SIGNATURE = b"PK\x06\x07"
DESCRIPTOR_SIGNATURE = b"PK\x07\x08"

LOCAL = struct.Struct("<4sHHHHHLLLHH")
"""Signature, version needed, flags, method, time, date, CRC, packed size, size, length of name, length of extra."""
CENTRAL = struct.Struct("<4sHHHHHHLLLHHHHHLL")
"""Signature, version made by, version needed, flags, method, time, date, CRC, packed size, size, lengths of name,
extra and comment, disk, internal attributes, external attributes, offset of the local record."""
END = struct.Struct("<4sHHHHLLH")
"""Signature, disk, disk of the directory, entries here, entries, size and offset of the directory, comment length."""
END64 = struct.Struct("<4sQHHLLQQQQ")
"""Signature, size of the rest, versions, disks, entries here, entries, size and offset of the directory."""
END64_LOCATOR = struct.Struct("<4sLQL")
"""Signature, disk, offset of the END64 record, number of disks."""

STORED, DEFLATED = 0, 8
DESCRIPTOR_FLAG, UTF8_FLAG = 0x0008, 0x0800
ZIP64_EXTRA = 1
U16, U32 = 0xFFFF, 0xFFFFFFFF
"""A field with this value has its true one in a 64-bit field."""


def zip64_extra(extra: bytes) -> list[int]:
    """The 64-bit numbers of the zip64 extra field, in their order; empty without one.

    Raises:
        ValueError: the extra field is malformed.
    """
    at = 0
    while at + 4 <= len(extra):
        kind, size = struct.unpack_from("<HH", extra, at)
        at += 4
        if at + size > len(extra):
            raise ValueError("its extra field is cut")
        if kind == ZIP64_EXTRA:
            return [number for (number,) in struct.iter_unpack("<Q", extra[at : at + size // 8 * 8])]
        at += size
    return []
