"""Writes the trace: event by event to the disk, so that its size is no matter of memory."""

from __future__ import annotations

import gzip
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from ..plain_text import plain
from ..recorder_tables.browser import source_name
from ..whole_file import whole_file
from .call_slices import CallSlices
from .rank_clocks import as_recorded, common_clocks
from .trace_records import FlowEnd, FlowStart, Slice, TrackFact, named, sorted_as

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import BinaryIO

    from ..looks.recorders import RecorderLook

__all__ = ["TraceWritten", "write_recorder_trace"]

LEVEL = 1
"""zlib's fastest: a trace shrinks to a tenth or less all the same."""
SUFFIX = ".gz"


@dataclass(frozen=True, slots=True)
class TraceWritten:
    """What was written."""

    ranks: int
    slices: int
    flows: int
    untimed: int
    """Calls of ranks that are not in it, since nobody recorded when they were made."""
    clocks: str
    """What was done about the clocks of the ranks, one plain line."""
    ended: bool
    """It is whole; False when it was told to stop."""


def write_recorder_trace(
    look: RecorderLook,
    path: Path,
    *,
    title: str = "",
    hosts: Mapping[int, str] | None = None,
    one_clock: bool = False,
    stopped: Callable[[], bool] = lambda: False,
) -> TraceWritten:
    """Write the calls of all recorders of a look: a process a rank, a track a group, a slice a call, and for each call
    a flow from the first rank that came to the last one.

    Args:
        path: replaced when it is there, a device or pipe is written into; gzip when it ends in `.gz`.
        title: what the trace is of, without secrets.
        hosts: host of each rank, where the dumps do not name it.
        one_clock: take the offsets of the ranks' clocks out, where calls tell them.
        stopped: asked for each rank; the file is not made when it says so.

    Raises:
        OSError: it can't be written.
    """
    try:
        with whole_file(path) as raw, _packed(raw, path.suffix.lower() == SUFFIX) as file:
            written = _Writer(file, hosts or {}).write(look, title, one_clock=one_clock, stopped=stopped)
            if not written.ended:
                raise _StoppedError(written)
    except _StoppedError as stop:
        return stop.written
    return written


class _StoppedError(Exception):
    """Writing was told to stop: nothing of it is to stay."""

    def __init__(self, written: TraceWritten) -> None:
        super().__init__()
        self.written = written


@contextmanager
def _packed(raw: BinaryIO, packed: bool) -> Iterator[BinaryIO]:
    if not packed:
        yield raw
        return
    with gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=LEVEL, mtime=0) as file:
        yield cast("BinaryIO", file)


class _Writer:
    def __init__(self, file: BinaryIO, hosts: Mapping[int, str]) -> None:
        self._file = file
        self._hosts = hosts
        self._encoder = msgspec.json.Encoder()
        self._joint = b""
        self.slices = 0
        self.flows = 0

    def write(self, look: RecorderLook, title: str, *, one_clock: bool, stopped: Callable[[], bool]) -> TraceWritten:
        parts: dict[str, CallSlices] = {}
        said: dict[str, str] = {}
        track, flow = 1, 1
        for source, diagnosis in look.diagnoses.items():
            clocks = common_clocks(diagnosis, self._hosts) if one_clock else as_recorded()
            parts[source] = made = CallSlices(diagnosis, clocks, first_track=track, first_flow=flow)
            said[source] = clocks.said
            track, flow = track + made.tracks, flow + made.flows
        base = min((int(one.begin[one.begin > 0].min()) for one in parts.values() if one.timed), default=0)
        clocks_said = "; ".join(dict.fromkeys(said.values())) or as_recorded().said
        self._begin(base, title, clocks_said)
        seen: set[int] = set()
        ended = True
        for source, one in parts.items():
            hosts = {dump.rank: dump.host for dump in look.diagnoses[source].analysis.job.dumps if dump.host}
            track_title = f"{source_name(source)} " if len(parts) > 1 else ""
            for rank, lines in one.ranks():
                if stopped():
                    ended = False
                    break
                if rank not in seen:
                    seen.add(rank)
                    self._events(self._process(rank, hosts.get(rank) or self._hosts.get(rank, "")))
                for events in one.events(rank, lines, base, track_title):
                    self._events(events)
        self._file.write(b"\n]}\n")
        untimed = sum(one.untimed for one in parts.values())
        return TraceWritten(len(seen), self.slices, self.flows // 2, untimed, clocks_said, ended)

    def _begin(self, base: int, title: str, clocks: str) -> None:
        head = {
            "displayTimeUnit": "ms",
            "baseTimeNanoseconds": base,
            "otherData": {"source": plain(f"xpudbg: flight recorder of {title or 'a job'}"), "clocks": clocks},
        }
        self._file.write(self._encoder.encode(head)[:-1] + b',"traceEvents":[\n')

    def _process(self, rank: int, host: str) -> Sequence[TrackFact]:
        return [*named(rank, None, f"rank {rank}", plain(host, 200)), sorted_as(rank, None, rank)]

    def _events(self, events: Sequence[Slice | FlowStart | FlowEnd | TrackFact]) -> None:
        if not events:
            return
        self._file.write(self._joint + self._encoded(events)[1:-1])
        self._joint = b",\n"
        for event in events:
            if isinstance(event, Slice):
                self.slices += 1
            elif not isinstance(event, TrackFact):
                self.flows += 1

    def _encoded(self, events: Sequence[Slice | FlowStart | FlowEnd | TrackFact]) -> bytes:
        try:
            return self._encoder.encode(events)
        except UnicodeEncodeError:  # lone surrogates in a name
            return self._encoder.encode([_mended(event) for event in events])


def _mended(event: Slice | FlowStart | FlowEnd | TrackFact) -> Slice | FlowStart | FlowEnd | TrackFact:
    if isinstance(event, Slice):
        return msgspec.structs.replace(event, name=_escaped(event.name))
    if isinstance(event, TrackFact) and event.args.name is not None:
        return msgspec.structs.replace(event, args=msgspec.structs.replace(event.args, name=_escaped(event.args.name)))
    return event


def _escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
