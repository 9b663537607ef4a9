"""The zip records of a bundle's members: sizes and CRC stand in the local record, before the bytes.

So the members can be read one after the other without the list at the end, which an interrupted capture never wrote.
Source: PKWARE APPNOTE 6.3.10, sections 4.3 to 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..instants import utc_moment
from ..npz import zip_records as records

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MOST_MEMBERS", "SIZE_LIMIT", "Member", "directory", "dos_time", "local_record", "read_local"]

MOST_MEMBERS = 1_000_000
"""Members of a bundle; a capture that would need more ends there."""
SIZE_LIMIT = 1 << 30
"""Bytes of the largest member, far above what a rank's answer may have."""

_VERSION, _VERSION_64 = 20, 45
_UNIX = 3 << 8
_MODE = 0o600 << 16


@dataclass(frozen=True, slots=True)
class Member:
    """One member as its local record describes it."""

    name: str
    """ASCII."""
    deflated: bool
    crc: int
    packed: int
    """Bytes that it takes in the file."""
    size: int
    """Bytes of its content."""
    stamp: int
    """Date and time as DOS has them: date in the high 16 bits."""
    offset: int
    """Where its local record begins."""

    @property
    def data_at(self) -> int:
        """Where its bytes begin."""
        return self.offset + records.LOCAL.size + len(self.name)

    @property
    def end(self) -> int:
        return self.data_at + self.packed


def dos_time(ns: int) -> int:
    """An instant (ns since the epoch) as a zip has it, in UTC, in steps of two seconds, from 1980 to 2107."""
    at = utc_moment(ns)
    year = min(max(at.year - 1980, 0), 127)
    return (year << 9 | at.month << 5 | at.day) << 16 | at.hour << 11 | at.minute << 5 | at.second // 2


def local_record(member: Member) -> bytes:
    """The record before a member's bytes."""
    method = records.DEFLATED if member.deflated else records.STORED
    time, date = member.stamp & records.U16, member.stamp >> 16
    name = member.name.encode("ascii")
    sizes = (member.crc, member.packed, member.size, len(name), 0)
    return records.LOCAL.pack(records.LOCAL_SIGNATURE, _VERSION, 0, method, time, date, *sizes) + name


def read_local(data: bytes, offset: int) -> Member | str:
    """The member whose local record begins `data`, or why it is none of a bundle's.

    Args:
        data: the record's first bytes, its name with them as far as the file goes.
        offset: where it stands in the file.
    """
    fields = records.LOCAL.unpack_from(data)
    _signature, version, flags, method, time, date, crc, packed, size, name_length, extra_length = fields
    raw = data[records.LOCAL.size : records.LOCAL.size + name_length]
    if len(raw) != name_length:
        return f"the member at byte {offset:,} has a name of {name_length:,} bytes"
    if flags & ~records.UTF8_FLAG:
        return f"the member at byte {offset:,} is encrypted, or its sizes stand behind it: xpudbg writes none such"
    if version != _VERSION or extra_length or method not in (records.STORED, records.DEFLATED):
        return f"the member at byte {offset:,} is packed in a way in which xpudbg packs none"
    if packed > SIZE_LIMIT or size > SIZE_LIMIT or (method == records.STORED and packed != size):
        return f"the member at byte {offset:,} says that it has {size:,} bytes and takes {packed:,}: not to be believed"
    try:
        name = raw.decode("ascii")
    except UnicodeDecodeError:
        return f"the member at byte {offset:,} has a name in which bytes are no ASCII"
    return Member(name, method == records.DEFLATED, crc, packed, size, date << 16 | time, offset)


def directory(members: Sequence[Member], at: int) -> bytes:
    """The list of members and the end records, as they stand at byte `at`; with 64-bit numbers where needed."""
    listed = b"".join(map(_central, members))
    count = len(members)
    wide = b""
    if count >= records.U16 or at >= records.U32 or len(listed) >= records.U32:
        counts = (count, count, len(listed), at)
        rest = records.END64.size - 12
        wide = records.END64.pack(records.END64_SIGNATURE, rest, _VERSION_64, _VERSION_64, 0, 0, *counts)
        wide += records.END64_LOCATOR.pack(records.END64_LOCATOR_SIGNATURE, 0, at + len(listed), 1)
    short = min(count, records.U16)
    narrow = (min(len(listed), records.U32), min(at, records.U32), 0)
    return listed + wide + records.END.pack(records.END_SIGNATURE, 0, 0, short, short, *narrow)


def _central(member: Member) -> bytes:
    method = records.DEFLATED if member.deflated else records.STORED
    time, date = member.stamp & records.U16, member.stamp >> 16
    name = member.name.encode("ascii")
    extra, needed = b"", _VERSION
    if member.offset >= records.U32:
        extra, needed = b"\x01\x00\x08\x00" + member.offset.to_bytes(8, "little"), _VERSION_64
    sizes = (member.crc, member.packed, member.size, len(name), len(extra), 0)
    places = (0, 0, _MODE, min(member.offset, records.U32))
    fixed = records.CENTRAL.pack(
        records.CENTRAL_SIGNATURE, _UNIX | needed, needed, 0, method, time, date, *sizes, *places
    )
    return fixed + name + extra
