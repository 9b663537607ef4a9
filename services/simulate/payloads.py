"""What the handlers of a simulated rank answer: texts of the shape that real ranks gave (torch 2.13, CPU, Gloo).

Recorded answers in the tests hold the shapes. Paths and numbers are made up; for one rank they are the same each
time, apart from what moves with the job. Stacks are in `stack_texts`.
"""

from __future__ import annotations

import json

from .job import Activity, Job, noise

__all__ = [
    "HANDLERS",
    "PROFILER",
    "RING",
    "TORCHCOMMS_HANDLERS",
    "dump_file",
    "flight_recorder",
    "foreign_error",
    "foreign_page",
    "front_page",
    "handler_list",
    "health",
    "not_found",
    "server_failure",
    "wait_counters",
]

HANDLERS = ("dump_traceback", "pyspy_dump", "wait_counter_values", "fr_trace_json", "ping")
"""The handlers of a simulated rank, in the order of its list."""
PROFILER = "torch_profile"
"""What they have beside them: it works for as long as it is told to. Its answer is in `profile_trace`."""
TORCHCOMMS_HANDLERS = ("torchcomms_fr_trace_json", "torchcomms_health_check", "torchcomms_fr_dump_file")
"""What a rank of a torchcomms job has beside them."""
RING = 48
"""Collectives that a rank's flight recorder remembers."""
_TIMEOUT_MS = 1_800_000
_SIZES = (2_362_368, 7_087_872, 1_049_088, 1)
"""Elements of the all_reduce calls of a step: three gradient buckets and the loss."""
_BARRIER_EVERY = 41


def handler_list(*, torchcomms: bool = False) -> str:
    """The answer to GET /handler/: a JSON list of names."""
    return json.dumps((*HANDLERS, PROFILER, *TORCHCOMMS_HANDLERS * torchcomms), separators=(",", ":"))


def health(rank: int, *, healthy: bool) -> str:
    """The answer of torchcomms_health_check."""
    said: dict[str, object] = {"healthy": healthy, "comms": {"default": {"rank": rank, "links_up": 8}}}
    if not healthy:
        said["comms"] = {"default": {"rank": rank, "links_up": 7}}
        said["reason"] = "link 3 is down: 41 retransmissions in the last second"
    return json.dumps(said, separators=(",", ":"))


def dump_file(rank: int) -> str:
    """The answer of torchcomms_fr_dump_file: where the rank has written its dump."""
    return json.dumps({"file": f"/var/log/torchcomms/fr_trace_rank_{rank}.json"}, separators=(",", ":"))


def front_page() -> str:
    """The answer to GET /: a small page."""
    return '<h1>torch.distributed.WorkerServer</h1>\n<a href="/handler/">Handler names</a>\n'


def not_found(name: str) -> str:
    """The text of status 404 for a handler that a rank doesn't have."""
    return f"Handler {name} not found: Failed to find handler {name}"


def server_failure(name: str) -> str:
    """The text of status 500: a handler that raised."""
    return f"Handler {name} failed: RuntimeError: could not start a new thread"


def foreign_page() -> str:
    """What the other program on a rank's port shows to a browser."""
    return (
        "<!DOCTYPE html>\n<html><head><title>Build artifacts</title></head>\n"
        "<body><h1>Build artifacts</h1></body></html>\n"
    )


def foreign_error(method: str) -> str:
    """What the other program says to a method it doesn't know (status 501)."""
    return (
        '<!DOCTYPE HTML>\n<html lang="en">\n<head><title>Error response</title></head>\n<body>\n'
        f"<h1>Error response</h1>\n<p>Error code: 501</p>\n<p>Message: Unsupported method ('{method}').</p>\n"
        "</body>\n</html>\n"
    )


def operation(seq: int) -> tuple[str, int]:
    """The collective with a sequence number: its name and its number of elements (0: it has no tensor)."""
    if seq % _BARRIER_EVERY == 0:
        return "barrier", 0
    return "all_reduce", _SIZES[seq % len(_SIZES)]


def thread_id(rank: int) -> int:
    """The pthread id of a rank's main thread."""
    return 0x7F0000000000 + (int(noise(rank, "thread") * 2**27) << 12) + 0xB80


def flight_recorder(job: Job, rank: int) -> str:
    """The answer of fr_trace_json: the rank's last `RING` collectives in the group of all ranks.

    On Gloo a collective stays "scheduled" with retired true when it has ended, and start and end are not timed. A
    recorder that is off has neither entries nor groups.
    """
    if not job.recorder:
        off = {"comm_lib_version": "", "nccl_comm_state": {}, "pg_config": {}, "pg_status": {}, "version": "2.10"}
        return json.dumps(off, separators=(",", ":"))
    at = job.position(rank)
    entries = ",".join(
        _entry(job, rank, seq, retired=seq <= at.completed)
        for seq in range(max(1, at.enqueued - RING + 1), at.enqueued + 1)
    )
    status = {
        "0": {
            "last_completed_collective": str(at.completed),
            "last_enqueued_collective": str(at.enqueued),
            "last_started_collective": "-1",
        }
    }
    rest = {
        "nccl_comm_state": {},
        "pg_config": {"": {"desc": "", "name": "", "ranks": str(list(range(job.world_size)))}},
        "pg_status": status,
        "version": "2.10",
    }
    return f'{{"comm_lib_version":"","entries":[{entries}],{json.dumps(rest, separators=(",", ":"))[1:]}'


def _entry(job: Job, rank: int, seq: int, *, retired: bool) -> str:
    name, elements = operation(seq)
    dtypes, sizes = ('["Float"]', f"[[{elements}]]") if elements else ("[]", "[]")
    return (
        f'{{"collective_seq_id":{seq},"input_dtypes":{dtypes},"input_sizes":{sizes},"is_p2p":false,"op_id":{seq},'
        f'"output_dtypes":{dtypes},"output_sizes":{sizes},"p2p_seq_id":0,"pg_id":0,"process_group":["0","default_pg"],'
        f'"profiling_name":"gloo:{name}","record_id":{seq - 1},"retired":{"true" if retired else "false"},'
        f'"state":"scheduled","thread_id":"{thread_id(rank)}","thread_name":"python",'
        f'"time_created_ns":{job.entered_at(rank, seq)},"time_discovered_completed_ns":0,'
        f'"time_discovered_started_ns":0,"timeout_ms":{_TIMEOUT_MS}}}'
    )


_COUNTERS = (
    ("TCPStore__get", 4, 600),
    ("TCPStore__init", 2, 400_000),
    ("TCPStore__set", 2, 60),
    ("TCPStore__wait", 4, 300_000),
    ("TCPStore__waitForWorkers", 2, 300_000),
    ("c10d.init_process_group", 1, 450_000),
)
"""Name, calls, and the most microseconds that one call takes."""


_LOADER = "data.next_batch"
"""A counter of the job's own: the wait for the next batch, once a step."""
_BATCH_US = 1_800
_SLOW_LOADERS, _SLOWER = 0.04, 9
"""Share of ranks whose data comes from a slow disk, and how many times as long they wait."""


def wait_counters(rank: int, job: Job | None = None) -> str:
    """The answer of wait_counter_values. Gloo counts no collective, so all torch counts is from the start of the job.

    Args:
        job: its ranks also count their waits for data; a rank asleep there, or in a C extension, waits now.
    """
    counters = {}
    for name, calls, most in _COUNTERS:
        longest = 1 + int(noise(rank, name) * most)
        counters[f"pytorch.wait_counter.{name}"] = {
            "active_count": 0,
            "max_time_us": longest,
            "total_calls": calls,
            "total_time_us": longest + int(longest * (calls - 1) * noise(rank, f"{name}/rest")),
        }
    if job is not None:
        at = job.position(rank)
        batches = at.enqueued // len(_SIZES) + 1
        each = int(_BATCH_US * (0.9 + 0.2 * noise(rank, _LOADER)))
        each *= _SLOWER if noise(rank, "disk") < _SLOW_LOADERS else 1
        counters[f"pytorch.wait_counter.{_LOADER}"] = {
            "active_count": int(at.activity in (Activity.LOADING, Activity.HOLDING_GIL)),
            "max_time_us": 3 * each,
            "total_calls": batches,
            "total_time_us": batches * each + 2 * each,
        }
    return json.dumps(counters, separators=(",", ":"))
