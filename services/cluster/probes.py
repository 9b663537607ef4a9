"""The requests xpudbg sends to a rank, each with its budget (spec: worker-server.md).

A request that a rank can't answer keeps one of its 32 server threads until it can. So each kind has a time budget,
a size cap, and the rule that `Worker` enforces: one outstanding request of a kind per rank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

__all__ = [
    "COUNTERS",
    "DUMP_TRACEBACK",
    "HANDLERS",
    "HEALTH",
    "PING",
    "PYSPY",
    "RECORDERS",
    "TORCH_PROFILE",
    "WRITE_DUMP_FILE",
    "Probe",
    "py_spy",
    "torch_profile",
]

KIB = 1024
MIB = 1024 * KIB


@dataclass(frozen=True, slots=True)
class Probe:
    """One kind of request."""

    source: str
    """Name of the reply's source; also the handler's name where it is one."""
    method: Literal["GET", "POST"]
    path: str
    """Path and query below the rank's base URL."""
    stage: int
    """Order within a look; lower stages of all ranks go before higher ones."""
    budgets: float
    """Time budget, in multiples of the attachment's small-request budget (--timeout)."""
    max_bytes: int
    """Size at which the answer is given up as too large."""

    @property
    def query(self) -> str:
        return self.path.partition("?")[2]


PING = Probe("ping", "POST", "/handler/ping", stage=0, budgets=1, max_bytes=64 * KIB)
HANDLERS = Probe("handlers", "GET", "/handler/", stage=1, budgets=1, max_bytes=MIB)
RECORDERS = (
    Probe(
        "dump_nccl_trace_json",
        "POST",
        "/handler/dump_nccl_trace_json?includecollectives=true&onlyactive=false",
        stage=2,
        budgets=4,
        max_bytes=256 * MIB,
    ),
    Probe("fr_trace_json", "POST", "/handler/fr_trace_json", stage=2, budgets=4, max_bytes=256 * MIB),
    Probe(
        "torchcomms_fr_trace_json",
        "POST",
        "/handler/torchcomms_fr_trace_json?onlyactive=false",
        stage=2,
        budgets=4,
        max_bytes=256 * MIB,
    ),
)
"""The flight recorders, NCCL's first; a rank is asked for those that it has."""
COUNTERS = Probe("wait_counter_values", "POST", "/handler/wait_counter_values", stage=3, budgets=1, max_bytes=4 * MIB)
"""In what the rank waits; answered without its GIL."""
HEALTH = Probe(
    "torchcomms_health_check", "POST", "/handler/torchcomms_health_check", stage=3, budgets=1, max_bytes=256 * KIB
)
"""torchcomms' own word about a rank; only ranks of such a job have it."""
WRITE_DUMP_FILE = Probe(
    "torchcomms_fr_dump_file", "POST", "/handler/torchcomms_fr_dump_file", stage=5, budgets=4, max_bytes=256 * KIB
)
"""Makes the rank write its recorder's dump to a file of its own: only when a person has agreed."""
DUMP_TRACEBACK = Probe("dump_traceback", "POST", "/handler/dump_traceback", stage=4, budgets=1, max_bytes=64 * MIB)
PYSPY = Probe("pyspy_dump", "POST", "/handler/pyspy_dump?nonblocking=1", stage=5, budgets=4, max_bytes=64 * MIB)
"""The form that does not pause the rank's process; it sees a rank whose GIL is held."""

TORCH_PROFILE = Probe("torch_profile", "POST", "/handler/torch_profile", stage=5, budgets=1, max_bytes=16 * 1024 * MIB)
"""Makes the rank run torch's profiler: only when a person has agreed, and never again by itself."""


def torch_profile(duration_s: float) -> Probe:
    """The request for a profile of so many seconds."""
    return replace(TORCH_PROFILE, path=f"{TORCH_PROFILE.path}?duration={duration_s:g}")


def py_spy(*, native: bool = False, subprocesses: bool = False, blocking: bool = False) -> Probe:
    """A py-spy dump as a person asked for it.

    Args:
        native: C and C++ frames too. py-spy can't read them without pausing the process, so this blocks as well.
        subprocesses: child processes too (data loader workers).
        blocking: pause the process while it is read, for a consistent picture.
    """
    words = []
    if not (native or blocking):
        words.append("nonblocking=1")
    if native:
        words.append("native=1")
    if subprocesses:
        words.append("subprocesses=1")
    return replace(PYSPY, path="/handler/pyspy_dump" + ("?" + "&".join(words) if words else ""))
