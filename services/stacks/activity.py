"""What a stack outside of communication is busy with, as far as well-known files on it tell."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from .ownership import in_runtime

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Frame

__all__ = ["Activity", "find_activity"]


class Activity(StrEnum):
    """What a rank does while others wait for it."""

    DEBUGGER = "debugger"
    """Stands at a breakpoint and waits for somebody to type."""
    CHECKPOINT = "checkpoint"
    DATA_LOADING = "data_loading"
    COMPILING = "compiling"
    IMPORTING = "importing"
    SUBPROCESS = "subprocess"
    NETWORK = "network"
    THREAD_WAIT = "thread_wait"
    """Waits for another thread or process of its own."""
    OWN_CODE = "own_code"
    """Nothing of these: the user's own code or a library."""


_FILES: tuple[tuple[Activity, tuple[str, ...]], ...] = (
    (
        Activity.DEBUGGER,
        ("pdb.py", "bdb.py", "IPython/terminal/", "debugpy/", "pydevd.py", "torch/distributed/__init__.py"),
    ),
    (
        Activity.CHECKPOINT,
        ("torch/serialization.py", "torch/distributed/checkpoint/", "safetensors/", "torch/package/"),
    ),
    (
        Activity.DATA_LOADING,
        ("torch/utils/data/", "datasets/iterable_dataset.py", "datasets/arrow_dataset.py", "webdataset/"),
    ),
    (
        Activity.COMPILING,
        (
            "torch/_dynamo/convert_frame.py",
            "torch/_inductor/compile_fx.py",
            "torch/_inductor/codecache.py",
            "triton/compiler/",
            "torch/utils/cpp_extension.py",
        ),
    ),
    (Activity.IMPORTING, ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")),
    (Activity.SUBPROCESS, ("subprocess.py",)),
    (
        Activity.NETWORK,
        ("socket.py", "ssl.py", "http/client.py", "urllib/request.py", "requests/", "urllib3/", "aiohttp/", "httpx/"),
    ),
    (
        Activity.THREAD_WAIT,
        ("threading.py", "queue.py", "concurrent/futures/_base.py", "multiprocessing/", "selectors.py"),
    ),
)
"""Ends of paths; with a `/` at the end, a folder anywhere in the path. The first activity that fits is taken."""


def find_activity(frames: Sequence[Frame]) -> Activity:
    """What the stack is busy with.

    Args:
        frames: innermost first.
    """
    paths = [frame.file.replace("\\", "/") for frame in frames if not frame.native]
    owned = [in_runtime(frame) for frame in frames if not frame.native]
    above = owned.index(False) if False in owned else len(paths)
    for activity, files in _FILES:
        # Waiting is told by what is above the user's code alone: every thread has threading.py below it.
        looked_at = paths[:above] if activity in _ABOVE_ONLY else paths
        if any(_fits(path, file) for path in looked_at for file in files):
            return activity
    return Activity.OWN_CODE


_ABOVE_ONLY = frozenset((Activity.IMPORTING, Activity.SUBPROCESS, Activity.NETWORK, Activity.THREAD_WAIT))


def _fits(path: str, file: str) -> bool:
    if file.endswith("/"):
        return path.startswith(file) or f"/{file}" in path
    return path == file or path.endswith(f"/{file}")
