"""Whose code a frame is: the runtime's (torch, Python's library) or somebody else's, which is where a user looks."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .model import Frame

__all__ = ["in_runtime", "user_frame"]

_INSTALLED_TORCH = re.compile(r"(?:^|/)(?:site|dist)-packages/torch/")
# Only parts of torch that are called so: a project in a folder named torch/ is the user's.
_SOURCE_TORCH = re.compile(
    r"(?:^|/)torch/(?:(?:distributed|nn|autograd|_dynamo|_inductor|_functorch|_higher_order_ops|_library|fx|cuda|xpu|"
    r"accelerator|amp|jit|multiprocessing|utils/data)/|(?:_ops|_tensor|serialization|utils/_pytree|utils/_contextlib|"
    r"utils/checkpoint)\.py$)"
)
_STDLIB = re.compile(r"/(?:python3(?:\.\d+)?t?|Lib)/([^/]+)")
_STDLIB_PACKAGES = frozenset(
    [
        "asyncio",
        "collections",
        "concurrent",
        "ctypes",
        "encodings",
        "html",
        "http",
        "importlib",
        "json",
        "logging",
        "multiprocessing",
        "pathlib",
        "re",
        "sqlite3",
        "string",
        "unittest",
        "urllib",
        "wsgiref",
        "xml",
        "zipfile",
    ]
)


def in_runtime(frame: Frame) -> bool:
    """Whether a frame is native, torch's or of Python's own library; installed packages beside torch are not."""
    return frame.native or _runtime_file(frame.file)


def user_frame(frames: Sequence[Frame]) -> Frame | None:
    """The innermost frame outside of the runtime, or None."""
    return next((frame for frame in frames if not in_runtime(frame)), None)


@lru_cache(maxsize=65_536)
def _runtime_file(file: str) -> bool:
    path = file.replace("\\", "/")
    if path.startswith("<frozen "):
        return True
    if _INSTALLED_TORCH.search(path) or _SOURCE_TORCH.search(path):
        return True
    if path.startswith("/") or path[1:3] == ":/":
        found = _STDLIB.search(path)
        return found is not None and found[1].removesuffix(".py") in sys.stdlib_module_names
    # py-spy leaves import roots out: what remains is `threading.py` or `concurrent/futures/thread.py`.
    first, below, _ = path.partition("/")
    if below:
        return first in _STDLIB_PACKAGES
    return first.endswith(".py") and first.removesuffix(".py") in sys.stdlib_module_names
