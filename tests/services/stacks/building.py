"""Frames, threads and dumps for the tests, short to write, and the recorded ones."""

from __future__ import annotations

from pathlib import Path

from xpudbg.services.stacks import faulthandler, pyspy
from xpudbg.services.stacks.model import Frame, StackDump, StackSource, ThreadStack, ThreadState

DATA = Path(__file__).parents[2] / "data" / "stacks"
"""tests/data/stacks: recorded from real processes (torch 2.13 on the CPU with Gloo, py-spy 0.4.3, Python 3.11-3.13)."""

TORCH = "/venv/lib/python3.11/site-packages/torch/"
STDLIB = "/usr/lib/python3.11/"


def frame(text: str) -> Frame:
    """`train_step train.py:211`, with `torch/` and `lib/` short for torch's and Python's own folders."""
    function, _, place = text.partition(" ")
    file, _, line = place.rpartition(":")
    if file.startswith("torch/"):
        file = TORCH + file.removeprefix("torch/")
    elif file.startswith("lib/"):
        file = STDLIB + file.removeprefix("lib/")
    else:
        file = f"/job/{file}"
    return Frame(function, file, int(line))


def stack(*texts: str) -> tuple[Frame, ...]:
    """Innermost first."""
    return tuple(frame(text) for text in texts)


def thread(
    *texts: str,
    frames: tuple[Frame, ...] | None = None,
    state: ThreadState | None = None,
    gil: bool = False,
    truncated: bool = False,
    name: str = "",
) -> ThreadStack:
    return ThreadStack(
        "1", stack(*texts) if frames is None else frames, name, state, holds_gil=gil, truncated=truncated
    )


def dump(*threads: ThreadStack, source: StackSource = StackSource.FAULTHANDLER, cut: bool = False) -> StackDump:
    """The last thread is the main one."""
    return StackDump(source, threads, len(threads) - 1 if threads and not cut else None, cut=cut)


def main(*texts: str) -> StackDump:
    """A dump of a main thread alone."""
    return dump(thread(*texts))


ALL_REDUCE = (
    "all_reduce torch/distributed/distributed_c10d.py:3252",
    "wrapper torch/distributed/c10d_logger.py:83",
    "train_step train.py:211",
    "<module> train.py:300",
)
BARRIER = ("barrier torch/distributed/distributed_c10d.py:5356", "save train.py:90", "<module> train.py:300")
RECV = ("recv torch/distributed/distributed_c10d.py:2799", "forward pipe.py:26", "<module> train.py:300")
LOADER = ("read data/loader.py:88", "batches train.py:200", "<module> train.py:300")


def recorded(name: str) -> StackDump:
    """A dump of tests/data/stacks, read by the reader that its name tells."""
    data = (DATA / name).read_bytes()
    if "pyspy" in name:
        return pyspy.parse(data)
    return faulthandler.parse(data)
