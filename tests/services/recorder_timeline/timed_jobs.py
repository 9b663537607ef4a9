"""Jobs whose times are made up, straight as columns: one group, who is late and by how much is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from xpudbg.services.flight_recorder.analysis import Analysis, analyse
from xpudbg.services.flight_recorder.columns import COLUMNS, Entries, GroupLabel, State, Tables
from xpudbg.services.flight_recorder.diagnosis import Diagnosis, diagnose
from xpudbg.services.flight_recorder.dump import Dump, Format, GroupConfig
from xpudbg.services.ranksets import RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["MS", "START", "TimedJob"]

MS = 1_000_000
START = 1_796_046_929_000_000_000
TIMEOUT_MS = 600_000


@dataclass
class TimedJob:
    """`ranks` ranks make `calls` collectives, each when its work is done; a collective ends when the last has come."""

    ranks: int
    calls: int
    late_ms: Mapping[int, float] = field(default_factory=dict)
    """How much longer the work of a rank takes."""
    jitter_ms: float = 1.0
    work_ms: tuple[float, ...] = (20.0,)
    """Work before each call, in turn. Only the longest ones make the late ranks late."""
    clocks_ms: Mapping[int, float] = field(default_factory=dict)
    hosts: Mapping[int, str] = field(default_factory=dict)
    ends: bool = True
    """Ends are recorded; else the job is one on Gloo."""
    stops: Mapping[int, int] = field(default_factory=dict)
    """Ranks that make no further call after so many; the others wait in the next one."""
    waited_s: float = 95.0
    """How long they have done so when the dumps are taken."""
    without_dump: tuple[int, ...] = ()
    ring: int = 1_000_000
    desc: str = "default_pg"
    op: str = "all_reduce"
    seed: int = 7

    def __post_init__(self) -> None:
        chance = np.random.default_rng(self.seed)
        self.last_call = min(self.stops.values(), default=self.calls)
        """Calls that end."""
        made = self.last_call + bool(self.stops)
        self.created = np.zeros((made, self.ranks))
        """ms on a common clock, shape `(calls, ranks)`."""
        self.completed = np.zeros((made, self.ranks))
        ready = np.zeros(self.ranks)
        late = np.array([self.late_ms.get(rank, 0.0) for rank in range(self.ranks)])
        for call in range(made):
            work = self.work_ms[call % len(self.work_ms)]
            extra = chance.uniform(0, self.jitter_ms, self.ranks) + late if work == max(self.work_ms) else 0.0
            self.created[call] = ready + work + extra
            ready = self.created[call].max() + 2 + chance.uniform(0, 0.05, self.ranks)
            self.completed[call] = ready

    def entries(self, rank: int) -> Entries:
        made = min(self.stops.get(rank, len(self.created)), len(self.created))
        count = min(made, self.ring)
        seq = np.arange(made - count, made)
        clock = self.clocks_ms.get(rank, 0.0)
        ended = seq < self.last_call
        instants = [
            START + np.rint((column[seq, rank] + clock) * MS).astype(np.int64)
            for column in (self.created, self.completed)
        ]
        columns: dict[str, NDArray[np.generic]] = {
            name: np.zeros(count, dtype=dtype) for name, dtype in COLUMNS.items()
        }
        columns |= {
            "record_id": seq,
            "collective_seq": seq + 1,
            "op_id": seq + 1,
            "created": instants[0],
            "completed": np.where(ended & self.ends, instants[1], 0),
            "started": np.where(ended & self.ends, instants[0] + MS // 2, 0),
            "timeout_ms": np.full(count, TIMEOUT_MS),
            "duration_ms": np.full(count, np.nan),
            "state": np.where(ended & self.ends, State.COMPLETED, State.SCHEDULED),
            "retired": ended,
            **{name: np.full(count, -1) for name in ("splits", "thread", "stack")},
        }
        name = f"{'nccl' if self.ends else 'gloo'}:{self.op}"
        tables = Tables((GroupLabel("0", self.desc),), (name,), (((1024,),),), (("Float",),))
        return Entries.of(columns, tables)  # type: ignore[arg-type]

    def dump(self, rank: int) -> Dump:
        members = GroupConfig("0", self.desc, RankSet.full(self.ranks))
        taken = START + int(self.completed.max() * MS) + int(self.waited_s * 1e9) * bool(self.stops)
        return Dump(
            rank,
            self.entries(rank),
            Format.JSON,
            (2, 10),
            (members,),
            host=self.hosts.get(rank, ""),
            taken_at=taken,
        )

    def analysis(self) -> Analysis:
        there = [rank for rank in range(self.ranks) if rank not in self.without_dump]
        gone = dict.fromkeys(self.without_dump, "connection refused")
        return analyse(map(self.dump, there), world_size=self.ranks, unreadable=gone)

    def diagnosis(self) -> Diagnosis:
        return diagnose(self.analysis())
