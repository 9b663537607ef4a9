"""Traces of several ranks as one, for a viewer: a process a rank and pid, one clock, flows that don't cross."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

import msgspec

from ..whole_file import whole_file
from .pieces import pieces
from .reader import TraceReader
from .repairs import Repairs
from .trace_event import UNREADABLE, TraceEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path
    from typing import BinaryIO

__all__ = ["PIDS_PER_RANK", "merge_traces"]

PIDS_PER_RANK = 1_000
"""Numbers of processes that one rank may have in the merged trace."""
_LEVEL = 1
_FLOWS = frozenset("stfbneP")
"""Phases whose `id` ties events together; it is only unique within a rank."""


class _MergedEvent(TraceEvent, kw_only=True, omit_defaults=True, gc=False):
    """An event with all fields that viewers know; a field that is none of these is left out."""

    id: Any = None
    bp: str | None = None
    s: str | None = None
    cname: str | None = None
    tts: float | None = None
    tdur: float | None = None


def merge_traces(
    traces: Iterable[tuple[int, Path]], into: Path, watch: Callable[[int], None] = lambda _read: None
) -> int:
    """Write the merged trace, gzip, and give the number of its events.

    Traces of torch say when their clock began, so ranks stand beside each other as they ran; one that does not say it
    begins with the others.

    Args:
        traces: rank and file.
        into: the file; replaced when it is there.
        watch: told the bytes of content read so far; may raise to end it.

    Raises:
        OSError: a trace can't be read, or the disk is full.
    """
    ranks = list(traces)
    bases = {rank: _base(path) for rank, path in ranks}
    known = [base for base in bases.values() if base is not None]
    first = min(known, default=0)
    counted = 0
    read = 0
    with whole_file(into) as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=_LEVEL, mtime=0) as file:
        file.write(b'{"displayTimeUnit":"ms","traceEvents":[\n')
        merger = _Merger(file)  # type: ignore[arg-type]
        for place, (rank, path) in enumerate(ranks):
            base = bases[rank]
            shift = (base - first) / 1000 if base is not None else 0.0
            before = read

            def told(now: int, before: int = before) -> None:
                nonlocal read
                read = before + now
                watch(read)

            counted += merger.add(rank, place, path, shift, told)
        file.write(b"\n]}\n")
    return counted


class _Merger:
    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._joint = b""
        self._encoder = msgspec.json.Encoder()

    def add(self, rank: int, place: int, path: Path, shift: float, watch: Callable[[int], None]) -> int:
        """Append one rank's events."""
        repairs = Repairs()
        reader = TraceReader(pieces(path, repairs), _MergedEvent, repairs)
        pids: dict[object, int] = {}
        names: dict[int, str] = {}
        counted = 0
        for batch in reader.batches():
            kept = []
            for event in batch:
                pid = pids.get(event.pid)
                if pid is None:
                    pid = pids[event.pid] = rank * PIDS_PER_RANK + min(len(pids) + 1, PIDS_PER_RANK - 1)
                    names[pid] = _called(event.pid)
                if event.ph == "M":
                    if event.name == "process_name":
                        names[pid] = _name_of(event.args) or names[pid]
                        continue
                    if event.name == "process_sort_index":
                        continue
                elif event.ts is None:
                    continue
                event.pid = pid
                if event.ts is not None:
                    event.ts += shift
                if event.id is not None and event.ph in _FLOWS:
                    event.id = f"{rank}.{event.id}"
                kept.append(event)
            counted += len(kept)
            self._write(kept)
            watch(reader.read_bytes)
        for pid, name in names.items():
            self._write(
                [
                    _metadata("process_name", pid, {"name": f"rank {rank} {name}".strip()}),
                    _metadata("process_sort_index", pid, {"sort_index": place * PIDS_PER_RANK + pid % PIDS_PER_RANK}),
                ]
            )
        return counted

    def _write(self, batch: list[_MergedEvent]) -> None:
        if batch:
            self._file.write(self._joint + _as_utf8(self._encoder.encode(batch)[1:-1]))
            self._joint = b",\n"


def _as_utf8(text: bytes) -> bytes:
    """Arguments stand as they stood in the file: what is no text there would make the whole file unreadable."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode(errors="replace").encode()
    return text


def _base(path: Path) -> int | None:
    """When a trace's clock began, ns since the epoch."""
    repairs = Repairs()
    reader = TraceReader(pieces(path, repairs), TraceEvent, repairs)
    next(reader.batches(), None)  # the header comes before the first events
    try:
        return msgspec.json.decode(reader.header["baseTimeNanoseconds"], type=int)
    except (KeyError, *UNREADABLE):
        return None


def _metadata(name: str, pid: int, arguments: dict[str, object]) -> _MergedEvent:
    return _MergedEvent(ph="M", name=name, pid=pid, tid=0, ts=0.0, args=msgspec.Raw(msgspec.json.encode(arguments)))


def _called(pid: object) -> str:
    return "" if pid is None else str(pid)[:100]


class _Named(msgspec.Struct):
    name: str = ""


def _name_of(arguments: msgspec.Raw) -> str:
    try:
        return msgspec.json.decode(arguments, type=_Named).name[:100]
    except UNREADABLE:
        return ""
