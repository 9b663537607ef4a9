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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["read_plain"]

_U64 = 2**64 - 1
_I64 = 2**63 - 1
_MOST_SIZES = 1_000_000
"""Tensors of one side of one call that are read; a list over all ranks has one for each."""
_MOST_DIMENSIONS = 64
"""Dimensions of a tensor; torch has no more."""
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
        raise DumpError(f"not a dump: {_kind(loaded)} where an object is expected")
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
        self.groups: Interned[GroupLabel] = Interned(_checked_label)
        self.names: Interned[str] = Interned(_checked_name)
        self.shapes: Interned[Shapes] = Interned(_checked_shapes)
        self.dtypes: Interned[Dtypes] = Interned(_checked_dtypes)
        self.splits: Interned[Splits] = Interned(lambda pair: Splits(*map(_checked_counts, pair)))
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
        "record_id": _counters(part("record_id")),
        "pg_id": _counters(part("pg_id")),
        "collective_seq": _counters(sequences),
        "p2p_seq": _counters(part("p2p_seq_id")),
        "op_id": _counters(part("op_id")),
        "created": _instants(part("time_created_ns")),
        "started": _instants(part("time_discovered_started_ns")),
        "completed": _instants(part("time_discovered_completed_ns")),
        "timeout_ms": _instants(part("timeout_ms")),
        "duration_ms": [math.nan if duration is None else float(duration) for duration in part("duration_ms")],
        "state": [_STATES.get(state, State.UNKNOWN.value) for state in part("state")],
        "retired": list(map(bool, part("retired"))),
        "is_p2p": list(map(bool, part("is_p2p"))),
        "group": tables.groups.numbers(map(_label, entries)),
        "name": tables.names.numbers([entry["profiling_name"] for entry in entries]),
        "input_shapes": tables.shapes.numbers(_nested_all(part("input_sizes"))),
        "output_shapes": tables.shapes.numbers(_nested_all(part("output_sizes"))),
        "input_dtypes": tables.dtypes.numbers(_flat_all(part("input_dtypes"))),
        "output_dtypes": tables.dtypes.numbers(_flat_all(part("output_dtypes"))),
        "splits": _paired(part("input_split_sizes"), part("output_split_sizes"), tables.splits, _flat),
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
        raise DumpError(f"not a dump: entries is {_kind(entries)}")
    for index, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise DumpError(f"not a dump: entry {index} is {_kind(entry)}")
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


def _whole(value: Any) -> int:
    """An integer, however it is written; -1 for what stands for none."""
    if type(value) is int:
        return value
    if value is None or value == "":
        return -1
    if isinstance(value, float):
        return int(value) if math.isfinite(value) else -1
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise TypeError(f"{_kind(value)} where a number is expected")
    if isinstance(value, str) and len(value) > 24:
        raise ValueError("a number of more than 64 bits")
    return int(value)


def _counters(values: list[Any]) -> list[int]:
    """Unsigned counters; 0 for what stands for none."""
    if set(map(type, values)) != {int}:
        values = list(map(_whole, values))
    if values and (min(values) < 0 or max(values) > _U64):
        if max(values) > _U64:
            raise OverflowError("a counter of more than 64 bits")
        values = [max(value, 0) for value in values]
    return values


def _instants(values: list[Any]) -> list[int]:
    """Times; 0 for an unknown one."""
    kinds = set(map(type, values))
    if kinds == {int, type(None)}:
        values = [value or 0 for value in values]
    elif kinds != {int}:
        values = list(map(_whole, values))
    if values and (min(values) < 0 or max(values) > _I64):
        values = [min(max(value, 0), _I64) for value in values]
    return values


def _label(entry: Mapping[str, Any]) -> tuple[Any, ...]:
    label = entry.get("process_group")
    if label is None:
        name = entry.get("pg_name")
        return str(entry.get("pg_id", 0) if name is None else name), ""
    return tuple(label) if isinstance(label, list | tuple) else (label,)


def _nested_all(values: list[Any]) -> Iterable[tuple[Any, ...]]:
    """Sizes as something hashable: lists of lists as tuples of tuples."""
    usual = set(map(type, values)) <= {list} and all(
        type(sizes) is list and len(sizes) <= _MOST_DIMENSIONS for value in values for sizes in value
    )
    if usual:
        return [tuple(map(tuple, value)) for value in values]
    return _each_once(values, _nested)


def _nested(value: Any) -> tuple[Any, ...]:
    if not value:
        return ()
    if not isinstance(value, list | tuple) or len(value) > _MOST_SIZES:
        raise TypeError("sizes are no list of lists")
    # One tensor was once written without the list around it.
    nested = value if isinstance(value[0], list | tuple) else (value,)
    if any(len(sizes) > _MOST_DIMENSIONS for sizes in nested):
        raise ValueError("more dimensions than any tensor has")
    return tuple(map(tuple, nested))


def _flat_all(values: list[Any]) -> Iterable[tuple[Any, ...]]:
    """Lists as tuples."""
    if set(map(type, values)) <= {list} and max(map(len, values), default=0) <= _MOST_DIMENSIONS:
        return map(tuple, values)
    return _each_once(values, _flat)


def _each_once(values: list[Any], convert: Callable[[Any], tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Each object converted once, however often a pickle refers to it."""
    converted: dict[int, tuple[Any, ...]] = {}
    for value in values:
        if id(value) not in converted:
            converted[id(value)] = convert(value)
    return [converted[id(value)] for value in values]


def _flat(value: Any) -> tuple[Any, ...]:
    if not value:
        return ()
    if not isinstance(value, list | tuple) or len(value) > _MOST_SIZES:
        raise TypeError(f"{_kind(value)} where a list is expected")
    return tuple(value)


def _checked_label(label: tuple[Any, ...]) -> GroupLabel:
    if len(label) != 2:
        raise TypeError("process_group is no pair of name and description")
    return GroupLabel(str(label[0]), str(label[1]))


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError("profiling_name is no text")
    return name


def _checked_shapes(shapes: tuple[tuple[Any, ...], ...]) -> Shapes:
    return tuple(tuple(max(_whole(size), 0) for size in sizes) for sizes in shapes)


def _checked_counts(counts: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(max(_whole(count), 0) for count in counts)


def _checked_dtypes(dtypes: tuple[Any, ...]) -> Dtypes:
    return tuple(map(str, dtypes))


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
            counters = [_whole(status.get(f"last_{what}_collective")) for what in ("enqueued", "started", "completed")]
            number = int(key)
        except (TypeError, ValueError) as error:
            raise DumpError(f"a broken dump: pg_status {_shown(key)}: {_shown(error)}") from None
        found[number] = GroupStatus(*(counter if counter >= 0 else None for counter in counters))
    return found


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", tuple: "a list", str: "a text", bytes: "bytes", bool: "true or false"}
    return "nothing" if value is None else names.get(type(value), f"a {type(value).__name__}")


def _shown(text: object) -> str:
    return " ".join(str(text).split())[:160]
