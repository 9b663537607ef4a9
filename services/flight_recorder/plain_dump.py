"""A dump from plain Python data: pickles, and JSON that is not strict. Every version, from the bare list on.

Lenient where torch's own versions differ (`seq_id` for one counter, `pg_name` for a group, counters as text, null or
0 for an unknown instant), strict about types: what does not fit is said with the number of the entry.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from .columns import Dtypes, Entries, GroupLabel, Shapes, Splits, Stack, State, Tables, Thread
from .dump import Dump, DumpError, Format, GroupConfig, GroupStatus, parse_members, parse_version
from .interning import Interned
from .json_dump import frames_of
from .plain_values import (
    checked_counts,
    checked_dtypes,
    checked_label,
    checked_name,
    checked_shapes,
    counters,
    flat,
    flat_one,
    group_label,
    instants,
    kind_of,
    nested,
    whole_number,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["read_plain"]

_STATES = {state.name.lower(): state.value for state in State}


def read_plain(loaded: object, rank: int, form: Format) -> Dump:
    """A dump from decoded data.

    Raises:
        DumpError: it is no dump, or an entry of it has another shape.
    """
    if isinstance(loaded, list | tuple):
        return Dump(
            rank=rank,
            entries=_entries(loaded),
            format=form,
            version=(),
            notes=("oldest format: a bare list of entries",),
        )
    if not isinstance(loaded, dict):
        raise DumpError(f"not a dump: {kind_of(loaded)} where an object is expected")
    if not {"entries", "pg_config", "pg_status"} & loaded.keys():
        reason = loaded.get("reason") or loaded.get("error") or loaded.get("message")
        keys = ", ".join(sorted(map(str, loaded))[:6])[:100]
        raise DumpError(f'not a dump: "{_shown(reason)}"' if reason else f"not a dump: it has {keys or 'nothing'}")
    entries = loaded.get("entries")
    return Dump(
        rank=rank,
        entries=Entries.none() if entries is None else _entries(entries),
        format=form,
        version=parse_version(str(loaded.get("version", ""))),
        configs=_configs(loaded.get("pg_config")),
        statuses=_statuses(loaded.get("pg_status")),
        library=str(loaded.get("comm_lib_version") or loaded.get("nccl_version") or "")[:200],
    )


class _Tables:
    """Distinct values of the entries of one dump. They are checked when they are new, not each time they come."""

    def __init__(self) -> None:
        self.groups: Interned[GroupLabel] = Interned(checked_label)
        self.names: Interned[str] = Interned(checked_name)
        self.shapes: Interned[Shapes] = Interned(checked_shapes)
        self.dtypes: Interned[Dtypes] = Interned(checked_dtypes)
        self.splits: Interned[Splits] = Interned(lambda pair: Splits(*map(checked_counts, pair)))
        self.threads: Interned[Thread] = Interned(lambda pair: Thread(str(pair[0])[:64], str(pair[1])[:256]))
        self.stacks: Interned[Stack] = Interned(tuple)

    def kept(self) -> Tables:
        return Tables(**{name: tuple(interned.values) for name, interned in vars(self).items()})


def _columns(entries: Sequence[Mapping[str, Any]], tables: _Tables) -> dict[str, list[Any]]:
    def part(name: str) -> list[Any]:
        try:
            return [entry[name] for entry in entries]
        except KeyError:
            return [entry.get(name) for entry in entries]

    sequences = part("collective_seq_id")
    if None in sequences:
        sequences = [old if new is None else new for new, old in zip(sequences, part("seq_id"), strict=True)]
    return {
        "record_id": counters(part("record_id")),
        "pg_id": counters(part("pg_id")),
        "collective_seq": counters(sequences),
        "p2p_seq": counters(part("p2p_seq_id")),
        "op_id": counters(part("op_id")),
        "created": instants(part("time_created_ns")),
        "started": instants(part("time_discovered_started_ns")),
        "completed": instants(part("time_discovered_completed_ns")),
        "timeout_ms": instants(part("timeout_ms")),
        "duration_ms": [math.nan if duration is None else float(duration) for duration in part("duration_ms")],
        "state": [_STATES.get(state, State.UNKNOWN.value) for state in part("state")],
        "retired": list(map(bool, part("retired"))),
        "is_p2p": list(map(bool, part("is_p2p"))),
        "group": tables.groups.numbers(map(group_label, entries)),
        "name": tables.names.numbers([entry["profiling_name"] for entry in entries]),
        "input_shapes": tables.shapes.numbers(nested(part("input_sizes"))),
        "output_shapes": tables.shapes.numbers(nested(part("output_sizes"))),
        "input_dtypes": tables.dtypes.numbers(flat(part("input_dtypes"))),
        "output_dtypes": tables.dtypes.numbers(flat(part("output_dtypes"))),
        "splits": _paired(part("input_split_sizes"), part("output_split_sizes"), tables.splits, flat_one),
        "thread": _paired(part("thread_id"), part("thread_name"), tables.threads, lambda value: value or ""),
        "stack": _stacks(part("frames"), tables.stacks),
    }


def _paired(ones: list[Any], others: list[Any], interned: Interned[Any], part: Callable[[Any], Any]) -> list[int]:
    """The number of each pair, -1 where both parts are absent."""
    if not any(ones) and not any(others):
        return [-1] * len(ones)
    pairs = [(part(one), part(other)) if one or other else None for one, other in zip(ones, others, strict=True)]
    return [-1 if pair is None else interned.number(pair) for pair in pairs]


def _stacks(stacks: list[Any], interned: Interned[Stack]) -> list[int]:
    """The number of each stack, -1 for none.

    Pickles share the dict of a frame between all stacks that have it, and all of it stays alive meanwhile.
    """
    of_list: dict[int, int] = {}
    of_frames: dict[tuple[int, ...], int] = {}
    numbers = []
    for frames in stacks:
        if not frames:
            numbers.append(-1)
            continue
        known = of_list.get(id(frames))
        if known is None:
            ids = tuple(map(id, frames))
            known = of_frames.get(ids)
            if known is None:
                known = of_frames[ids] = interned.number(frames_of(frames))
            of_list[id(frames)] = known
        numbers.append(known)
    return numbers


def _entries(entries: object) -> Entries:
    if not isinstance(entries, list | tuple):
        raise DumpError(f"not a dump: entries is {kind_of(entries)}")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise DumpError(f"not a dump: entry {index} is {kind_of(entry)}")
    tables = _Tables()
    try:
        return Entries.of(_columns(entries, tables), tables.kept())
    except (KeyError, TypeError, ValueError, OverflowError):
        raise DumpError(_first_wrong(entries)) from None


def _first_wrong(entries: Sequence[Mapping[str, Any]]) -> str:
    """Which entry has another shape, found by reading them one by one."""
    for index, entry in enumerate(entries):
        tables = _Tables()
        try:
            Entries.of(_columns([entry], tables), tables.kept())
        except KeyError as error:
            return f"not a dump: entry {index} has no {_shown(error.args[0])}"
        except (TypeError, ValueError, OverflowError) as error:
            return f"a broken dump: entry {index}: {_shown(error)}"
    return "a broken dump: its entries do not fit together"


def _configs(configs: Any) -> tuple[GroupConfig, ...]:
    if not isinstance(configs, dict):
        return ()
    found = []
    for key, config in configs.items():
        if isinstance(config, dict):
            name, desc, ranks = config.get("name") or key, config.get("desc", ""), config.get("ranks", "")
        else:
            name, desc, ranks = key, "", config
        found.append(GroupConfig(str(name), str(desc), parse_members(str(ranks).replace("(", "[").replace(")", "]"))))
    return tuple(found)


def _statuses(statuses: Any) -> dict[int, GroupStatus]:
    if not isinstance(statuses, dict):
        return {}
    found = {}
    for key, status in statuses.items():
        if not isinstance(status, dict):
            continue
        try:
            counters = [
                whole_number(status.get(f"last_{what}_collective")) for what in ("enqueued", "started", "completed")
            ]
            number = int(key)
        except (TypeError, ValueError) as error:
            raise DumpError(f"a broken dump: pg_status {_shown(key)}: {_shown(error)}") from None
        found[number] = GroupStatus(*(counter if counter >= 0 else None for counter in counters))
    return found


def _shown(text: object) -> str:
    return " ".join(str(text).split())[:160]
