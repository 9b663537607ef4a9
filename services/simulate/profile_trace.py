"""What torch_profile of a simulated rank answers: the shape of Kineto's trace on a CPU job, made from what it does.

A rank that stands still has nothing in its trace, as in real life: an operator shows when it has ended.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import TYPE_CHECKING

from .job import RATE, Activity, noise

if TYPE_CHECKING:
    from .job import Job

__all__ = ["Profiling", "profile_trace", "profiling"]

MOST_STEPS = 300
"""Steps of one trace; a longer capture shows the last ones."""
_PER_STEP = 4
"""Collectives of a step."""
_LAYERS = 3
_DAY_NS = 86_400_000_000_000
_GRADIENTS = (2_362_368, 7_087_872, 1_049_088, 1)


class Profiling(StrEnum):
    """What comes of profiling a rank."""

    WHOLE = "whole"
    CUT = "cut"
    """The connection breaks in the middle of the answer."""
    REFUSED = "refused"
    """Somebody else's profiler is running there."""


def profiling(rank: int) -> Profiling:
    """One of `Profiling`: a few ranks give a part of their trace, or none, so that one sees what that looks like."""
    luck = noise(rank, "profiler")
    return Profiling.CUT if luck < 0.04 else Profiling.REFUSED if luck > 0.96 else Profiling.WHOLE


def profile_trace(job: Job, rank: int, duration_s: float, ended_at: int) -> str:
    """The trace of a capture.

    Args:
        duration_s: how long it lasted.
        ended_at: when it ended, ns since the epoch.
    """
    base = ended_at - ended_at % _DAY_NS - _DAY_NS
    began_us = (ended_at - base) / 1000 - duration_s * 1e6
    moving = job.position(rank).activity in (Activity.COMPUTING, Activity.WAITING) and job.is_moving
    events = _Events(4_000 + rank, began_us)
    steps = min(int(duration_s * RATE / _PER_STEP), MOST_STEPS) if moving else 0
    for step in range(steps):
        _step(events, rank, step, began_us + duration_s * 1e6 - (steps - step) * _PER_STEP / RATE * 1e6)
    info = {
        "backend": "gloo",
        "rank": rank,
        "world_size": job.world_size,
        "pg_count": 1,
        "pg_config": [
            {
                "pg_name": "0",
                "pg_desc": "default_pg",
                "backend_config": "cpu:gloo,cuda:gloo",
                "pg_size": job.world_size,
                "ranks": list(range(job.world_size)),
            }
        ],
    }
    whole = duration_s * 1e6
    events.add("Trace", "PyTorch Profiler (0)", began_us, whole, {"Op count": 0}, "PyTorch Profiler", "Spans")
    head = {"schemaVersion": 1, "deviceProperties": [], "record_shapes": 1, "distributedInfo": info}
    head |= {"host_name": f"node-{rank // 8:03d}", "displayTimeUnit": "ms", "baseTimeNanoseconds": base}
    return json.dumps({**head, "traceEvents": events.made, "traceName": "torch_debug.json"}, indent=2)


class _Events:
    def __init__(self, pid: int, began_us: float) -> None:
        self.made: list[dict[str, object]] = []
        self.pid = pid
        self.gloo = pid + 7
        for tid, name in ((pid, f"thread {pid} (python)"), (self.gloo, f"thread {self.gloo} (pt_gloo_runloop)")):
            named = {"pid": pid, "tid": tid, "ts": began_us, "args": {"name": name}}
            self.made.append({"ph": "M", "name": "thread_name", **named})
        process = {"pid": pid, "tid": 0, "ts": began_us, "args": {"name": "python"}}
        self.made.append({"ph": "M", "name": "process_name", **process})

    def add(
        self,
        cat: str,
        name: str,
        start: float,
        lasted: float,
        arguments: dict[str, object] | None = None,
        tid: int | str | None = None,
        pid: int | str | None = None,
    ) -> float:
        """One event; gives its end."""
        place = {"pid": self.pid if pid is None else pid, "tid": self.pid if tid is None else tid}
        timed = {"ts": round(start, 3), "dur": round(lasted, 3)}
        arguments = {"External id": len(self.made), "Record function id": 0, **(arguments or {})}
        self.made.append({"ph": "X", "cat": cat, "name": name, **place, **timed, "args": arguments})
        return start + lasted


def _step(events: _Events, rank: int, step: int, at: float) -> None:
    """Load a batch, forward, backward, reduce the gradients, step the optimizer: about 130 ms."""
    slower = 1.0 + 0.04 * noise(rank, "speed") + (0.4 if noise(rank, "clock") < 0.05 else 0.0)
    jitter = 0.9 + 0.2 * noise(rank * 1_000 + step, "step")
    one = 2_300.0 * slower * jitter
    began = at
    batch = 1_500.0 * (9 if noise(rank, "disk") < 0.04 else 1) * jitter
    at = events.add("user_annotation", "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", at, batch)
    for _ in range(_LAYERS):
        events.add("cpu_op", "aten::linear", at, 4.2 * one, {"Input Dims": [[32, 1024], [1024, 1024], [1024]]})
        events.add("cpu_op", "aten::addmm", at + 0.1 * one, 4.0 * one)
        at = events.add("cpu_op", "aten::gelu", at + 4.3 * one, 0.8 * one)
    for layer in range(_LAYERS):
        backward = 9.0 * one
        events.add("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", at, backward)
        events.add("cpu_op", "AddmmBackward0", at + 0.1 * one, backward - 0.2 * one)
        for half in range(2):
            events.add("cpu_op", "aten::mm", at + (0.2 + 4.3 * half) * one, 4.1 * one)
        at += backward
        at = _reduced(events, _GRADIENTS[layer], at, one)
    at = _reduced(events, _GRADIENTS[3], at, one / 8)
    events.add("cpu_op", "Optimizer.step#AdamW.step", at, 3.0 * one)
    at = events.add("cpu_op", "aten::_foreach_addcdiv_", at + 0.2 * one, 2.5 * one) + 0.3 * one
    events.add("user_annotation", f"ProfilerStep#{step}", began, at - began)


def _reduced(events: _Events, elements: int, at: float, one: float) -> float:
    shapes = {"Input Dims": [[[elements]]], "Input type": ["TensorList"]}
    end = events.add("cpu_op", "c10d::allreduce_", at, 2.0 * one, shapes)
    told: dict[str, object] = {"Input Dims": [[elements]], "Input type": ["float"]}
    events.add("user_annotation", "gloo:all_reduce", at + 0.1 * one, 1.8 * one, told, events.gloo)
    return end
