"""Finding dumps among files: which rank, host and look a name says, and which files of a folder count.

A folder means its own files; its sub-folders count when it has no dump itself, or on demand. Whether a file is a dump
is for `decode` to say: here only names are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ..ranksets import MAX_RANK

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["DumpFile", "Found", "NamedDump", "Skipped", "find_files", "read_name"]

_EXTENSIONS = re.compile(r"(?:\.(?:json|pickle|pkl|pt|bin|dump|trace|txt|gz))+$", re.IGNORECASE)
_STAMP = re.compile(r"[_.-](\d{8})[_T-](\d{6})(?=$|[_.-])")
_RANK = re.compile(r"(.*?)(\d{1,7})", re.DOTALL)
_TOKEN = re.compile(r"(?:^|[_.\-])(?:global_?)?rank[_.\-]?$", re.IGNORECASE)
_HOST_AFTER = re.compile(r"(?:^|[_.\-])rank[_.\-](?P<host>.*[^_.\-])[_.\-]$", re.IGNORECASE)
_PLAIN_PREFIX = re.compile(
    r"(?:torch|nccl|gloo|hccl|rccl|xccl|comm|lib|flight|recorder|fr|trace|traces|dump|dumps|debug|global|rank|pg|[_.\-])*",
    re.IGNORECASE,
)
_SAYS_DUMP = re.compile(r"rank|dump|trace|nccl|flight|(?:^|[_.\-])fr(?:[_.\-]|\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NamedDump:
    """What a file name says."""

    rank: int
    host: str
    """Empty when the name has none."""
    taken_at: int | None
    """From a time stamp in the name, read as UTC, ns since the epoch."""
    plain: bool
    """The name is that of a dump; else only a number at its end speaks for it."""


@dataclass(frozen=True, slots=True)
class DumpFile:
    """A file that may be a dump."""

    path: Path
    named: NamedDump

    @property
    def rank(self) -> int:
        return self.named.rank


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that is left aside, and why, in one plain line."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    files: tuple[DumpFile, ...]
    """By rank, then by path."""
    skipped: tuple[Skipped, ...]


def read_name(name: str) -> NamedDump | None:
    """Rank, host and time in a file name; None when no rank ends it.

    `nccl_trace_rank_5`, `_dump_5`, `rank_5.json`, `nccl_trace_rank_node-a02_5`, `node1.pci3_rank_9`,
    `nccl_trace_rank_5_20250923_065505.gz`.
    """
    stem = _EXTENSIONS.sub("", name)
    taken_at = None
    if stamp := _STAMP.search(stem):
        taken_at = _instant(stamp[1] + stamp[2])
        if taken_at is not None:
            stem = stem[: stamp.start()] + stem[stamp.end() :]
    match = _RANK.fullmatch(stem)
    if match is None or int(match[2]) > MAX_RANK:
        return None
    before = match[1]
    return NamedDump(int(match[2]), _host(before), taken_at, bool(_SAYS_DUMP.search(stem)))


def _host(before: str) -> str:
    """The host in what stands before the rank."""
    if after := _HOST_AFTER.search(before):
        return after["host"]
    if token := _TOKEN.search(before):
        prefix = before[: token.start()]
        return "" if _PLAIN_PREFIX.fullmatch(prefix) else prefix.strip("_.-")
    return ""


def _instant(digits: str) -> int | None:
    try:
        moment = datetime.strptime(digits, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return int(moment.timestamp()) * 1_000_000_000


def find_files(paths: Iterable[Path], *, recursive: bool = False) -> Found:
    """The files that may be dumps under these paths, each a file or a folder.

    Raises:
        FileNotFoundError: a path does not exist.
    """
    files: dict[Path, DumpFile] = {}
    skipped: dict[Path, Skipped] = {}
    for path in paths:
        if path.is_dir():
            _from_folder(path, files, skipped, recursive=recursive)
        elif path.exists():
            _sort(path, files, skipped)
        else:
            raise FileNotFoundError(f"{path} does not exist")
    return Found(
        tuple(sorted(files.values(), key=lambda file: (file.rank, str(file.path)))),
        tuple(sorted(skipped.values(), key=lambda one: str(one.path))),
    )


def _from_folder(folder: Path, files: dict[Path, DumpFile], skipped: dict[Path, Skipped], *, recursive: bool) -> None:
    """The files of a folder; those of its sub-folders when asked for, or when it has none itself."""
    subfolders = []
    own = False
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            if not entry.is_symlink():
                subfolders.append(entry)
        else:
            own |= _sort(entry, files, skipped)
    if recursive or not own:
        for subfolder in subfolders:
            _from_folder(subfolder, files, skipped, recursive=recursive)


def _sort(path: Path, files: dict[Path, DumpFile], skipped: dict[Path, Skipped]) -> bool:
    """Put a file where it belongs; True when it may be a dump by its name."""
    if not path.is_file():
        skipped[path] = Skipped(path, "not a regular file")
    elif path.name.startswith("."):
        skipped[path] = Skipped(path, "a hidden file")
    elif (named := read_name(path.name)) is None:
        skipped[path] = Skipped(path, "no rank at the end of its name")
    else:
        files[path] = DumpFile(path, named)
        return named.plain
    return False
