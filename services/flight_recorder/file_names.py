"""What the name of a file that a job left says: rank, host and time. Nothing is opened."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime

from ..ranksets import MAX_RANK

__all__ = ["NamedDump", "read_name", "read_time"]

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


def read_time(name: str) -> int | None:
    """The time stamp in a file name, ns since the epoch; None when it has none.

    `stacks_20250923_065505.txt`. Torch writes the local time of the job's machine and says no zone: it is read as UTC.
    """
    stamp = _STAMP.search(_EXTENSIONS.sub("", name))
    return _instant(stamp[1] + stamp[2]) if stamp else None


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
