"""Archives unpacked into the spool: every member is looked at once, none becomes a path on disk.

The rule of folders holds in them too: the files of a folder count, those of its sub-folders when it has none of use
itself, or on demand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import TYPE_CHECKING

from ..flight_recorder.file_names import read_name
from ..plain_text import plain
from ..spool import Body
from .artifact import Artifact, Refused
from .bundle_sign import is_bundle_head
from .content import GZIP, gunzipped_head, open_body
from .limits import LimitReachedError
from .member_store import FoundFile, MemberStore, MemberTooLargeError
from .members import NAME_LIMIT, bad_name
from .rank_names import rank_in_name
from .recognise import ArtifactKind, recognise_head
from .streams import Packing, PlainStream, UnpackedStream
from .tar_members import BLOCK, TarReader, is_tar_head
from .zip_members import ZipReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from .limits import Budget
    from .members import ArchiveReader, Member

__all__ = ["HEAD", "ArchiveFolder", "Form", "Unpacker", "archive_form", "looks_usable", "may_matter"]

HEAD = 4 * 1024
"""Bytes of a file by which it is told whether it is an archive, and of use."""
_DEEPEST = 1
"""Archives in an archive are unpacked, archives in those not."""
_TELL_EACH = 500
_NAMES_LOOKED_AT = 2_000


class Form(Enum):
    """How a file holds others; the value is how its whole content is packed."""

    TAR = None
    TAR_GZIP = Packing.GZIP
    BZIP2 = Packing.BZIP2
    XZ = Packing.XZ
    """Of the last two a tar or a single file: only unpacking tells."""
    ZIP = "zip"


@dataclass(slots=True)
class ArchiveFolder:
    """A folder in an archive, or the archive itself."""

    files: dict[str, FoundFile] = field(default_factory=dict)
    archives: list[ArchiveFolder] = field(default_factory=list)
    """Archives that lie in it."""
    folders: dict[str, ArchiveFolder] = field(default_factory=dict)

    def below(self, parts: Sequence[str]) -> ArchiveFolder:
        folder = self
        for part in parts:
            folder = folder.folders.setdefault(part, ArchiveFolder())
        return folder

    def chosen(self, *, recursive: bool) -> tuple[list[FoundFile], int]:
        """The files that count, and how many are left aside."""
        chosen: list[FoundFile] = []
        left_aside = 0
        waiting = [self]
        while waiting:
            folder = waiting.pop()
            own = [file for _, file in sorted(folder.files.items())]
            for archive in folder.archives:
                more, less = archive.chosen(recursive=recursive)
                own += more
                left_aside += less
            chosen += own
            if recursive or not any(file.usable for file in own):
                waiting += [inner for _, inner in sorted(folder.folders.items(), reverse=True)]
            else:
                left_aside += sum(inner.count() for inner in folder.folders.values())
        return chosen, left_aside

    def count(self) -> int:
        """Files in it and below it."""
        count = 0
        waiting = [self]
        while waiting:
            folder = waiting.pop()
            count += len(folder.files)
            waiting += folder.archives
            waiting += folder.folders.values()
        return count


def archive_form(head: bytes) -> Form | None:
    """What kind of archive begins with these bytes as they lie; None for none, and for one of our bundles."""
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return None if is_bundle_head(head) else Form.ZIP
    if is_tar_head(head):
        return Form.TAR
    if head.startswith(GZIP):
        return Form.TAR_GZIP if is_tar_head(gunzipped_head(head, BLOCK)) else None
    if head.startswith(b"BZh") and head[4:10] in (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"):
        return Form.BZIP2
    return Form.XZ if head.startswith(b"\xfd7zXZ\x00") else None


def looks_usable(name: str, head: bytes, *, whole: bool) -> bool:
    """Whether a file is of use by its name or its first bytes as they lie."""
    return recognise_head(name, gunzipped_head(head, 16 * HEAD), whole=whole).usable


def may_matter(name: str) -> bool:
    """Whether a file of this name would belong to the answer."""
    named = read_name(name)
    return (named is not None and named.plain) or rank_in_name(name) is not None


class Unpacker:
    """Takes the members out of archives, of archives in them too, within a budget."""

    def __init__(
        self, store: MemberStore, budget: Budget, refuse: Callable[[Refused], None], told: Callable[[str], None]
    ) -> None:
        """
        Args:
            store: keeps the members.
            budget: what may be read and kept.
            refuse: takes what can't be used.
            told: takes a line about how far it is.
        """
        self._store = store
        self._budget = budget
        self._refuse = refuse
        self._told = told

    def unpack(
        self, label: str, file: BinaryIO, size: int, form: Form, modified_at: int, path: Path | None = None
    ) -> ArchiveFolder:
        """Take the members of an archive. What is wrong with it or with them is refused, never raised.

        Args:
            label: name of the archive as it is shown.
            file: it, from its first byte on.
            size: bytes of it that count.
            form: of which kind it is.
            modified_at: time of the archive, ns since the epoch.
            path: where it lies on disk; members that stand there as they are are not copied.
        """
        return self._unpack(label, file, size, form, modified_at, path, depth=0)

    def _unpack(
        self, label: str, file: BinaryIO, size: int, form: Form, modified_at: int, path: Path | None, *, depth: int
    ) -> ArchiveFolder:
        folder = ArchiveFolder()
        try:
            reader = self._reader(label, file, size, form)
            if reader is None:
                if form in (Form.BZIP2, Form.XZ):
                    self._single(label, file, size, form, modified_at, folder)
                return folder
            count = 0
            for count, member in enumerate(reader, 1):  # noqa: B007
                self._take(label, member, folder, path if form is Form.TAR else None, depth)
                if not self._budget.members % _TELL_EACH:
                    self._told(f"{label}: {self._budget.members:,} members")
            if reader.trouble:
                nothing_of_a_job = bool(count) and not folder.count()
                self._refused(label, f"{reader.trouble}; what came before counts", partial=not nothing_of_a_job)
            elif not count:
                self._refused(label, "an archive with nothing in it", partial=False)
        except LimitReachedError as limit:
            self._refused(label, str(limit))
        except OSError as error:
            self._refused(label, f"cannot be read or unpacked: {error.strerror or error}")
        return folder

    def _reader(self, label: str, file: BinaryIO, size: int, form: Form) -> ArchiveReader | None:
        """None for what has no members, which has been said, and for a single compressed file."""
        if form is Form.ZIP:
            reader = ZipReader(file, size, self._budget)
            other = _other_use(reader.names()[:_NAMES_LOOKED_AT])
            if other:
                self._refused(label, f"{other}; not unpacked", partial=False)
                return None
            return reader
        if not isinstance(form.value, Packing):
            return TarReader(PlainStream(file, size), self._budget)
        if form is not Form.TAR_GZIP:
            start = UnpackedStream(file, size, form.value, self._budget).read(BLOCK)
            file.seek(0)
            if not is_tar_head(start):
                return None
        return TarReader(UnpackedStream(file, size, form.value, self._budget), self._budget)

    def _single(
        self, label: str, file: BinaryIO, size: int, form: Form, modified_at: int, folder: ArchiveFolder
    ) -> None:
        """A file that is compressed with bzip2 or xz."""
        assert isinstance(form.value, Packing)
        stream = UnpackedStream(file, size, form.value, self._budget)
        self._budget.member()
        try:
            body = self._store.keep(iter(lambda: stream.read(1 << 20), b""), self._budget)
        except MemberTooLargeError as error:
            self._refused(label, str(error))
            return
        if stream.trouble:
            self._refused(label, f"{stream.trouble}; what came is read" if body.size else stream.trouble)
        if not body.size and stream.trouble:
            return
        name = label.removesuffix(".bz2").removesuffix(".xz")
        self._found(folder, Artifact(name, body, modified_at), body.read(HEAD))

    def _take(self, label: str, member: Member, folder: ArchiveFolder, path: Path | None, depth: int) -> None:
        if member.folder:
            return
        parts = [part for part in member.name.split("/") if part not in ("", ".")]
        shown = f"{label}/{plain('/'.join(parts), NAME_LIMIT)}"
        last = parts[-1] if parts else ""
        if reason := bad_name(member.name):
            self._refused(f"{label}: {plain(member.name, NAME_LIMIT)}", f"{reason}; not read")
        elif last.startswith(".") or "__MACOSX" in parts:
            self._refused(shown, "a hidden file", partial=False)
        elif member.refusal:
            linked = member.refusal.endswith("not followed")
            self._refused(shown, member.refusal, partial=not linked or may_matter(last))
        else:
            self._read(shown, member, folder.below(parts[:-1]), path, depth)

    def _read(self, shown: str, member: Member, folder: ArchiveFolder, path: Path | None, depth: int) -> None:
        head = b""
        for piece in member.pieces:
            head += piece
            if len(head) >= HEAD:
                break
        form = archive_form(head)
        if form is not None and depth >= _DEEPEST:
            self._refused(shown, "an archive within an archive within an archive; unpack it first")
            return
        if form is None and (reason := _of_no_use(shown, head)) is not None:
            self._refuse(reason)
            return
        whole = head
        if path is not None and member.place is not None and form is None and not member.trouble:
            offset, size = member.place
            if size > self._budget.limits.member_bytes:
                self._refused(shown, f"more than {self._budget.limits.member_bytes:,} bytes; not read")
                return
            body = Body(size=size, path=path, offset=offset)
        else:
            try:
                body = self._store.keep(chain([whole], self._counted(shown, member.pieces)), self._budget)
            except MemberTooLargeError as error:
                self._refused(shown, str(error))
                return
        if member.damaged:
            self._refused(shown, f"{member.trouble}; not read")
            return
        if member.trouble:
            self._refused(shown, f"{member.trouble}; what came is read")
        if form is None:
            self._found(folder, Artifact(shown, body, member.modified_at), head)
            return
        with open_body(body) as file:
            inner = self._unpack(shown, file, body.size, form, member.modified_at, None, depth=depth + 1)
        folder.archives.append(inner)

    def _counted(self, shown: str, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """The same pieces, with a word from time to time."""
        came = told = 0
        for piece in pieces:
            yield piece
            came += len(piece)
            if came - told >= 64 << 20:
                told = came
                self._told(f"{shown}: {came >> 20:,} MiB unpacked")

    def _found(self, folder: ArchiveFolder, artifact: Artifact, head: bytes) -> None:
        name = artifact.file_name
        if name in folder.files:
            self._refused(artifact.name, "the archive has this name twice; the later one is read", partial=False)
        usable = looks_usable(name, head[:HEAD], whole=artifact.body.size <= HEAD)
        found = folder.files[name] = FoundFile(artifact, usable)
        self._store.settle(found)

    def _refused(self, name: str, reason: str, *, partial: bool = True) -> None:
        self._refuse(Refused(name, reason, partial))


def _of_no_use(shown: str, head: bytes) -> Refused | None:
    """What is certainly none of a job's files is not kept: parameters of a model fill a disk."""
    start = gunzipped_head(head, 16 * HEAD)
    if b"\0" not in start.strip(b"\0"):
        return None
    told = recognise_head(shown.rpartition("/")[2], start, whole=len(head) < HEAD)
    return None if told.kind is not ArtifactKind.UNKNOWN else Refused(shown, told.reason, told.partial)


def _other_use(names: Sequence[str]) -> str:
    """What a zip is when it is no archive of files that somebody packed; empty otherwise."""
    ends = {name.rpartition("/")[2] for name in names}
    if "data.pkl" in ends and ends & {"version", "byteorder", ".format_version"}:
        return "a checkpoint of torch.save"
    if names and all(name.endswith(".npy") for name in names):
        return "arrays of numpy"
    if "[Content_Types].xml" in names:
        return "a document of an office program"
    if "META-INF/MANIFEST.MF" in names or any(".dist-info/" in name for name in names):
        return "a package of a program"
    return ""
