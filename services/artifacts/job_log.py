"""A job's log, read once from its start to its end: the stacks in it and what NCCL's watchdog said, rank by rank.

Lines of several ranks stand among each other, each with the prefix of its launcher. They are sorted into streams by
prefix first; which rank a stream belongs to may show only later in the file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..flight_recorder.file_names import read_time
from ..plain_text import plain
from ..ranksets import MAX_RANK, RankSet, ranks_said
from .artifact import Evidence
from .log_prefix import peel
from .rank_names import rank_in_name
from .stack_blocks import BlockFinder, may_begin
from .watchdog import WatchdogKind, WatchdogLine, joined, may_tell, read_watchdog_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from ..spool import Body
    from .stack_blocks import Block

__all__ = ["LINE_LIMIT", "JobLog", "lines_of", "read_job_log"]

LINE_LIMIT = 64 * 1024
"""Bytes of a line that are looked at."""
MOST_STREAMS = 20_000
"""Prefixes of one file that are told apart."""
MOST_BLOCKS = 20_000
"""Dumps of stacks of one file that are read; the latest ones of a rank would be the ones left out, so it is said."""
MOST_LINES = 100_000
"""The watchdog's lines of one file that are read."""
_COLOUR = re.compile(rb"\x1b\[[0-9;]{0,40}[A-Za-z]")
_TORCH_STREAM = re.compile(rb"\[rank(\d+)\]:")
_NUMBER_STREAM = re.compile(rb"\d+:")
_MISSED = 8
"""Streams without a rank that are named."""


@dataclass(frozen=True, slots=True)
class JobLog:
    """What one log says."""

    evidence: tuple[Evidence, ...] = ()
    """Stacks, by rank and time: several of a rank are looks."""
    watchdog: tuple[WatchdogLine, ...] = ()
    """In the order of the file."""
    heard: RankSet = field(default_factory=RankSet)
    """Ranks that wrote anything into it."""
    assumed: RankSet = field(default_factory=RankSet)
    """Those that are known by their number on one host alone, as if there were no other host."""
    notes: tuple[str, ...] = ()
    """What could not be used and why, one plain line each."""
    origin: str = ""
    """Where numbers of a host mean the same: the file itself, or the folder of all logs of one torchrun."""


@dataclass(slots=True)
class _Stream:
    """The lines of one process."""

    rank: int | None
    local: int | None
    around: bytes
    taught: set[int] = field(default_factory=set)
    blocks: BlockFinder = field(default_factory=BlockFinder)
    found: list[tuple[Block, Body]] = field(default_factory=list)
    """Blocks without their data, which lie in the spool."""
    lines: list[WatchdogLine] = field(default_factory=list)
    at: int | None = None
    """The newest time seen."""
    count: int = 0
    """Lines."""


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a file with their line breaks; what goes beyond `LINE_LIMIT` of a line is left out.

    Raises:
        OSError: the file can't be read.
    """
    while line := stream.readline(LINE_LIMIT):
        yield line
        while line and not line.endswith(b"\n"):
            line = stream.readline(LINE_LIMIT)


def read_job_log(name: str, lines: Iterable[bytes], modified_at: int, put: Callable[[bytes], Body]) -> JobLog:
    """What a log says. It is read once, in bounded memory; any bytes are read as far as they go.

    Args:
        name: the artifact's name; its last part may name a rank (`rank3.log`) and a time.
        lines: its lines with their line breaks, as `lines_of` gives them.
        modified_at: when the file was written last, ns since the epoch.
        put: stores a body and gives the handle on it.

    Raises:
        OSError: the log can't be read, or a body can't be stored.
    """
    reader = _Reader(name, modified_at, put)
    for number, line in enumerate(lines, 1):
        reader.take(line, number)
    return reader.close()


class _Reader:
    """One log while it is read."""

    def __init__(self, name: str, modified_at: int, put: Callable[[bytes], Body]) -> None:
        self._name = name
        file_name = name.rpartition("/")[2]
        named = rank_in_name(file_name)
        self._file_rank = None if named is None else named[0]
        self._file_host = "" if named is None else named[1]
        folder = name.split("/")[-2:-1]
        torchrun = file_name.startswith(("stdout.log", "stderr.log")) and folder and folder[0].isascii()
        self._file_local = int(folder[0]) if torchrun and folder[0].isdigit() and len(folder[0]) <= 7 else None
        """The rank on its host, by the folders in which torchrun puts logs: `attempt_0/3/stderr.log`."""
        self._written_at = read_time(file_name) or modified_at
        self._put = put
        self._streams: dict[bytes, _Stream] = {}
        self._open: set[bytes] = set()
        """Streams inside a block."""
        self._torch: _Stream | None = None
        """The stream that torch wrote to last under its own prefix."""
        self._blocks = self._lines = 0
        self._left_out: dict[str, int] = defaultdict(int)

    def take(self, raw: bytes, number: int) -> None:
        line = raw.rstrip(b"\r\n")
        whole = raw.endswith(b"\n") or len(raw) >= LINE_LIMIT
        if b"\r" in line:
            line = line[line.rfind(b"\r") + 1 :]  # a progress bar paints over itself
        if b"\x1b" in line:
            line = _COLOUR.sub(b"", line)
        peeled = peel(line)
        stream = self._streams.get(peeled.stream)
        if stream is None:
            if len(self._streams) >= MOST_STREAMS:
                self._left_out["lines of too many different prefixes"] += 1
                return
            stream = self._streams[peeled.stream] = _Stream(peeled.rank, peeled.local, peeled.around)
        stream.count += 1
        if peeled.taught is not None:
            stream.taught.add(peeled.taught)
        if peeled.taught is not None or _TORCH_STREAM.fullmatch(peeled.stream):
            self._torch = stream
        if peeled.at is not None:
            stream.at = peeled.at
        if (self._open and peeled.stream in self._open) or may_begin(line):
            for block in stream.blocks.take(peeled.rest, number, peeled.at, whole=whole):
                self._keep(stream, block)
            (self._open.add if stream.blocks.open else self._open.discard)(peeled.stream)
        if may_tell(line):
            said = read_watchdog_line(line, self._name, number, at=peeled.at, written_at=self._written_at)
            if said is None:
                return
            if self._lines >= MOST_LINES:
                self._left_out["further lines of the watchdog"] += 1
                return
            self._lines += 1
            # A desync report is one message of several lines, of which torch marks the first.
            unmarked = said.kind is WatchdogKind.DESYNC and not peeled.stream and self._torch is not None
            (self._torch if unmarked and self._torch is not None else stream).lines.append(said)

    def _keep(self, stream: _Stream, block: Block) -> None:
        if self._blocks >= MOST_BLOCKS:
            self._left_out["further dumps of stacks"] += 1
            return
        self._blocks += 1
        at = block.at if block.at is not None else stream.at
        stream.found.append((replace(block, data=b"", at=at), self._put(block.data)))

    def close(self) -> JobLog:
        for stream in self._streams.values():
            for block in stream.blocks.close():
                self._keep(stream, block)
        ranks, assumed = self._ranks()
        notes = [f"left out: {count:,} {what}" for what, count in self._left_out.items()]
        evidence: dict[int, list[tuple[Block, Body]]] = defaultdict(list)
        lines: list[WatchdogLine] = []
        lost: list[str] = []
        for key, stream in self._streams.items():
            rank = ranks.get(key)
            if stream.found and rank is None:
                lost.append(self._why(key, stream))
            elif rank is not None:
                evidence[rank] += stream.found
            lines += joined(self._ranked(one, rank) for one in stream.lines)
        notes += lost[:_MISSED]
        if len(lost) > _MISSED:
            notes.append(f"stacks under {len(lost) - _MISSED:,} more prefixes belong to no known rank")
        used = RankSet(rank for key, rank in ranks.items() if key in assumed)
        if used and (evidence or lines):
            notes.append(f"{ranks_said(used)}: by the number on the host, as the log names no rank of the job")
        told = RankSet(one.rank for one in lines if one.rank is not None and one.rank_sure)
        return JobLog(
            tuple(one for rank in sorted(evidence) for one in self._looks(rank, evidence[rank])),
            tuple(sorted(lines, key=lambda one: one.number)),
            RankSet(ranks.values()) | told,
            used - told,
            tuple(notes),
            self._name if self._file_local is None else self._name.rsplit("/", 2)[0],
        )

    def _ranks(self) -> tuple[dict[bytes, int], set[bytes]]:
        """The rank of each stream that is known, and the streams whose rank is taken from their number on a host."""
        ranks: dict[bytes, int] = {}
        shifts: dict[bytes, set[int]] = defaultdict(set)
        numbered = self._numbers_are_prefixes()
        for key, stream in self._streams.items():
            if len(stream.taught) == 1:
                (ranks[key],) = stream.taught
                if stream.local is not None:
                    shifts[stream.around].add(ranks[key] - stream.local)
            elif stream.rank is not None and not stream.taught and (numbered or not _NUMBER_STREAM.fullmatch(key)):
                ranks[key] = stream.rank
        assumed: set[bytes] = set()
        hosts = {stream.around for stream in self._streams.values() if stream.local is not None}
        for key, stream in self._streams.items():
            if key in ranks or stream.local is None or stream.taught:
                continue
            shift = shifts.get(stream.around, set())
            if len(shift) == 1:
                ranks[key] = stream.local + next(iter(shift))
            elif not shift and len(hosts) == 1 and numbered:
                ranks[key] = stream.local
                assumed.add(key)
        self._rank_by_file(ranks, assumed)
        return {key: rank for key, rank in ranks.items() if 0 <= rank <= MAX_RANK}, assumed

    def _rank_by_file(self, ranks: dict[bytes, int], assumed: set[bytes]) -> None:
        """Give the streams without a rank that of the file's name."""
        rank = self._file_rank
        by_host = False
        if rank is None and self._file_local is not None:
            named = [int(found[1]) for key in self._streams if (found := _TORCH_STREAM.fullmatch(key)) is not None]
            rank = named[0] if len(named) == 1 else None if named else self._file_local
            by_host = not named
        if rank is None:
            return
        for key, stream in self._streams.items():
            if key not in ranks and stream.local is None and not stream.taught:
                ranks[key] = rank
                if by_host:
                    assumed.add(key)

    def _numbers_are_prefixes(self) -> bool:
        """Whether `3: ` and `[name3]:` are prefixes: a launcher that writes them does so before almost every line."""
        bare = self._streams[b""].count if b"" in self._streams else 0
        counted = sum(
            stream.count
            for key, stream in self._streams.items()
            if (stream.local is not None or _NUMBER_STREAM.fullmatch(key)) and not stream.taught
        )
        return 4 * bare <= counted

    def _ranked(self, line: WatchdogLine, rank: int | None) -> WatchdogLine:
        """A line with its rank: torch's word goes before the launcher's, and the rank within a group comes last."""
        if line.rank is not None:
            return line
        if rank is not None:
            return replace(line, rank=rank)
        if line.group_rank is not None:
            return replace(line, rank=line.group_rank, rank_sure=line.default_group)
        return line

    def _why(self, key: bytes, stream: _Stream) -> str:
        where = f"from line {stream.found[0][0].line:,} on"
        named = f"under the prefix {plain(key.decode('utf-8', 'backslashreplace'), 80)}" if key else "without a prefix"
        if len(stream.taught) > 1:
            said = f"several ranks write under it ({RankSet(rank for rank in stream.taught if rank <= MAX_RANK)})"
        elif stream.local is not None:
            said = "it is a number on one of several hosts"
        else:
            bare = "the file's name says no rank: rename it to rank_N.log"
            said = "neither it nor the file's name says a rank" if key else bare
        count = len(stream.found)
        stacks, belong = ("stack", "belongs") if count == 1 else ("stacks", "belong")
        return f"{count:,} {stacks} {where}, {named}, {belong} to no known rank: {said}"

    def _looks(self, rank: int, found: list[tuple[Block, Body]]) -> Iterator[Evidence]:
        """The stacks of a rank with their times.

        Where the log has no times, the last of a kind gets the file's, and those before it one interval of
        faulthandler's timer less each; without a timer one ns, which keeps their order and says nothing of how long.
        """
        for source in sorted({block.source for block, _ in found}):
            some = sorted((one for one in found if one[0].source == source), key=lambda one: one[0].line)
            at = self._written_at
            made: list[Evidence] = []
            for block, body in reversed(some):
                if block.at is not None:
                    at = block.at
                host = self._file_host if rank == self._file_rank else ""
                made.append(Evidence(rank, source, body, at, self._name, host))
                at -= block.every_ns or 1
            yield from reversed(made)
