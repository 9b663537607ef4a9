"""The fast way into a dump that is JSON: typed by msgspec, repeated parts kept raw and decoded once.

Raw parts are copied, so that the body they came in can be freed. What msgspec refuses (a bare NaN, a lone surrogate, a
counter written as text) is left to `plain_dump`, which takes longer.
"""

from __future__ import annotations

import json
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, Raw, UnsetType

from .columns import Dtypes, Entries, Frame, GroupLabel, Shapes, Splits, Stack, State, Tables, Thread
from .dump import Dump, Format, GroupConfig, GroupStatus, parse_members, parse_version
from .interning import Interned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["NotFast", "frames_of", "read_fast", "stack_of"]


class NotFast(Exception):  # noqa: N818 - it is no error: the slow way may well read it
    """The bytes are not of the shape that the fast way knows; the message says where."""

    def __init__(self, reason: str, *, cut: bool = False) -> None:
        super().__init__(reason)
        self.cut = cut
        """The text ended too early: no other reader will find more in it."""


class _Entry(msgspec.Struct, gc=False):
    profiling_name: Raw
    record_id: int = 0
    pg_id: int = 0
    process_group: Raw = Raw(b"")
    collective_seq_id: int | UnsetType = UNSET
    p2p_seq_id: int = 0
    op_id: int = 0
    time_created_ns: int = 0
    input_sizes: Raw = Raw(b"[]")
    output_sizes: Raw = Raw(b"[]")
    input_dtypes: Raw = Raw(b"[]")
    output_dtypes: Raw = Raw(b"[]")
    state: Literal["scheduled", "started", "completed"] = "scheduled"
    time_discovered_started_ns: int | None = None
    time_discovered_completed_ns: int | None = None
    retired: bool = False
    timeout_ms: int = 0
    is_p2p: bool = False
    thread_id: Raw = Raw(b'""')
    thread_name: Raw = Raw(b'""')
    duration_ms: float | None = None
    frames: Raw = Raw(b"")
    input_split_sizes: Raw = Raw(b"")
    output_split_sizes: Raw = Raw(b"")
    seq_id: int = 0
    """One counter for everything, before 2.2."""


class _Config(msgspec.Struct):
    name: str = ""
    desc: str = ""
    ranks: str | list[int] = ""


class _Status(msgspec.Struct):
    last_enqueued_collective: int | str = -1
    last_started_collective: int | str = -1
    last_completed_collective: int | str = -1


class _Dump(msgspec.Struct):
    version: str | float = ""
    pg_config: dict[str, _Config] | UnsetType = UNSET
    pg_status: dict[str, _Status] | UnsetType = UNSET
    entries: list[_Entry] | UnsetType = UNSET
    nccl_version: str = ""
    comm_lib_version: str = ""


_DUMP = msgspec.json.Decoder(_Dump)
_BARE = msgspec.json.Decoder(list[_Entry])
_STATES = {state.name.lower(): int(state) for state in State}
_LABEL = msgspec.json.Decoder(tuple[str, str])
_NAME = msgspec.json.Decoder(str)
_TEXT = msgspec.json.Decoder(str | int)
_SHAPES = msgspec.json.Decoder(tuple[tuple[int, ...], ...])
_DTYPES = msgspec.json.Decoder(tuple[str, ...])
_COUNTS = msgspec.json.Decoder(tuple[int, ...])
_STACK = msgspec.json.Decoder(list[dict[str, str | int | None]])


def read_fast(data: bytes | memoryview, rank: int) -> Dump:
    """A dump from JSON as torch writes it.

    Raises:
        NotFast: another shape, or JSON that is not strict.
    """
    head = bytes(data[:1])
    try:
        if head == b"[":
            top, entries = _Dump(), _BARE.decode(data)
        else:
            top = _DUMP.decode(data)
            if top.entries is UNSET and top.pg_config is UNSET and top.pg_status is UNSET:
                raise NotFast("no part of a dump in it")
            entries = top.entries or []
        return Dump(
            rank=rank,
            entries=_entries(entries),
            format=Format.JSON,
            version=parse_version(str(top.version)),
            configs=_configs(top.pg_config or {}),
            statuses=_statuses(top.pg_status or {}),
            library=(top.comm_lib_version or top.nccl_version)[:200],
            notes=("oldest format: a bare list of entries",) if head == b"[" else (),
        )
    except msgspec.DecodeError as error:
        raise NotFast(str(error), cut="truncated" in str(error)) from None
    except (OverflowError, RecursionError, ValueError) as error:
        raise NotFast(str(error)) from None


def _entries(entries: list[_Entry]) -> Entries:
    if any(not entry.process_group for entry in entries):
        raise NotFast("an entry without process_group")
    groups = _distinct(entries, "process_group", lambda raw: GroupLabel(*_LABEL.decode(raw)))
    names = _distinct(entries, "profiling_name", _NAME.decode)
    shapes: Interned[Shapes] = Interned(_SHAPES.decode)
    dtypes: Interned[Dtypes] = Interned(_DTYPES.decode)
    threads, thread = _pairs(entries, "thread_id", "thread_name", b'""')
    splits, split = _pairs(entries, "input_split_sizes", "output_split_sizes", b"")
    stacks: Interned[bytes] = Interned(bytes)
    columns: dict[str, list[Any]] = {
        "record_id": [entry.record_id for entry in entries],
        "pg_id": [entry.pg_id for entry in entries],
        "collective_seq": [
            entry.seq_id if entry.collective_seq_id is UNSET else entry.collective_seq_id for entry in entries
        ],
        "p2p_seq": [entry.p2p_seq_id for entry in entries],
        "op_id": [entry.op_id for entry in entries],
        "created": [entry.time_created_ns for entry in entries],
        "started": [entry.time_discovered_started_ns or 0 for entry in entries],
        "completed": [entry.time_discovered_completed_ns or 0 for entry in entries],
        "timeout_ms": [entry.timeout_ms for entry in entries],
        "duration_ms": [float("nan") if entry.duration_ms is None else entry.duration_ms for entry in entries],
        "state": [_STATES[entry.state] for entry in entries],
        "retired": [entry.retired for entry in entries],
        "is_p2p": [entry.is_p2p for entry in entries],
        "group": groups[0],
        "name": names[0],
        "input_shapes": shapes.numbers(map(bytes, map(attrgetter("input_sizes"), entries))),
        "output_shapes": shapes.numbers(map(bytes, map(attrgetter("output_sizes"), entries))),
        "input_dtypes": dtypes.numbers(map(bytes, map(attrgetter("input_dtypes"), entries))),
        "output_dtypes": dtypes.numbers(map(bytes, map(attrgetter("output_dtypes"), entries))),
        "splits": split,
        "thread": thread,
        "stack": _stacks(entries, stacks),
    }
    tables = Tables(
        groups=tuple(groups[1]),
        names=tuple(names[1]),
        shapes=tuple(shapes.values),
        dtypes=tuple(dtypes.values),
        splits=tuple(Splits(_counts(sent), _counts(received)) for sent, received in splits),
        threads=tuple(Thread(_text(number), _text(name)) for number, name in threads),
        stacks=tuple(stacks.values),
    )
    return Entries.of(columns, tables)


def _distinct(entries: list[_Entry], part: str, make: Callable[[bytes], Any]) -> tuple[list[int], list[Any]]:
    interned: Interned[Any] = Interned(make)
    numbers = interned.numbers(map(bytes, map(attrgetter(part), entries)))
    return numbers, interned.values


def _pairs(
    entries: list[_Entry], first: str, second: str, absent: bytes
) -> tuple[list[tuple[bytes, bytes]], list[int]]:
    """The distinct pairs of two raw parts and the number of each entry's, -1 where both are absent."""
    ones, others = list(map(attrgetter(first), entries)), list(map(attrgetter(second), entries))
    if not absent and not any(ones) and not any(others):
        return [], [-1] * len(entries)
    interned: Interned[tuple[bytes, bytes]] = Interned(tuple)
    nothing = (absent, absent)
    numbers = interned.numbers(zip(map(bytes, ones), map(bytes, others), strict=True))
    if nothing in interned.values:
        missing = interned.number(nothing)
        numbers = [-1 if number == missing else number for number in numbers]
    return interned.values, numbers


def _stacks(entries: list[_Entry], stacks: Interned[bytes]) -> list[int]:
    kept = [entry.frames for entry in entries]
    if not any(kept):
        return [-1] * len(entries)
    return [stacks.number(raw) if len(raw) > 2 else -1 for raw in map(bytes, kept)]


def _text(raw: bytes) -> str:
    return str(_TEXT.decode(raw))


def _counts(raw: bytes) -> tuple[int, ...]:
    return _COUNTS.decode(raw) if raw else ()


def _configs(configs: Mapping[str, _Config]) -> tuple[GroupConfig, ...]:
    return tuple(
        GroupConfig(config.name or key, config.desc, parse_members(str(config.ranks)))
        for key, config in configs.items()
    )


def _statuses(statuses: Mapping[str, _Status]) -> dict[int, GroupStatus]:
    return {
        int(key): GroupStatus(
            *(
                value if value >= 0 else None
                for value in (
                    int(status.last_enqueued_collective),
                    int(status.last_started_collective),
                    int(status.last_completed_collective),
                )
            )
        )
        for key, status in statuses.items()
    }


def stack_of(kept: bytes | Stack) -> Stack:
    """The frames of a stack as it is kept in `Tables.stacks`; an undecodable one is empty."""
    if not isinstance(kept, bytes):
        return kept
    try:
        frames: object = _STACK.decode(kept)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        try:
            frames = json.loads(kept.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return ()
    return frames_of(frames)


def frames_of(frames: object) -> Stack:
    """Frames of a decoded stack; what is no frame is left out."""
    if not isinstance(frames, list | tuple):
        return ()
    return tuple(
        Frame(str(frame.get("name") or ""), str(frame.get("filename") or ""), _line(frame.get("line")))
        for frame in frames
        if isinstance(frame, dict)
    )


def _line(value: object) -> int:
    return value if isinstance(value, int) else 0
