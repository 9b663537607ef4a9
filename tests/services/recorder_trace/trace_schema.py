"""The trace event format, as far as these traces use it, as a JSON schema; and rules that a schema can't say."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import jsonschema

__all__ = ["SCHEMA", "check"]

_TRACK = {"pid": {"type": "integer", "minimum": 0}, "tid": {"type": "integer", "minimum": 0}}
_TIME = {"type": "number"}
_TEXT = {"type": "string"}
_LASTING = {"type": "number", "exclusiveMinimum": 0}
_ID = {"type": "integer", "minimum": 1}


def _event(phase: str, needed: dict[str, Any], more: dict[str, Any] | None = None) -> dict[str, Any]:
    properties = {"ph": {"const": phase}, "name": _TEXT, **_TRACK, **needed, **(more or {})}
    return {
        "type": "object",
        "properties": properties,
        "required": ["ph", "name", *_TRACK, *needed],
        "additionalProperties": False,
    }


_NAMES = ("process_name", "thread_name", "process_labels", "process_sort_index", "thread_sort_index")
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "required": ["traceEvents", "displayTimeUnit", "baseTimeNanoseconds"],
    "properties": {
        "displayTimeUnit": {"const": "ms"},
        "baseTimeNanoseconds": {"type": "integer"},
        "otherData": {"type": "object", "additionalProperties": _TEXT},
        "traceEvents": {
            "type": "array",
            "items": {
                "oneOf": [
                    _event(
                        "X",
                        {
                            "ts": _TIME,
                            "dur": {"type": "number", "exclusiveMinimum": 0},
                            "cat": _TEXT,
                            "args": {"type": "object"},
                        },
                        {"cname": _TEXT},
                    ),
                    _event("M", {"args": {"type": "object", "minProperties": 1}, "name": {"enum": _NAMES}}),
                    _event("s", {"ts": _TIME, "id": _ID, "cat": _TEXT}),
                    _event(
                        "f", {"ts": _TIME, "id": {"type": "integer", "minimum": 1}, "cat": _TEXT, "bp": {"const": "e"}}
                    ),
                ]
            },
        },
    },
    "additionalProperties": False,
}
_VALID = jsonschema.Draft202012Validator(SCHEMA)


def check(made: dict[str, Any]) -> None:
    """A trace is right: by its schema; times never go back on a track, slices there don't overlap; each flow has one
    beginning and one end, both inside a slice, and goes forward; each track with slices has a name."""
    _VALID.validate(made)
    last: dict[tuple[int, int], float] = defaultdict(lambda: float("-inf"))
    over: dict[tuple[int, int], float] = defaultdict(lambda: float("-inf"))
    flows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    slices: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    named: set[tuple[int, int]] = set()
    for event in made["traceEvents"]:
        track = event["pid"], event["tid"]
        if event["ph"] == "M":
            if event["name"] == "thread_name":
                assert track not in named
                named.add(track)
            continue
        assert event["ts"] >= last[track]
        last[track] = event["ts"]
        if event["ph"] == "X":
            assert event["ts"] >= over[track] - 0.001
            over[track] = event["ts"] + event["dur"]
            slices[track].append((event["ts"], over[track]))
        else:
            flows[event["id"]].append(event)
    assert set(slices) <= named
    for parts in flows.values():
        assert sorted(part["ph"] for part in parts) == ["f", "s"]
        begun, ended = sorted(parts, key=lambda part: part["ph"], reverse=True)
        assert begun["ts"] <= ended["ts"]
        assert begun["pid"] != ended["pid"]
        for part in parts:
            assert any(low <= part["ts"] < high for low, high in slices[part["pid"], part["tid"]])
