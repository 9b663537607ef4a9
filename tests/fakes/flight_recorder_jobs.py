"""Made-up jobs with their flight recorder dumps, faults injected, the truth known.

A job is run, not drawn: every rank has its program of calls and works through it as far as the others let it. So a
fault of one rank gives the dumps that a real job would leave: who waits, how far each has come, what stands behind it.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["START_NS", "Call", "FakeGroup", "FakeJob", "Fault"]

START_NS = 1_796_046_929_000_000_000
STEP_NS = 1_000_000


@dataclass(frozen=True)
class FakeGroup:
    """A process group."""

    name: str
    desc: str
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class Call:
    """One call in a program: a collective of a group, or one batch of sends and receives in it."""

    group: str
    op: str = "all_reduce"
    inputs: tuple[tuple[int, ...], ...] = ((1024,),)
    outputs: tuple[tuple[int, ...], ...] = ((1024,),)
    dtype: str = "Float"
    pairs: tuple[tuple[int, int], ...] = ()
    """Group-local (source, target) pairs: makes it a batch of P2P calls."""
    inner: tuple[tuple[str, int], ...] = ()
    """Operations and sizes inside a coalesced collective."""
    batched: bool = True
    """P2P calls under one sequence number, closed by a `coalesced` entry; else each is a call of its own."""


@dataclass(frozen=True)
class Fault:
    """What goes wrong on one rank at the n-th call of its own program."""

    rank: int
    at: int
    kind: str
    """`stops`: never makes the call. `wrong`: makes `instead` in its place. `device`: makes it, and nothing ends there
    any more from this call on."""
    instead: Call | None = None


@dataclass
class _Made:
    """A call of one rank, as it was made."""

    call: Call
    lane: str
    seq: int
    entries: list[dict[str, Any]]
    turn: int
    """How many equal calls the rank made before."""
    ended: bool = False


@dataclass
class FakeJob:
    """A job and its run."""

    world: int
    groups: Sequence[FakeGroup]
    program: Sequence[Call]
    backend: str = "nccl"
    version: str = "2.10"
    faults: Sequence[Fault] = ()
    run_ahead: int = 1
    """Open calls that a rank may have: 1 blocks in each."""
    ring: int | None = None
    """Entries that each rank keeps; a dict gives it by rank."""
    rings: dict[int, int] = field(default_factory=dict)
    timing: bool = True
    first_record: dict[int, int] = field(default_factory=dict)
    first_seq: int = 0
    frames: bool = False
    step_ns: int = STEP_NS
    """Time between two rounds of calls."""
    start_ns: int = START_NS

    def __post_init__(self) -> None:
        self.by_name = {group.name: group for group in self.groups}
        self.gloo = self.backend == "gloo"
        self._own: dict[int, list[Call]] = {rank: self._program_of(rank) for rank in range(self.world)}
        self._made: dict[int, list[_Made]] = {rank: [] for rank in range(self.world)}
        self._counters: dict[tuple[int, str], dict[str, int]] = {}
        self._status: dict[tuple[int, str], dict[str, int]] = {}
        self._records = dict(self.first_record)
        self._clock = self.start_ns
        self._run()

    def _program_of(self, rank: int) -> list[Call]:
        own = []
        for call in self.program:
            ranks = self.by_name[call.group].ranks
            if rank not in ranks:
                continue
            local = ranks.index(rank)
            if not call.pairs or any(local in pair for pair in call.pairs):
                own.append(call)
        for fault in self.faults:
            if fault.rank == rank:
                if fault.kind == "stops":
                    own = own[: fault.at]
                elif fault.kind == "wrong" and fault.instead is not None:
                    own[fault.at] = fault.instead
                elif fault.kind == "swaps":
                    own[fault.at], own[fault.at + 1] = own[fault.at + 1], own[fault.at]
        return own

    def _run(self) -> None:
        moved = True
        while moved:
            moved = False
            for rank in range(self.world):
                made = self._made[rank]
                is_open = sum(not one.ended for one in made)
                if len(made) < len(self._own[rank]) and is_open < self.run_ahead:
                    made.append(self._make(rank, self._own[rank][len(made)]))
                    moved = True
            self._clock += self.step_ns
            moved |= self._end_what_can()

    def _make(self, rank: int, call: Call) -> _Made:
        group = self.by_name[call.group]
        counters = self._counters.setdefault(
            (rank, call.group), {"collective": self.first_seq, "p2p": 0, "op": self.first_seq}
        )
        lane = "p2p" if call.pairs else "collective"
        counters[lane] += 1
        names: list[tuple[str, tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...], bool]] = []
        if call.pairs:
            local = group.ranks.index(rank)
            for source, target in call.pairs:
                if source == local:
                    names.append((f"send {source}->{target}", call.inputs, call.outputs, True))
                elif target == local:
                    names.append((f"recv {target}<-{source}", call.inputs, call.outputs, True))
            if call.batched:
                names.append(("coalesced", (), (), True))
        elif call.inner:
            names = [(op, ((size,),), ((size,),), False) for op, size in call.inner]
            names.append((call.op, (), (), False))
        else:
            names = [(call.op, call.inputs, call.outputs, False)]
        entries = []
        for place, name in enumerate(names):
            if place and call.pairs and not call.batched:
                counters["p2p"] += 1
            entries.append(self._entry(rank, group, counters, *name, call.dtype))
        status = self._status.setdefault((rank, call.group), {"enqueued": -1, "started": -1, "completed": -1})
        status["enqueued"] = counters["op"] if self.gloo else counters[lane]
        return _Made(call, lane, counters[lane], entries, sum(one.call == call for one in self._made[rank]))

    def _entry(
        self,
        rank: int,
        group: FakeGroup,
        counters: dict[str, int],
        name: str,
        inputs: tuple[tuple[int, ...], ...],
        outputs: tuple[tuple[int, ...], ...],
        p2p: bool,
        dtype: str,
    ) -> dict[str, Any]:
        counters["op"] += 1
        record = self._records.get(rank, 0)
        self._records[rank] = record + 1
        entry = {
            "record_id": record,
            "pg_id": self.local_index(rank, group.name),
            "process_group": [group.name, group.desc],
            "collective_seq_id": counters["collective"],
            "p2p_seq_id": counters["p2p"],
            "op_id": counters["op"],
            "profiling_name": f"{self.backend}:{name}",
            "time_created_ns": self._clock + rank * 1000,
            "input_sizes": [list(shape) for shape in inputs],
            "input_dtypes": [dtype] * len(inputs),
            "output_sizes": [list(shape) for shape in outputs],
            "output_dtypes": [dtype] * len(outputs),
            "state": "scheduled",
            "time_discovered_started_ns": 0,
            "time_discovered_completed_ns": 0,
            "retired": False,
            "timeout_ms": 600_000,
            "is_p2p": p2p,
            "thread_id": "140525802212224",
            "thread_name": "pt_main_thread",
        }
        if self.frames:
            entry["frames"] = [
                {"name": name, "filename": f"/job/train_{rank % 3}.py", "line": 100 + depth}
                for depth, name in enumerate(("forward", "step", "<module>"))
            ]
        return entry

    def local_index(self, rank: int, name: str) -> int:
        """Creation index of a group on a rank: groups that it is not in do not count."""
        return [group.name for group in self.groups if rank in group.ranks].index(name)

    def _end_what_can(self) -> bool:
        ended = False
        for rank, made in self._made.items():
            for place, one in enumerate(made):
                if (
                    not one.ended
                    and self._first(made, place)
                    and self._whole(rank, one)
                    and not self._stuck(rank, place)
                ):
                    self._end(rank, one)
                    ended = True
        return ended

    def _first(self, made: list[_Made], place: int) -> bool:
        """Whether all earlier calls of the rank in the same group have ended: they run in order."""
        mine = made[place].call.group
        return all(one.ended for one in made[:place] if one.call.group == mine)

    def _stuck(self, rank: int, place: int) -> bool:
        return any(fault.kind == "device" and fault.rank == rank and place >= fault.at for fault in self.faults)

    def _whole(self, rank: int, one: _Made) -> bool:
        """Whether all that have part in a call have made it, and made the same."""
        group = self.by_name[one.call.group]
        if one.call.pairs:
            local = group.ranks.index(rank)
            others = {group.ranks[end] for pair in one.call.pairs if local in pair for end in pair} - {rank}
            return all(self._peer_made(other, one) for other in others)
        return all(self._peer_made(other, one) for other in group.ranks if other != rank)

    def _peer_made(self, rank: int, one: _Made) -> bool:
        for theirs in self._made[rank]:
            if one.lane == "p2p":
                if theirs.call == one.call and theirs.turn == one.turn:
                    return True
            elif theirs.call.group == one.call.group and theirs.lane == one.lane and theirs.seq == one.seq:
                return theirs.call == one.call
        return False

    def _end(self, rank: int, one: _Made) -> None:
        one.ended = True
        status = self._status[rank, one.call.group]
        last = one.entries[-1]
        status["completed"] = last["op_id"] if self.gloo else one.seq
        if not self.gloo and self.timing:
            status["started"] = one.seq
        for entry in one.entries:
            if self.gloo:
                entry["retired"] = True
                continue
            if one.call.pairs and one.call.batched and entry is not last:
                continue  # members of a finished batch stay as they were
            entry["retired"] = True
            entry["state"] = "completed"
            entry["time_discovered_completed_ns"] = self._clock + 500_000
            if self.timing:
                entry["time_discovered_started_ns"] = self._clock + 200_000
                entry["duration_ms"] = 0.3

    def dump(self, rank: int, *, only_active: bool = False) -> dict[str, Any]:
        """A rank's dump as JSON has it."""
        entries = [entry for made in self._made[rank] for entry in made.entries]
        if self.gloo:
            entries = [entry for entry in entries if not entry["is_p2p"]]
        keep = self.rings.get(rank, self.ring)
        if keep is not None:
            entries = entries[-keep:] if keep else []
        if only_active:
            entries = [entry for entry in entries if entry["state"] != "completed" and not entry["retired"]]
        mine = [group for group in self.groups if rank in group.ranks]
        configs = {
            group.name: {"name": group.name, "desc": group.desc, "ranks": str(list(group.ranks))} for group in mine
        }
        statuses = {
            str(self.local_index(rank, group.name)): {
                f"last_{what}_collective": str(number) for what, number in self._status[rank, group.name].items()
            }
            for group in mine
            if (rank, group.name) in self._status
        }
        return {
            "version": self.version,
            "pg_config": {"": {"name": "", "desc": "", "ranks": "[]"}} if self.gloo else configs,
            "pg_status": statuses,
            "entries": entries,
            "nccl_comm_state": {},
            "comm_lib_version": "" if self.gloo else "2.27.5",
        }

    def as_json(self, rank: int, *, only_active: bool = False) -> bytes:
        return json.dumps(self.dump(rank, only_active=only_active)).encode()

    def as_pickle(self, rank: int, *, only_active: bool = False, protocol: int = 2) -> bytes:
        """A rank's dump as pickles have it: counters as ints, pairs as tuples, None for an unknown instant."""
        dump = self.dump(rank, only_active=only_active)
        dump["pg_status"] = {
            key: {what: int(number) for what, number in status.items()} for key, status in dump["pg_status"].items()
        }
        dump["entries"] = [
            entry
            | {"process_group": tuple(entry["process_group"])}
            | {name: entry[name] or None for name in ("time_discovered_started_ns", "time_discovered_completed_ns")}
            for entry in dump["entries"]
        ]
        return pickle.dumps(dump, protocol=protocol)

    @property
    def open_ranks(self) -> set[int]:
        """Ranks with a call that has not ended."""
        return {rank for rank, made in self._made.items() if any(not one.ended for one in made)}
