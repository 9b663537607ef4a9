"""The JSON of one rank's dump as lines to read: as it came, indented, made plain.

Nothing is decoded to values, so that a number is shown with the digits it came with and what is no JSON is shown too.
Nesting of any depth costs no recursion. A pickle is never unpickled for this: its dump is written as JSON instead.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from ..flight_recorder.columns import State
from ..flight_recorder.dump import Dump
from ..flight_recorder.json_dump import stack_of
from ..plain_text import plain
from ..sizes import size_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..snapshot import RankReply

__all__ = ["MOST_BYTES", "MOST_LINES", "RawText", "raw_lines"]

MOST_BYTES = 4 << 20
"""Bytes of a body that are shown."""
MOST_LINES = 400_000
_DEEPEST = 40
"""Levels that are indented; what lies deeper stands there too."""
_SHORT = 100
"""Characters of a list without lists or objects in it that stays on one line."""
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:]|[^\s{}\[\],:"]++', re.DOTALL)
_CLOSES = {"{": "}", "[": "]"}
_BETWEEN = {",": ", ", ":": ": "}
"""What stands between values on one line."""


@dataclass(frozen=True, slots=True)
class RawText:
    """Lines that paint as themselves."""

    lines: tuple[str, ...]
    said: str
    """What they are, and what is left out, in one plain line."""


def raw_lines(given: RankReply | Dump) -> RawText:
    """The text of a dump: the reply that brought it, or, from a file, the dump that was decoded.

    Raises:
        OSError: the body of the reply can't be read any more.
    """
    return _of_dump(given) if isinstance(given, Dump) else _of_reply(given)


def _of_reply(reply: RankReply) -> RawText:
    data = reply.body.read(MOST_BYTES)
    size = reply.body.size
    told = [f"{reply.source} of rank {reply.rank}, {size_text(size)}"]
    if reply.error:
        told.append(reply.error)
    if len(data) < size:
        told.append(f"the first {size_text(len(data))} of it")
    if data[:1] == b"\x80":
        return RawText((), plain("; ".join([*told, "a pickle, not shown"])))
    return _told(data.decode("utf-8", "replace"), told)


def _of_dump(dump: Dump) -> RawText:
    pieces: list[str] = []
    length = 0
    told = [
        f"{dump.source or 'dump'} of rank {dump.rank}, written as JSON from what was read of the {dump.format.value}"
    ]
    for piece in _written(dump):
        pieces.append(piece)
        length += len(piece)
        if length > MOST_BYTES:
            told.append(f"the first {size_text(MOST_BYTES)} of it")
            break
    return _told("".join(pieces)[:MOST_BYTES], told)


def _told(text: str, told: list[str]) -> RawText:
    is_json = text.lstrip()[:1] in ("{", "[")
    if not is_json:
        told.append("not JSON")
    lines: list[str] = []
    for line in _indented(text) if is_json else text.splitlines():
        if len(lines) == MOST_LINES:
            told.append(f"the first {MOST_LINES:,} lines of it")
            break
        lines.append(plain(line))
    return RawText(tuple(lines), plain("; ".join(told)))


def _indented(text: str) -> Iterator[str]:
    """JSON text, or what is left of it, a value a line; short lists of plain values on one."""
    tokens = _TOKEN.finditer(text)
    depth = 0
    line = ""
    after = False  # a value, so that another one without a comma is kept apart
    pending = next(tokens, None)
    while pending is not None:
        part = pending[0]
        apart, after = after, False
        pending = next(tokens, None)
        if part in _CLOSES:
            if pending is not None and pending[0] == _CLOSES[part]:
                line += part + pending[0]
                pending = next(tokens, None)
            elif part == "[" and (short := _short(text, pending)) is not None:
                line += short[0]
                tokens = _TOKEN.finditer(text, short[1])
                pending = next(tokens, None)
            else:
                yield line + part
                depth += 1
                line = _indent(depth)
        elif part in ("}", "]"):
            if line.strip():
                yield line
            depth = max(depth - 1, 0)
            line = _indent(depth) + part
        elif part == ",":
            yield line + part
            line = _indent(depth)
        elif part == ":":
            line += ": "
        else:
            line += f" {part}" if apart else part
            after = True
    if line.strip():
        yield line


def _indent(depth: int) -> str:
    return "  " * min(depth, _DEEPEST)


_PLAIN_LIST = re.compile(r'[^\[\]{}"]*+(?:"(?:[^"\\]++|\\.)*+"[^\[\]{}"]*+)*+\]', re.DOTALL)


def _short(text: str, pending: re.Match[str] | None) -> tuple[str, int] | None:
    """A list of plain values from its first value on, with where it ends, when it fits on one line."""
    if pending is None:
        return None
    start = pending.start()
    found = _PLAIN_LIST.match(text, start, start + _SHORT)
    if found is None:
        return None
    line = "["
    after = False
    for token in _TOKEN.finditer(text, start, found.end() - 1):
        is_value = token[0] not in _BETWEEN
        line += f" {token[0]}" if is_value and after else _BETWEEN.get(token[0], token[0])
        after = is_value
    return f"{line.rstrip()}]", found.end()


# a dump as JSON -----------------------------------------------------------------------------------------------


def _written(dump: Dump) -> Iterator[str]:
    top: dict[str, Any] = {
        "version": ".".join(map(str, dump.version)),
        "comm_lib_version": dump.library,
        "pg_config": {
            config.name: {
                "name": config.name,
                "desc": config.desc,
                "ranks": None if config.members is None else str(config.members),
            }
            for config in dump.configs
        },
        "pg_status": {
            str(number): {
                "last_enqueued_collective": status.enqueued,
                "last_started_collective": status.started,
                "last_completed_collective": status.completed,
            }
            for number, status in dump.statuses.items()
        },
    }
    yield json.dumps(top, ensure_ascii=False)[:-1]
    yield ', "entries": ['
    for row in range(len(dump.entries)):
        yield (", " if row else "") + json.dumps(_entry(dump, row), ensure_ascii=False)
    yield "]}"


def _entry(dump: Dump, row: int) -> dict[str, Any]:
    entries, tables = dump.entries, dump.entries.tables
    label = tables.groups[entries.group[row]]
    duration = float(entries.duration_ms[row])
    written: dict[str, Any] = {
        "record_id": int(entries.record_id[row]),
        "pg_id": int(entries.pg_id[row]),
        "process_group": [label.name, label.desc],
        "collective_seq_id": int(entries.collective_seq[row]),
        "p2p_seq_id": int(entries.p2p_seq[row]),
        "op_id": int(entries.op_id[row]),
        "profiling_name": tables.names[entries.name[row]],
        "time_created_ns": int(entries.created[row]),
        "time_discovered_started_ns": int(entries.started[row]) or None,
        "time_discovered_completed_ns": int(entries.completed[row]) or None,
        "duration_ms": None if isnan(duration) else duration,
        "input_sizes": tables.shapes[entries.input_shapes[row]],
        "input_dtypes": tables.dtypes[entries.input_dtypes[row]],
        "output_sizes": tables.shapes[entries.output_shapes[row]],
        "output_dtypes": tables.dtypes[entries.output_dtypes[row]],
        "state": State(int(entries.state[row])).name.lower(),
        "retired": bool(entries.retired[row]),
        "timeout_ms": int(entries.timeout_ms[row]),
        "is_p2p": bool(entries.is_p2p[row]),
    }
    if (split := int(entries.splits[row])) >= 0:
        written["input_split_sizes"] = tables.splits[split].sent
        written["output_split_sizes"] = tables.splits[split].received
    if (thread := int(entries.thread[row])) >= 0:
        written["thread_id"], written["thread_name"] = tables.threads[thread]
    if (stack := int(entries.stack[row])) >= 0:
        written["frames"] = [frame._asdict() for frame in stack_of(tables.stacks[stack])]
    return written
