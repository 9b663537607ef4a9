"""The end of a zip archive, its list of members, read as it comes and held against the members that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..plain_text import plain
from . import zip_records as records
from .errors import NpzError

if TYPE_CHECKING:
    from collections.abc import Generator

    from .zip_input import ZipInput

__all__ = ["Listed", "read_tail"]


class Listed:
    """A member as its local record names it."""

    def __init__(self, raw_name: bytes, crc: int) -> None:
        self.raw_name = raw_name
        self.crc = crc
        self.name = raw_name.decode("utf-8", "backslashreplace").removesuffix(".npy")
        self.shown = plain(self.name, 80)


def read_tail(source: ZipInput, start: bytes, members: list[Listed]) -> Generator[None, None, None]:
    """Read the list of members and the end records.

    Args:
        source: stands behind `start`.
        start: the four bytes of the first record's signature.
        members: those read before it.

    Raises:
        NpzError: the list is not of these members, or something else is there.
    """
    expected = {member.raw_name: member for member in members}
    while start == records.CENTRAL_SIGNATURE:
        fixed = start + (yield from source.take(records.CENTRAL.size - 4))
        parts = records.CENTRAL.unpack(fixed)
        crc, name_length, extra_length, comment_length = parts[7], parts[10], parts[11], parts[12]
        name = yield from source.take(name_length)
        yield from source.take(extra_length + comment_length)
        member = expected.pop(name, None)
        if member is None:
            shown = plain(name.decode("utf-8", "backslashreplace"), 80)
            raise NpzError(f"lists a member {shown} that it does not hold, or twice")
        if member.crc != crc:
            raise NpzError(f"lists member {member.shown} with another checksum than it has", member.shown)
        start = yield from source.take(4)
    if expected:
        lost = next(iter(expected.values()))
        raise NpzError(f"does not list its member {lost.shown}", lost.shown)
    if start == records.END64_SIGNATURE:
        size = int.from_bytes((yield from source.take(8)), "little")
        if size != records.END64.size - 12:
            raise NpzError("has an end record of an unknown form")
        yield from source.take(size)
        start = yield from source.take(4)
        if start == records.END64_LOCATOR_SIGNATURE:
            yield from source.take(records.END64_LOCATOR.size - 4)
            start = yield from source.take(4)
    if start != records.END_SIGNATURE:
        raise NpzError("has something else where its list of members should end")
    end = records.END.unpack(start + (yield from source.take(records.END.size - 4)))
    if end[4] != min(len(members), records.U16):
        raise NpzError(f"says it has {end[4]} members; it holds {len(members)}")
    yield from source.take(end[7])
