"""Bundles as a stranger may make them, member by member."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from tests.fakes.replies import START
from tests.services.bundle.making import meta, plain_zip

TARGET = {"label": "store head-0:29500", "world_size": 2, "ranks": [{"rank": 0}, {"rank": 1}]}
OPENED = {"look": 1, "taken_at": START, "asked": "0-1", "target": TARGET}
REPLY = {"event": "reply", "rank": 0, "source": "ping", "outcome": "ok", "started_at": START, "took_s": 0.1}
CLOSED = {"closed_at": START, "analysed": True, "context": {}}


def bundle_of(
    *more: tuple[str, bytes],
    lines: Sequence[object] | bytes = (),
    opened: object = OPENED,
    closed: object = CLOSED,
    about: bytes = b"",
    deflate: tuple[str, ...] = (),
) -> bytes:
    """One look with these lines."""
    chunk = lines if isinstance(lines, bytes) else b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return plain_zip(
        [
            ("meta.json", about or meta()),
            ("looks/0001/opened.json", json.dumps(opened).encode()),
            *more,
            ("looks/0001/replies-0001.jsonl", chunk),
            ("looks/0001/closed.json", json.dumps(closed).encode()),
        ],
        deflate=deflate,
    )


def body(data: bytes) -> tuple[tuple[str, bytes], dict[str, object]]:
    """A member with a body, and the fields of a line that names it."""
    digest = hashlib.sha256(data).hexdigest()
    return (f"bodies/{digest}", data), {"body": digest, "size": len(data)}
