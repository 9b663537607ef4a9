"""Arrays kept by their content: one file each, however many runs have them.

A blob is a `.npy` file called by the BLAKE2b hash of all its bytes; bfloat16 and float8 lie there as raw bits, their
dtype is told beside the hash. It is written beside its place, flushed to the disk, then renamed, so that a name always
stands for a whole file. Whoever dies between blob and row leaves a blob that nobody names; pruning removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import mmap
import os
import re
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..npz.dtypes import RAW_BITS, from_wire
from ..npz.errors import NpzError
from ..npz.npy_header import LONGEST_HEADER, format_header, header_length, parse_header
from .errors import NotKeptError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Blob", "BlobFolder", "blob_of"]

CHUNK = 1 << 20
MAPPED_FROM = 1 << 20
"""Bytes of values from which an array is mapped from its file instead of read."""
ORPHAN_AGE_S = 3600.0
"""Seconds for which a blob without a row may still get one."""

_NAME = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Blob:
    """A handle on an array that is kept."""

    hash: str
    dtype: str
    """Name of the array's dtype, `bfloat16` and float8 included."""
    size: int
    """Bytes of the file."""


class BlobFolder:
    """The folder of blobs, shared by all processes of a user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, array: NDArray[Any]) -> Blob:
        """Keep an array; one that is there already is not written again.

        Raises:
            NotKeptError: it is not plain numbers.
            OSError: it can't be written.
        """
        blob, header, raw = _named(array)
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.path(blob.hash)
        if self._touched(path, blob.size):
            return blob
        beside = self.folder / f".{secrets.token_hex(8)}.part"
        try:
            with beside.open("xb") as file:
                file.write(header)
                file.writelines(_pieces(raw))
                file.flush()
                os.fsync(file.fileno())
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)
        return blob

    def get(self, blob: Blob, name: str = "the array") -> NDArray[Any]:
        """The array, read-only and mapped from its file when it is large.

        Args:
            name: for messages.

        Raises:
            NotKeptError: its file is gone or is not what was written.
        """
        try:
            with self.path(blob.hash).open("rb") as file:
                start = file.read(12)
                bounds = header_length(start)
                if bounds is None:
                    raise NpzError("its file is cut off")
                begin, end = bounds
                start += file.read(min(end, LONGEST_HEADER + 12) - len(start))
                header = parse_header(start[begin:end])
                if os.fstat(file.fileno()).st_size != end + header.nbytes:
                    raise NpzError("its file is cut off or too long")
                if header.nbytes >= MAPPED_FROM:
                    mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                    flat = np.frombuffer(mapped, np.uint8, header.nbytes, end)
                else:
                    file.seek(end)
                    flat = np.frombuffer(file.read(header.nbytes), np.uint8)
            order = "F" if header.fortran_order else "C"
            array = flat.view(header.dtype).reshape(header.shape, order=order)  # type: ignore[call-overload]
            return from_wire(array, blob.dtype, name) if blob.dtype in RAW_BITS else np.asarray(array)
        except FileNotFoundError as error:
            raise NotKeptError(f"{name}: it is no longer in the history", hint="it was pruned") from error
        except (NpzError, OSError, ValueError) as error:
            raise NotKeptError(f"{name}: can't be read from the history: {error}") from error

    def path(self, blob_hash: str) -> Path:
        """
        Raises:
            NotKeptError: this is no hash (a damaged row must not name other files).
        """
        if not _NAME.fullmatch(blob_hash):
            raise NotKeptError("the history names an array by something that is no hash")
        return self.folder / f"{blob_hash}.npy"

    def sizes(self) -> dict[str, int]:
        """Bytes of each blob by its hash."""
        found: dict[str, int] = {}
        with contextlib.suppress(FileNotFoundError):  # nothing has been kept yet
            for path in self.folder.iterdir():
                if path.suffix == ".npy" and _NAME.fullmatch(path.stem):
                    with contextlib.suppress(FileNotFoundError):  # another process pruned it
                        found[path.stem] = path.stat().st_size
        return found

    def remove_all_but(self, used: Collection[str], *, orphan_age_s: float = ORPHAN_AGE_S) -> int:
        """Remove blobs that no row uses, and unfinished files, once they are older than an age.

        Returns:
            Bytes that became free.
        """
        freed = 0
        if not self.folder.is_dir():
            return freed
        before = time.time() - orphan_age_s
        for path in list(self.folder.iterdir()):
            blob = path.suffix == ".npy" and _NAME.fullmatch(path.stem) is not None
            if (blob and path.stem in used) or not (blob or path.name.endswith(".part")):
                continue
            with self._locked(fcntl.LOCK_EX), contextlib.suppress(FileNotFoundError):
                said = path.stat()
                if said.st_mtime <= before:
                    path.unlink()
                    freed += said.st_size
        return freed

    def _touched(self, path: Path, size: int) -> bool:
        """Whether a whole blob is there already; it is made young, so that pruning lets it be until its row is in."""
        with self._locked(fcntl.LOCK_SH):
            try:
                if path.stat().st_size != size:
                    return False
                os.utime(path)
            except FileNotFoundError:
                return False
            return True

    @contextlib.contextmanager
    def _locked(self, how: int) -> Iterator[None]:
        with (self.folder / ".lock").open("ab") as file:
            fcntl.flock(file, how)
            yield


def blob_of(array: NDArray[Any]) -> Blob:
    """The handle that an array would have; nothing is written.

    Raises:
        NotKeptError: it is not plain numbers.
    """
    return _named(array)[0]


def _named(array: NDArray[Any]) -> tuple[Blob, bytes, NDArray[Any]]:
    header, raw = _laid_out(array)
    digest = hashlib.blake2b(header, digest_size=20)
    for piece in _pieces(raw):
        digest.update(piece)
    return Blob(digest.hexdigest(), array.dtype.name, len(header) + raw.nbytes), header, raw


def _laid_out(array: NDArray[Any]) -> tuple[bytes, NDArray[Any]]:
    """The file's header, and the values as a contiguous array in the order in which they are written."""
    bits = RAW_BITS.get(array.dtype.name)
    fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    raw = array if fortran or array.flags.c_contiguous else np.ascontiguousarray(array)
    if bits is not None:
        raw = raw.view(bits)
    try:
        header = format_header(raw, fortran_order=fortran)
    except NpzError as error:
        raise NotKeptError(str(error)) from error
    return header, raw.T if fortran else raw


def _pieces(raw: NDArray[Any]) -> Iterator[memoryview]:
    flat = raw.reshape(-1).view(np.uint8).data
    for start in range(0, len(flat), CHUNK):
        yield flat[start : start + CHUNK]
