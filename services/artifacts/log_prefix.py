"""The prefixes that launchers and log collectors put before the lines of a job's log, and what they say of the rank.

They nest, and times stand before or after them: `2025-11-30T10:00:00Z node-b07 | [default3]:[rank11]:[E1130 ...`. All
prefixes of a line but its times name the stream that it belongs to; lines of one stream were written by one process.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

__all__ = ["Peeled", "instant_of", "peel"]

_TOKEN = re.compile(
    rb"[ \t]{0,8}(?:"
    rb"(?P<torch>\[rank(?P<torch_rank>\d{1,7})\[?\]:?)"
    rb"|\[[A-Za-z_][\w.-]{0,60}?(?P<local>\d{1,7})\]:"  # torchrun: [default3]:
    rb"|[\[(]rank[ _=:]?(?P<rank>\d{1,7})[\])]:?"
    rb"|\[\d{1,9},(?P<mpi>\d{1,7})\]<std(?:out|err|diag)>:"
    rb"|\[(?P<host>[A-Za-z][\w.-]{0,200}):(?P<host_local>\d{1,7})\]:?"
    rb"|\((?P<ray>[A-Za-z_]\w{0,80}(?:\[rank=(?P<ray_rank>\d{1,7})\])? pid=\d{1,9}(?:, ip=[\w.:]{1,60})?)\)"
    rb"|\[pod/(?P<pod>[\w.-]{1,200}/[\w.-]{1,200})\]"
    rb"|(?P<pipe>[A-Za-z][\w.-]{0,200}) {0,20}\|(?= )"
    rb"|(?P<name>[A-Za-z][\w.-]{0,200}): (?=\[)"
    rb"|(?P<srun>\d{1,7}):(?= |$)"
    rb"|std(?:out|err) [FP](?= )"
    rb"|(?P<time>\[?(?P<year>\d{4})[-/](?P<month>\d\d)[-/](?P<day>\d\d)[T ](?P<clock>\d\d:\d\d:\d\d)"
    rb"(?:[.,](?P<part>\d{1,9}))?(?P<zone>Z|[+-]\d\d:?\d\d)?\]?:?(?=\s|\[|$|\())"
    rb"|(?:\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]?|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) {1,2}\d{1,2}"
    rb" \d\d:\d\d:\d\d)(?=\s|\[|$)"
    rb")"
)
_MOST_TOKENS = 8


class Peeled(NamedTuple):
    """A line without its prefixes."""

    stream: bytes
    """The prefixes that name the stream, without times; empty for a line that has none."""
    rest: bytes
    """What the process wrote. Blanks that a launcher puts between its prefix and the line are still there."""
    rank: int | None = None
    """The rank that the innermost prefix names."""
    local: int | None = None
    """The rank on its host, where the innermost prefix names only that (`[default3]:`, `[node-1:2]`)."""
    around: bytes = b""
    """The prefixes around the one with the local rank: what tells hosts apart."""
    taught: int | None = None
    """The rank that torch itself names (`[rank11]:`) behind a prefix of the launcher."""
    at: int | None = None
    """The line's time, ns since the epoch; a time without a zone is read as UTC."""


def peel(line: bytes) -> Peeled:
    """Take the prefixes off a line."""
    found = _TOKEN.match(line)
    if found is None:
        return Peeled(b"", line)
    named: list[bytes] = []
    rank = local = taught = at = None
    around = b""
    position = 0
    for _ in range(_MOST_TOKENS):
        position = found.end()
        match found.lastgroup:
            case "torch":
                if named:
                    taught = int(found["torch_rank"])
                else:
                    named.append(b"[rank%d]:" % int(found["torch_rank"]))
                    rank = int(found["torch_rank"])
            case "time":
                at = _instant(found) if at is None else at
            case "local" | "host_local":
                local, rank, around = int(found[found.lastgroup]), None, b"".join(named) + (found["host"] or b"")
                named.append(found[0].strip())
            case "rank" | "mpi" | "srun" as group:
                rank, local = int(found[group]), None
                named.append(found[0].strip())
            case "ray":
                if found["ray_rank"] is not None:
                    rank, local = int(found["ray_rank"]), None
                named.append(found[0].strip())
            case "pod" | "pipe" | "name":
                named.append(found[0].strip())
        found = _TOKEN.match(line, position)
        # A number with a colon is a prefix only where nothing but times and hosts stand before it.
        if found is None or (found.lastgroup == "srun" and (rank is not None or local is not None)):
            break
    return Peeled(b"".join(named), line[position:], rank, local, around, taught, at)


def instant_of(text: str, part: str = "", zone: str = "") -> int | None:
    """`2025-11-30 10:00:00` with the digits of its fraction as ns since the epoch; None when there is no such time."""
    seconds = _seconds(text, zone)
    return None if seconds is None else seconds * 1_000_000_000 + int(part[:9].ljust(9, "0") if part else 0)


@lru_cache(maxsize=4_096)
def _seconds(text: str, zone: str) -> int | None:
    """Most lines of a log share their second with others."""
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=UTC)
        if zone not in ("", "Z"):
            digits = zone[1:].replace(":", "")
            shift = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
            moment -= shift if zone[0] == "+" else -shift
        return int(moment.timestamp())
    except (ValueError, OverflowError):
        return None


def _instant(found: re.Match[bytes]) -> int | None:
    date = b"-".join((found["year"], found["month"], found["day"])) + b" " + found["clock"]
    return instant_of(date.decode(), (found["part"] or b"").decode(), (found["zone"] or b"").decode())
