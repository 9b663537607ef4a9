"""Small traces for tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from xpudbg.services.profiles.reader import TraceReader
from xpudbg.services.profiles.repairs import Repairs
from xpudbg.services.profiles.summary import ProfileSummary, summarise
from xpudbg.services.profiles.trace_event import TraceEvent

__all__ = ["event", "object_of", "read", "summary_of_text", "written"]


def event(name: str = "aten::mm", ts: float = 10.0, dur: float = 5.0, **more: Any) -> dict[str, Any]:
    """One event with a duration."""
    return {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": {"a": 1}} | more


def object_of(events: Iterable[dict[str, Any]], **header: Any) -> str:
    """A trace as an object."""
    return json.dumps({**header, "traceEvents": list(events)})


def read(data: str | bytes, size: int = 1 << 20) -> tuple[list[TraceEvent], Repairs, TraceReader[TraceEvent]]:
    """The events of a text that comes in pieces of so many bytes."""
    content = data.encode() if isinstance(data, str) else data
    repairs = Repairs()
    parts = [content[at : at + size] for at in range(0, len(content), size)]
    reader = TraceReader(parts, TraceEvent, repairs)
    return [one for batch in reader.batches() for one in batch], repairs, reader


def written(path: Path, text: str | bytes, *, packed: bool = False) -> Path:
    """A file with this content."""
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def summary_of_text(folder: Path, text: str | bytes) -> ProfileSummary:
    return summarise(written(folder / "trace.json", text))
