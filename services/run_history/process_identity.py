"""Which process is this, told so that another one with the same number is not taken for it."""

from __future__ import annotations

import os
import socket
import subprocess
from functools import cache
from pathlib import Path

__all__ = ["here", "is_gone", "own_identity"]


def own_identity() -> tuple[int, str, str]:
    """This process: its number, when it started, and where the number holds."""
    pid = os.getpid()
    return pid, started(pid) or "", here()


def is_gone(pid: int, began: str, where: str) -> bool | None:
    """Whether a process has ended; None where that can't be told: of another machine or container, or of one whose
    start the system did not tell."""
    if where != here() or not began:
        return None
    return started(pid) != began


@cache
def here() -> str:
    """Host, boot and the space of process numbers."""
    parts = [socket.gethostname()]
    for read in (_boot, _number_space):
        try:
            parts.append(read())
        except OSError:  # no Linux
            parts.append("")
    return " ".join(parts)


def started(pid: int) -> str | None:
    """When a process started, as the system writes it; None when there is none, or only its remains."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None if Path("/proc/self/stat").exists() else _started_by_ps(pid)
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[19]


def _started_by_ps(pid: int) -> str | None:
    found = subprocess.run(  # noqa: S603 - a fixed program with a number
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or None


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _number_space() -> str:
    return str(Path("/proc/self/ns/pid").readlink())
