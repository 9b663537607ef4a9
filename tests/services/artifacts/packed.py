"""Archives written record by record, also such as no honest tool would write."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import IO, cast

__all__ = ["tar_of", "tar_record", "zip_of", "zip_with_flags"]

_PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}
END_OF_TAR = b"\0" * 1024


def tar_record(name: str, data: bytes = b"", kind: bytes = tarfile.REGTYPE, *, size: int | None = None) -> bytes:
    """One member as it stands in a tar; `size` is what its header claims."""
    info = tarfile.TarInfo(name)
    info.type = kind
    info.size = len(data) if size is None else size
    info.mtime = 1_758_610_505
    info.linkname = "/etc/passwd" if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE) else ""
    return info.tobuf(tarfile.GNU_FORMAT) + data + b"\0" * (-len(data) % 512)


def tar_of(members: Mapping[str, bytes] | Iterable[bytes], mode: str = "") -> bytes:
    """A whole tar of files by name, or of records; `mode` as tarfile has it (gz, bz2, xz)."""
    if isinstance(members, Mapping):
        members = [tar_record(name, data) for name, data in members.items()]
    plain = b"".join(members) + END_OF_TAR
    return _PACKERS[mode](plain) if mode else plain


def zip_of(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED, *, streamed: bool = False) -> bytes:
    """A zip of files by name; `streamed` as a pipe gets it, with sizes behind the members."""
    made = io.BytesIO()
    target = cast("IO[bytes]", _NoSeek(made)) if streamed else made
    with zipfile.ZipFile(target, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 9, 23, 6, 55, 4)), data, compress_type=method)
    return made.getvalue()


def zip_with_flags(name: bytes, data: bytes, *, flags: int = 0, method: int = 8, mode: int = 0, crc: int = -1) -> bytes:
    """A zip of one member with the fields that are asked for."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush() if method == 8 else data
    crc = zlib.crc32(data) if crc < 0 else crc
    sizes = (crc, len(packed), len(data))
    local = struct.pack("<4sHHHHHLLLHH", b"PK\3\4", 20, flags, method, 0, 0x5921, *sizes, len(name), 0) + name
    central = struct.pack(
        "<4sHHHHHHLLLHHHHHLL",
        b"PK\1\2",
        0x314,
        20,
        flags,
        method,
        0,
        0x5921,
        *sizes,
        len(name),
        0,
        0,
        0,
        0,
        mode << 16,
        0,
    )
    central += name
    start = len(local) + len(packed)
    return local + packed + central + struct.pack("<4sHHHHLLH", b"PK\5\6", 0, 0, 1, 1, len(central), start, 0)


class _NoSeek:
    """Takes bytes and can't go back."""

    def __init__(self, file: io.BytesIO) -> None:
        self.write = file.write
        self.flush = file.flush
