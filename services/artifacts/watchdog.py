"""Lines that NCCL's watchdog leaves in a job's log, of torch 1.12 to 2.13 (spec: worker-server.md, last section).

The rank in `[Rank 3]` and `[PG ID 2 PG GUID 5(tp) Rank 3]` is the rank within the group; only `[rank3]:` and the
launcher's prefix name the rank of the job. Groups are the same on all ranks only by their GUID; `PG ID` counts the
groups of one process, except that 0 is the default group everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ..plain_text import plain
from ..ranksets import MAX_RANK, RankSet
from .log_prefix import instant_of

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["WatchdogKind", "WatchdogLine", "joined", "may_tell", "read_watchdog_line"]


class WatchdogKind(StrEnum):
    """What a line says."""

    TIMEOUT = "timeout"
    """A collective did not end in its time."""
    STATUS = "status"
    """How far the rank is in the group: the last work enqueued and completed."""
    ERROR = "error"
    """NCCL reported an error while a collective ran."""
    STUCK = "stuck"
    """The watchdog itself stands still: a call of CUDA or NCCL does not return, or the GIL is held."""
    GIL = "gil"
    """The GIL could not be had when the process was about to end."""
    DESYNC = "desync"
    """Torch's own desync report names ranks."""


@dataclass(frozen=True, slots=True)
class WatchdogLine:
    """One line. Numbers that it does not hold are None."""

    kind: WatchdogKind
    rank: int | None
    """Of the job. None when nothing tells it."""
    artifact: str
    number: int
    """Of the line in its file, from 1."""
    text: str
    """The line from the message on, plain, cut."""
    at: int | None = None
    """When it was written, ns since the epoch; a time without a zone is read as UTC."""
    op: str = ""
    """As torch names it: `ALLREDUCE`, `_ALLGATHER_BASE`."""
    seq: int | None = None
    group_id: str = ""
    """Empty when the line does not tell; `0` is the default group."""
    group_desc: str = ""
    group_shared: bool = False
    """Whether equal ids on two ranks are the same group."""
    group_rank: int | None = None
    """The rank within the group, as the line says it."""
    rank_sure: bool = True
    """False when `rank` is taken from the rank within a group that is not told."""
    numel_in: int | None = None
    numel_out: int | None = None
    timeout_ms: int | None = None
    ran_ms: int | None = None
    last_enqueued: int | None = None
    """-1: nothing yet."""
    last_completed: int | None = None
    behind: RankSet = field(default_factory=RankSet)
    """DESYNC: ranks within the group that have ended `seq` and not joined the next, by torch's own analysis; all of
    them with `seq` -1 never joined any."""

    @property
    def default_group(self) -> bool:
        return self.group_id == "0"


_RANK = re.compile(r"\[rank(\d{1,7})\[?\]:")
_GROUP = re.compile(
    r"\[PG (?:(?:ID (?P<local>\d{1,9}) PG GUID (?P<guid>[^\s()\[\]]{1,200}?))|(?P<old>[^\s()\[\]]{1,200}))"
    r" ?(?:\((?P<desc>[^()\[\]]{0,200})\))? Rank (?P<rank>-?\d{1,7})\]"
)
_GROUP_RANK = re.compile(r"\[Rank (\d{1,7})\]")
_WORK = re.compile(
    r"Work\w{0,20}\(SeqNum=(?P<seq>\d{1,18}), OpType=(?P<op>\w{1,80})(?:, NumelIn=(?P<numel_in>\d{1,18}))?"
    r"(?:, NumelOut=(?P<numel_out>\d{1,18}))?, Timeout\(ms\)=(?P<timeout>\d{1,18})\)"
)
_RAN = re.compile(r"ran for (\d{1,18}) milliseconds")
_AT_WORK = re.compile(r"(?:detected by watchdog at work(?: sequence id)?:?|Timeout at NCCL work:) (\d{1,18})")
_ENQUEUED = re.compile(r"[Ll]ast enqueued (?:NCCL )?work: (-?\d{1,18})")
_COMPLETED = re.compile(r"[Ll]ast completed (?:NCCL )?work: (-?\d{1,18})")
_STUCK = re.compile(r"watchdog got stuck for (\d{1,9}) seconds")
_STAMP = re.compile(r"\[[EWIF](\d{3,4}) (\d\d:\d\d:\d\d)\.(\d{1,9}) ")
_NOT_JOINED = re.compile(r"\[([\d, ]{1,100000})\] finished collective #(\d{1,18}), but didn't join collective #\d+")
_NEVER = re.compile(r"ranks \[([\d, ]{1,100000})\] are the lagging ranks that caused this timeout")
_ADVICE = ".This is most likely caused by"
"""From here on a dump signal says the same on every rank of every job."""
_SAID = 400
_LINE_LIMIT = 8_192
"""Characters of a line that are looked at; torch's are shorter."""
_TOGETHER = 64
"""Lines of one stream within which a timeout and the group that it belongs to stand."""


def may_tell(line: bytes) -> bool:
    """False for a line that can't be the watchdog's: most of a log."""
    return (
        b"atchdog" in line
        or b"NCCL work: " in line
        or b"PG status: " in line
        or b"didn't join coll" in line
        or b"lagging ranks" in line
        or b"async exception" in line
        or b"acquire GIL within" in line
    )


def read_watchdog_line(
    data: bytes, artifact: str, number: int, *, at: int | None = None, written_at: int = 0
) -> WatchdogLine | None:
    """What one line of a log says, with the rank that torch itself names in it; None when it is none of the watchdog's.

    Args:
        data: the line.
        artifact: the log's name.
        number: of the line.
        at: its time by the prefixes of the launcher.
        written_at: when the log was last written, ns since the epoch: torch's times have no year.
    """
    text = data[:_LINE_LIMIT].decode("utf-8", errors="backslashreplace")
    told = _RANK.search(text)
    group = _GROUP.search(text)
    stamp = _STAMP.search(text)
    start = min((found.start() for found in (told, group, stamp) if found is not None), default=0)
    line = WatchdogLine(
        WatchdogKind.STATUS,
        _limited(int(told[1])) if told else None,
        artifact,
        number,
        plain(text[start:].partition(_ADVICE)[0].strip(), _SAID),
        at=_time(stamp, written_at) if stamp and at is None else at,
    )
    if group is not None:
        old, guid = group["old"], group["guid"]
        default = group["local"] == "0" or old == "0" or group["desc"] == "default_pg"
        line = replace(
            line,
            group_id="0" if default else plain(guid or old, 200),
            group_desc=plain(group["desc"] or "", 80),
            group_shared=default or guid is not None,
            group_rank=_limited(int(group["rank"])),
        )
    elif (within := _GROUP_RANK.search(text)) is not None:
        line = replace(line, group_rank=_limited(int(within[1])))
    return _read_message(line, text)


def _read_message(line: WatchdogLine, text: str) -> WatchdogLine | None:
    work = _WORK.search(text)
    if work is not None:
        line = replace(
            line,
            op=work["op"],
            seq=int(work["seq"]),
            numel_in=_number(work["numel_in"]),
            numel_out=_number(work["numel_out"]),
            timeout_ms=int(work["timeout"]),
        )
        ran = _RAN.search(text)
        if ran is not None or "operation timeout" in text:
            return replace(line, kind=WatchdogKind.TIMEOUT, ran_ms=int(ran[1]) if ran else None)
        return replace(line, kind=WatchdogKind.ERROR) if "async exception" in text else None
    enqueued, completed = _ENQUEUED.search(text), _COMPLETED.search(text)
    if enqueued is not None and completed is not None and "periodically" not in text:
        work_at = _AT_WORK.search(text)
        return replace(
            line,
            seq=int(work_at[1]) if work_at else None,
            last_enqueued=int(enqueued[1]),
            last_completed=int(completed[1]),
        )
    if (stuck := _STUCK.search(text)) is not None:
        return replace(line, kind=WatchdogKind.STUCK, ran_ms=int(stuck[1]) * 1_000)
    if "acquire GIL within" in text:
        return replace(line, kind=WatchdogKind.GIL)
    if (late := _NOT_JOINED.search(text)) is not None:
        return replace(line, kind=WatchdogKind.DESYNC, seq=int(late[2]), behind=_ranks(late[1]))
    if (never := _NEVER.search(text)) is not None:
        return replace(line, kind=WatchdogKind.DESYNC, seq=-1, behind=_ranks(never[1]))
    return None


def joined(lines: Iterable[WatchdogLine]) -> tuple[WatchdogLine, ...]:
    """The lines of one stream with what they say of each other: a timeout gets the group that the line below it names.

    Torch says a timeout twice, and once more when the process ends; the first counts and takes in what the others add.
    """
    kept: list[WatchdogLine] = []
    for line in lines:
        if line.kind is WatchdogKind.STATUS and line.group_id:
            for index in range(len(kept) - 1, -1, -1):
                earlier = kept[index]
                if line.number - earlier.number > _TOGETHER:
                    break
                if not earlier.group_id and _belongs(earlier, line):
                    kept[index] = replace(
                        earlier,
                        group_id=line.group_id,
                        group_desc=line.group_desc,
                        group_shared=line.group_shared,
                        group_rank=line.group_rank if earlier.kind is not WatchdogKind.DESYNC else earlier.group_rank,
                    )
        again = _again(kept, line)
        if again is None:
            kept.append(line)
        elif line.group_id and not kept[again].group_id:
            kept[again] = replace(
                kept[again],
                group_id=line.group_id,
                group_desc=line.group_desc,
                group_shared=line.group_shared,
                group_rank=line.group_rank,
            )
    return tuple(kept)


def _belongs(earlier: WatchdogLine, status: WatchdogLine) -> bool:
    """Whether the group of a status is that of an earlier line: torch writes it below a timeout or a desync report."""
    if earlier.kind is WatchdogKind.DESYNC:
        return status.seq is not None
    return earlier.kind in (WatchdogKind.TIMEOUT, WatchdogKind.ERROR) and earlier.seq == status.seq


def _again(kept: list[WatchdogLine], line: WatchdogLine) -> int | None:
    """The index of the line that said the same."""
    for index in range(len(kept) - 1, max(-1, len(kept) - _TOGETHER), -1):
        other = kept[index]
        if (other.kind, other.op, other.seq, other.numel_in) == (line.kind, line.op, line.seq, line.numel_in):
            same = (other.last_enqueued, other.last_completed) == (line.last_enqueued, line.last_completed)
            same = same and other.behind == line.behind and other.rank == line.rank
            if same and (not line.group_id or not other.group_id or line.group_id == other.group_id):
                return index
    return None


def _time(stamp: re.Match[str], written_at: int) -> int | None:
    """Torch's own time, month and day without a year: the last such day before the log's end."""
    month, day = divmod(int(stamp[1]), 100)
    year = 1970 + written_at // 31_556_952_000_000_000
    for guess in (year + 1, year, year - 1):
        moment = instant_of(f"{guess:04}-{month:02}-{day:02} {stamp[2]}", stamp[3])
        if moment is not None and moment <= written_at + 86_400_000_000_000:
            return moment
    return None


def _ranks(text: str) -> RankSet:
    return RankSet(rank for one in text.split(",") if one.strip().isdigit() and (rank := int(one)) <= MAX_RANK)


def _limited(rank: int) -> int | None:
    return rank if 0 <= rank <= MAX_RANK else None


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)
