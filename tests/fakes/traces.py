"""Traces of a training loop as Kineto writes them, of any size, made anew."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["STEP_EVENTS", "header", "step_events", "trace_text", "write_big_trace"]

STEP_EVENTS = 26
"""Events of one step."""
_LAYERS = ("aten::linear", "aten::layer_norm", "aten::gelu", "aten::scaled_dot_product_attention")


def header(rank: int = 0, world_size: int = 4, base_ns: int = 1_759_000_000_000_000_000) -> str:
    """The fields before the events."""
    info = {
        "backend": "nccl",
        "rank": rank,
        "world_size": world_size,
        "pg_count": 1,
        "pg_config": [
            {
                "pg_name": "0",
                "pg_desc": "default_pg",
                "backend_config": "cuda:nccl",
                "pg_size": world_size,
                "ranks": list(range(world_size)),
            }
        ],
    }
    return (
        f'{{\n  "schemaVersion": 1,\n  "deviceProperties": [],\n  "distributedInfo": {json.dumps(info)},\n'
        f'  "host_name": "node-{rank // 8:03d}",\n  "baseTimeNanoseconds": {base_ns},\n  "traceEvents": ['
    )


def step_events(step: int, rank: int = 0, slow: float = 1.0) -> list[dict[str, object]]:
    """Events of one training step: operators on the main thread, kernels on a stream, one collective."""
    at = 1_000_000.0 + step * 2_000.0
    main, device = {"pid": 900 + rank, "tid": 900 + rank}, {"pid": 0, "tid": 7}
    arguments: dict[str, object] = {
        "External id": step,
        "Record function id": 0,
        "Sequence number": step,
        "Input Dims": [[32, 4096], [4096, 4096]],
        "Input type": ["c10::BFloat16", "c10::BFloat16"],
        "Ev Idx": step,
    }
    events: list[dict[str, object]] = []

    def add(cat: str, name: str, where: dict[str, int], start: float, lasted: float, args: dict[str, object]) -> None:
        timed = {"ts": start, "dur": lasted}
        events.append({"ph": "X", "cat": cat, "name": name, **where, **timed, "args": args})

    for place, name in enumerate(_LAYERS):
        start = at + place * 400.0
        add("cpu_op", name, main, start, 300.0 * slow, arguments)
        for inner in range(3):
            add("cpu_op", "aten::mm", main, start + 20.0 + inner * 90.0 * slow, 60.0 * slow, arguments)
        flow = step * 8 + place
        events.append({"ph": "s", "id": flow, "cat": "ac2g", "name": "ac2g", **main, "ts": start + 10.0})
        kernel = {"device": 0, "stream": 7, "correlation": flow, "grid": [108, 1, 1], "block": [256, 1, 1]}
        add("kernel", f"void gemm_{place}<bf16>(Params)", device, start + 50.0, 200.0, kernel)
    comm: dict[str, object] = {
        "Collective name": "allreduce",
        "In msg nelems": 1_048_576,
        "Out msg nelems": 1_048_576,
        "Group size": 4,
        "dtype": "BFloat16",
        "Process Group Name": "0",
        "Process Group Description": "default_pg",
        "Process Group Ranks": "[0, 1, 2, 3]",
    }
    stream = {"pid": 0, "tid": 20}
    add("kernel", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", stream, at + 1_650.0, 300.0 / slow, comm)
    add("cpu_op", "record_param_comms", main, at + 1_640.0, 9.0, comm)
    return events


def trace_text(steps: int = 3, rank: int = 0, slow: float = 1.0, *, indent: int | None = 2) -> str:
    """A whole trace."""
    return "".join(_parts(steps, rank, slow, indent))


def _parts(steps: int, rank: int, slow: float, indent: int | None) -> Iterator[str]:
    yield header(rank)
    place = {"pid": 900 + rank, "tid": 900 + rank}
    named = {"ph": "M", "name": "thread_name", **place, "ts": 0, "args": {"name": "thread (python)"}}
    yield json.dumps(named, indent=indent)
    for step in range(steps):
        for event in step_events(step, rank, slow):
            yield ",\n" + json.dumps(event, indent=indent)
    yield '],\n  "traceName": "trace.json"\n}\n'


def write_big_trace(path: Path, size: int) -> int:
    """Write a trace of at least `size` bytes; gives the number of its events with a duration."""
    timed = 0
    written = 0
    with path.open("w", encoding="utf-8") as file:
        written += file.write(header())
        step = 0
        joint = ""
        while written < size:
            events = step_events(step)
            timed += sum(1 for event in events if event["ph"] == "X")
            written += file.write(joint + ",\n".join(json.dumps(event, indent=2) for event in events))
            joint = ",\n"
            step += 1
        file.write('],\n  "traceName": "trace.json"\n}\n')
    return timed
