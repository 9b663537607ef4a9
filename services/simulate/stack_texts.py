"""Stacks of simulated ranks, as faulthandler (dump_traceback) and py-spy (pyspy_dump) write them."""

from __future__ import annotations

from .job import Activity, Job, Position, noise
from .payloads import operation, thread_id

__all__ = ["py_spy", "traceback"]

_PACKAGES = "/usr/lib/python3.11/site-packages"
_APP = "/srv/train"

Frame = tuple[str, str, int, str]
"""Root folder, file below it, line, function (its qualified name)."""

_LOOP: tuple[Frame, ...] = (
    (_APP, "train.py", 142, "train"),
    (_APP, "train.py", 187, "<module>"),
)
_STEP: Frame = (_APP, "engine/step.py", 118, "train_step")
_LOADER: tuple[Frame, ...] = ((_APP, "data/loader.py", 88, "Loader.__next__"), *_LOOP)
_WRAPPER: Frame = (_PACKAGES, "torch/distributed/c10d_logger.py", 83, "_exception_logger.<locals>.wrapper")
_IN_COLLECTIVE: dict[str, tuple[Frame, ...]] = {
    "all_reduce": (
        (_PACKAGES, "torch/distributed/distributed_c10d.py", 3252, "all_reduce"),
        _WRAPPER,
        (_APP, "engine/buckets.py", 57, "Buckets.flush"),
        _STEP,
        *_LOOP,
    ),
    "barrier": (
        (_PACKAGES, "torch/distributed/distributed_c10d.py", 5117, "barrier"),
        _WRAPPER,
        (_APP, "train.py", 149, "train"),
        _LOOP[-1],
    ),
}
_COMPUTING: tuple[tuple[Frame, ...], ...] = (
    (
        (_PACKAGES, "torch/nn/modules/linear.py", 134, "Linear.forward"),
        (_PACKAGES, "torch/nn/modules/module.py", 1790, "Module._call_impl"),
        (_APP, "model/block.py", 64, "Block.forward"),
        (_APP, "engine/step.py", 96, "train_step"),
        *_LOOP,
    ),
    (
        (_PACKAGES, "torch/autograd/graph.py", 841, "_engine_run_backward"),
        (_PACKAGES, "torch/_tensor.py", 625, "Tensor.backward"),
        (_APP, "engine/step.py", 104, "train_step"),
        *_LOOP,
    ),
    (
        (_PACKAGES, "torch/optim/adamw.py", 411, "_single_tensor_adamw"),
        (_PACKAGES, "torch/optim/optimizer.py", 517, "Optimizer.step"),
        (_APP, "engine/step.py", 121, "train_step"),
        *_LOOP,
    ),
)
_WAITING_FOR_DATA: tuple[Frame, ...] = ((_APP, "data/shards.py", 61, "wait_for_shard"), *_LOADER)
_HOLDING_GIL: tuple[Frame, ...] = ((_APP, "data/decode.py", 40, "decode_batch"), *_LOADER)

_NATIVE = {
    Activity.COMPUTING: "at::native::addmm_out (libtorch_cpu.so)",
    Activity.WAITING: "pthread_cond_wait (libc.so.6)",
    Activity.LOADING: "clock_nanosleep (libc.so.6)",
    Activity.HOLDING_GIL: "decode_all (_decode.so)",
}
"""The innermost frame with native=1."""
_STATUS = {Activity.COMPUTING: "active", Activity.HOLDING_GIL: "active+gil"}


def traceback(job: Job, rank: int) -> str:
    """The answer of dump_traceback: the server's own thread first, the main thread last."""
    lines = [
        f"Current thread 0x{thread_id(rank) - 0x32B74C0:016x} (most recent call first):",
        "  <no Python frame>",
        "",
        f"Thread 0x{thread_id(rank):016x} (most recent call first):",
    ]
    lines += [
        f'  File "{root}/{file}", line {line} in {name.rpartition(".")[2]}'
        for root, file, line, name in _frames(job.position(rank))
    ]
    return "\n".join(lines) + "\n"


def py_spy(job: Job, rank: int, *, native: bool = False) -> str:
    """The answer of pyspy_dump: every Python thread, innermost frame first."""
    at = job.position(rank)
    pid = 20_000 + rank
    lines = [
        f"Process {pid}: /usr/bin/python3 -u train.py",
        "Python v3.11.7 (/usr/bin/python3.11)",
        "",
        f'Thread {pid} ({_STATUS.get(at.activity, "idle")}): "MainThread"',
    ]
    if native:
        lines.append(f"    {_NATIVE[at.activity]}")
    lines += [f"    {name} ({file}:{line})" for _root, file, line, name in _frames(at)]
    return "\n".join(lines) + "\n"


def _frames(at: Position) -> tuple[Frame, ...]:
    match at.activity:
        case Activity.WAITING:
            return _IN_COLLECTIVE[operation(at.enqueued)[0]]
        case Activity.LOADING:
            return _WAITING_FOR_DATA
        case Activity.HOLDING_GIL:
            return _HOLDING_GIL
        case Activity.COMPUTING:
            return _COMPUTING[int(noise(at.rank, f"stack {at.enqueued}") * len(_COMPUTING))]
