"""What a text tells of itself: stacks, a periodic dump, a store's keys, a job's log. Bytes in, nothing decoded.

Sources: torch 2.13, torch/distributed/debug (periodic dumps); spec worker-server.md (stacks, watchdog lines).
"""

from __future__ import annotations

import re

__all__ = [
    "LOG_SIGN",
    "PARTIAL_DATA",
    "PERIODIC_TABLES",
    "periodic_handler",
    "share_of_stacks",
    "starts_stacks",
    "store_lines",
]

PARTIAL_DATA = re.compile(rb"PARTIAL DATA: \d+/\d+ workers responded")
PERIODIC_TABLES = re.compile(rb"^=== (?:TorchComms )?FR Trace(?: NCCL)? ===\r?$", re.MULTILINE)
_PERIODIC_PART = re.compile(rb"^=== Rank 0: \S*/handler/(\w{1,64})\?\S* ===\r?$", re.MULTILINE)
_STORE_LINE = re.compile(rb"""[^\n]{0,512}?: b(['"])""")

_FAULTHANDLER = re.compile(
    rb"(?:Current thread|Thread) 0x[0-9A-Fa-f]+(?: \[.*\])? \(most recent call first\):"
    rb"|Stack \(most recent call first\):"
    rb"|Current thread's C stack trace \(most recent call first\):"
)
_FAULTHANDLER_START = re.compile(
    rb"Fatal Python error: |Timeout \(\d+:\d\d:\d\d(?:\.\d+)?\)!|<Cannot show all threads while the GIL is disabled>"
)
_PYSPY_START = re.compile(
    rb"Process \d{1,18}: ?|Python v\d|Thread (?:0x[0-9A-Fa-f]+|\d+) \([a-z+ ]*\)(?:: |$)|\[[^\]]{1,60} py_spy\] "
)
_STACK_LINE = re.compile(
    rb"\s*$|  File |    |  <|  \.\.\.|\.\.\.|  Garbage-collecting|  Binary file |plus \d+ frames|Extension modules: "
    rb"|Warning: |Error: |Parent Process |Python runtime state: |Caused by:|Reason: |-{8,}"
)
LOG_SIGN = re.compile(
    rb"Watchdog caught collective operation timeout|detected by watchdog at work|last enqueued (?:NCCL )?work"
    rb"|Received a dump signal|[Ww]atchdog got stuck|raised the following async exception"
    rb"|\(most recent call first\):|Thread (?:0x[0-9A-Fa-f]+|\d+) \((?:active|idle)[a-z+ ]*\)"
)
"""Something in a job's log that says where a rank stands."""


def starts_stacks(line: bytes) -> bool:
    """Whether a dump of stacks begins with this line."""
    return any(sign.match(line) for sign in (_FAULTHANDLER, _FAULTHANDLER_START, _PYSPY_START))


def share_of_stacks(lines: list[bytes]) -> float:
    """Which part of these lines belongs to stacks, 0 to 1."""
    if not lines:
        return 0.0
    return sum(_STACK_LINE.match(line) is not None or starts_stacks(line) for line in lines) / len(lines)


def periodic_handler(text: bytes) -> bytes | None:
    """The handler whose answers a periodic dump holds, by the head of its first part."""
    part = _PERIODIC_PART.search(text)
    return part[1] if part else None


def store_lines(lines: list[bytes]) -> float:
    """Which part of these lines is a key and a value as torch prints a store, 0 to 1."""
    if not lines:
        return 0.0
    return sum(map(_is_store_line, lines)) / len(lines)


def _is_store_line(line: bytes) -> bool:
    opening = _STORE_LINE.match(line)
    return opening is not None and len(line.rstrip()) > opening.end() and line.rstrip().endswith(opening[1])
