"""Pickles read as plain data: no global is ever looked up and no opcode that could need one is let through.

Before the C unpickler sees the bytes they are walked once. Only opcodes that build dict, list, tuple, str, bytes,
number, bool and None pass, each inside the bytes that are there, and memo indexes may not exceed what the file can have
stored (the C unpickler allocates a table up to the highest index, whatever it is). The walk runs on one regular
expression over everything but texts.
"""

from __future__ import annotations

import io
import pickle
import pickletools
import re
from functools import lru_cache

from .dump import DumpError

__all__ = ["load_plain"]

_LENGTHS = {
    0x58: 4,  # BINUNICODE
    0x8C: 1,  # SHORT_BINUNICODE
    0x8D: 8,  # BINUNICODE8
    0x55: 1,  # SHORT_BINSTRING
    0x54: 4,  # BINSTRING
    0x43: 1,  # SHORT_BINBYTES
    0x42: 4,  # BINBYTES
    0x8E: 8,  # BINBYTES8
    0x8B: 4,  # LONG4
}
"""Opcodes that say the length of what follows, by the bytes of that length (little endian)."""

_FIXED = {0x68: 1, 0x71: 1, 0x4B: 1, 0x4D: 2, 0x4A: 4, 0x6A: 4, 0x72: 4, 0x47: 8, 0x80: 1, 0x95: 8, 0x8A: 10}
"""Bytes that follow an opcode of the run below (LONG1: at most)."""

_NAMES = {ord(opcode.code): opcode.name for opcode in pickletools.opcodes}
_CODE = {"GLOBAL", "STACK_GLOBAL", "REDUCE", "BUILD", "INST", "OBJ", "NEWOBJ", "NEWOBJ_EX", "EXT1", "EXT2", "EXT4"}
MOST_OBJECTS = 4_000_000
"""Dicts and lists in one pickle; a ring of 20,000 entries with 60 frames each has about 1,500,000."""
MOST_OPCODES = 48 << 20
"""Bytes of one pickle that are no text: each may be an object of many times its size."""
_SMALL = 16 << 20
"""Bytes up to which nothing is counted."""
_STOP = 0x2E
_LONGEST_NUMBER = 32
"""Bytes of one integer. 64 bits need 9; without a bound one number of megabytes takes minutes to print."""


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str, /) -> object:
        raise DumpError(f"a pickle that names code ({module}.{name}); refused, nothing was run")

    def persistent_load(self, _pid: object, /) -> object:
        raise DumpError("a pickle that refers to objects outside itself; refused")


def load_plain(data: bytes) -> object:
    """The object in a pickle of plain data.

    Raises:
        DumpError: it is cut, needs code to load, or is no pickle. Nothing of it has been run then.
    """
    _walk(data)
    try:
        # With a reader that can look ahead, the C unpickler takes 128 KiB at a time instead of a few bytes.
        return _PlainUnpickler(io.BufferedReader(io.BytesIO(data)), encoding="utf-8", errors="replace").load()
    except DumpError:
        raise
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, IndexError, KeyError, AttributeError) as error:
        raise DumpError(f"a broken pickle: {_line(error)}") from None
    except (RecursionError, MemoryError, OverflowError) as error:
        raise DumpError(f"a pickle that does not fit: {_line(error) or type(error).__name__}") from None


@lru_cache(maxsize=64)
def _runs(top: int) -> re.Pattern[bytes]:
    """Opcodes without a length of their own, as one run; memo indexes stay below (top + 1) * 65,536."""
    if top > 0xFF:
        index = rb"..[\x00-\xff][\x00-" + re.escape(bytes([min(top >> 8, 0xFF)])) + rb"]"
    else:
        index = rb"..[\x00-" + re.escape(bytes([top])) + rb"]\x00"
    small = b"|".join(b"\\x%02x.{%d}" % (count, count) for count in range(10))
    return re.compile(
        rb"(?:[}\]()\x85-\x89Ntldusea012\x94]|h.|q.|K.|M..|[Jj]....|r"
        + index
        + rb"|G.{8}|\x8a(?:"
        + small
        + rb")|\x80.|\x95.{8})*+",
        re.DOTALL,
    )


def _walk(data: bytes) -> None:
    run = _runs(len(data) >> 16)
    at, end = 0, len(data)
    opcodes = 0
    if end > _SMALL and (count := data.count(b"}") + data.count(b"]")) > MOST_OBJECTS:
        raise DumpError(f"a pickle of {count:,} objects; one of more than {MOST_OBJECTS:,} is not read")
    while True:
        match = run.match(data, at)
        if match:
            opcodes += match.end() - at
            at = match.end()
        if opcodes > MOST_OPCODES:
            raise DumpError(f"a pickle with more than {MOST_OPCODES:,} bytes of numbers and marks; not read")
        if at >= end:
            raise DumpError(f"a pickle cut at byte {end:,}")
        code = data[at]
        if code == _STOP:
            return
        width = _LENGTHS.get(code)
        if width is None:
            raise DumpError(_refusal(data, at))
        start = at + 1 + width
        length = int.from_bytes(data[at + 1 : start], "little")
        if code == 0x8B and length > _LONGEST_NUMBER:
            raise DumpError(f"a pickle with a number of {length:,} bytes; refused")
        at = start + length
        if at >= end:
            raise DumpError(f"a pickle cut at byte {end:,}")


def _refusal(data: bytes, at: int) -> str:
    name = _NAMES.get(data[at])
    if name is None:
        return f"not a pickle: byte {data[at]:#04x} at {at:,} is no opcode"
    if name == "GLOBAL":
        named = data[at + 1 : at + 200].split(b"\n")[:2]
        return (
            f"a pickle that names code ({_line(b'.'.join(named).decode('utf-8', 'replace'))}); refused, nothing was run"
        )
    if name in _CODE:
        return f"a pickle that needs code to load ({name} at byte {at:,}); refused, nothing was run"
    if len(data) - at <= _FIXED.get(data[at], 0):
        return f"a pickle cut at byte {len(data):,}"
    if name in ("LONG_BINPUT", "LONG1"):
        return f"a pickle with a number beyond what it can hold ({name} at byte {at:,}); refused"
    return f"a pickle that holds more than plain data ({name} at byte {at:,}); refused"


def _line(said: object) -> str:
    return " ".join(str(said).split())[:160]
