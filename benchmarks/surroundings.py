"""What figures depend on: the machine, without its name, and the versions of what runs."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from xpudbg.services.version import __version__

__all__ = ["machine", "versions"]

LIBRARIES = ("textual", "numpy", "httpx", "httpx-aiohttp", "aiohttp", "msgspec", "textual-fastdatatable", "distributed")


def machine() -> str:
    """Cores, memory, processor and system, in one line."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        named = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = named[0].partition(":")[2].strip() if named else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {model}, {platform.system()} {platform.release().split('-')[0]}"


def versions() -> list[tuple[str, str]]:
    """Names and versions; a library that is not there is left out."""
    found = [("xpudbg", __version__), ("Python", platform.python_version())]
    for name in LIBRARIES:
        try:
            found.append((name, metadata.version(name)))
        except metadata.PackageNotFoundError:
            continue
    torch = os.environ.get("XPUDBG_TORCH_PYTHON")
    if torch:
        asked = [torch, "-c", "import torch; print(torch.__version__)"]
        found.append(("torch", subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()))
    return found
