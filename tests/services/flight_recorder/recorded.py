"""Dumps written entry by entry, for what no made-up job would do."""

from __future__ import annotations

import json
from typing import Any

from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.dump import Dump

__all__ = ["dump_of", "entry"]


def entry(op: str, seq: int, **fields: Any) -> dict[str, Any]:
    """One collective of the default group, ended unless said otherwise."""
    return {
        "profiling_name": op,
        "process_group": ["0", "default_pg"],
        "collective_seq_id": seq,
        "op_id": seq,
        "record_id": seq,
        "state": "completed",
        "retired": True,
        "input_sizes": [[4]],
        "output_sizes": [[4]],
        "input_dtypes": ["Float"],
        "output_dtypes": ["Float"],
        "time_created_ns": 1_000_000_000 * (seq + 1),
    } | fields


def dump_of(rank: int, entries: list[dict[str, Any]], ranks: str = "[0, 1]", **top: Any) -> Dump:
    """A dump of a rank in one group."""
    made = {
        "version": "2.10",
        "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": ranks}},
        "pg_status": {},
        "entries": entries,
    }
    return decode(json.dumps(made | top).encode(), rank)
