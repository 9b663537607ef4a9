"""The progress matrix against a plain reading of the dumps, and what it says where something is not known."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.job_shapes import group_layouts, programs
from tests.services.flight_recorder.looking import analysed
from tests.services.flight_recorder.recorded import dump_of, entry
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import Diagnosis, diagnose
from xpudbg.services.flight_recorder.motion import Pace
from xpudbg.services.progress.matrix import EMPTY, LAG, RANK, Progress, ProgressCell, progress_of
from xpudbg.services.ranksets import RankSet

WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
TP = (FakeGroup("1", "mesh_tp", (0, 1)), FakeGroup("2", "mesh_tp", (2, 3)))
STEP = [Call("1"), Call("2"), Call("0")]


def job(*faults: Fault, steps: int = 3) -> FakeJob:
    return FakeJob(4, [WORLD, *TP], STEP * steps, faults=faults)


def of(*looks: FakeJob, absent: tuple[int, ...] = (), **options: Any) -> Progress:
    """The progress of the last look, compared with the one before."""
    diagnosis: Diagnosis | None = None
    for one in looks:
        dumps = [decode(one.as_json(rank, **options), rank) for rank in range(one.world) if rank not in absent]
        analysis = analyse(dumps, world_size=one.world)
        diagnosis = diagnose(analysis, diagnosis.analysis if diagnosis else None)
    assert diagnosis is not None
    return progress_of({"x": diagnosis})


def cells(progress: Progress, title: str) -> list[ProgressCell | None]:
    """The cells of a column, by rank."""
    number = [column.title for column in progress.columns].index(title)
    return [progress.cell(row, number) for row in range(len(progress.ranks))]


def told(progress: Progress, title: str, what: str) -> list[Any]:
    return [None if cell is None else getattr(cell, what) for cell in cells(progress, title)]


def ranks(progress: Progress, *arguments: Any, **options: Any) -> list[int]:
    """The order as ranks."""
    return [int(rank) for rank in progress.ranks[progress.order(*arguments, **options)]]


class Read:
    """What the dumps of a job say of each rank and group, read entry by entry."""

    def __init__(self, made: FakeJob) -> None:
        self.calls: dict[tuple[int, tuple[int, ...], str], list[int]] = {}
        self.sent: dict[tuple[int, tuple[int, ...], str], list[int]] = {}
        self.members: dict[tuple[int, tuple[int, ...], str], tuple[int, ...]] = {}
        for rank in range(made.world):
            for group in made.groups:
                if rank in group.ranks:
                    self.members[rank, group.ranks, group.name] = group.ranks
            for one in made.dump(rank)["entries"]:
                group = made.by_name[one["process_group"][0]]
                key = (rank, group.ranks, group.name)
                (self.sent if one["is_p2p"] else self.calls).setdefault(key, []).append(
                    one["p2p_seq_id"] if one["is_p2p"] else one["collective_seq_id"]
                )

    def position(self, key: tuple[int, tuple[int, ...], str]) -> tuple[int, bool]:
        """Position, and whether it is one of P2P calls."""
        mine = [(rank, *key[1:]) for rank in key[1]]
        if not any(self.calls.get(one) for one in mine) and any(self.sent.get(one) for one in mine):
            return max(self.sent.get(key, [0])), True
        return max(self.calls.get(key, [0])), False


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_every_cell_is_what_the_dumps_say(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    made = FakeJob(world, groups, data.draw(programs(groups)), version="2.1")
    progress, read = of(made), Read(made)
    seen = {}
    for row, rank in enumerate(progress.ranks.tolist()):
        for column in range(len(progress.columns)):
            cell = progress.cell(row, column)
            if cell is not None:
                key = (rank, cell.group.ranks, cell.group.name)
                assert key not in seen
                seen[key] = cell
    used = {key for key in read.members if any(read.position((r, *key[1:]))[0] for r in key[1])}
    assert set(seen) == used
    assert progress.unused == len({key[1:] for key in read.members}) - len({key[1:] for key in used})
    for key, cell in seen.items():
        position, p2p = read.position(key)
        assert cell.p2p == p2p
        if cell.position is None:  # of a group that its dump has nothing about, where other counters are not placed
            assert (position, cell.lag) == (0, None)
            continue
        assert cell.position == position
        newest = max(read.position((rank, *key[1:]))[0] for rank in key[1])
        assert cell.lag == (None if p2p else newest - position)
    for row, rank in enumerate(progress.ranks.tolist()):
        lags = [cell.lag for key, cell in seen.items() if key[0] == rank and cell.lag is not None]
        assert int(progress.row_lag[row]) == max(lags, default=-1)


def test_the_group_of_the_finding_comes_first() -> None:
    progress = of(job(Fault(3, 2, "stops")))
    assert [column.title for column in progress.columns] == ["tp", "default_pg"]
    assert told(progress, "tp", "position") == [2, 2, 2, 1]
    assert told(progress, "tp", "lag") == [0, 0, 0, 1]
    assert told(progress, "tp", "inside") == [False, False, True, False]
    assert ranks(progress) == [2, 3, 0, 1]
    assert ranks(progress, first=RankSet([3])) == [3, 2, 0, 1]
    assert [cell.group.name for cell in cells(progress, "tp") if cell] == ["1", "1", "2", "2"]


def test_one_look_has_no_pace() -> None:
    progress = of(job(Fault(3, 2, "stops")))
    assert not progress.compared
    assert told(progress, "tp", "pace") == [None] * 4
    assert told(progress, "tp", "made") == [None] * 4


def test_two_looks_have_pace_and_calls_made() -> None:
    still = of(job(Fault(3, 2, "stops")), job(Fault(3, 2, "stops")))
    assert still.compared
    assert told(still, "tp", "pace") == [Pace.IDLE, Pace.IDLE, Pace.FROZEN, Pace.IDLE]
    assert told(still, "tp", "made") == [0, 0, 0, 0]
    moved = of(job(steps=2), job(steps=5))
    assert told(moved, "default_pg", "pace") == [Pace.MOVING] * 4
    assert told(moved, "default_pg", "made") == [3] * 4
    assert told(moved, "default_pg", "lag") == [0] * 4


def test_a_job_that_went_back_tells_no_calls_made() -> None:
    assert told(of(job(steps=5), job(steps=2)), "default_pg", "made") == [None] * 4


def test_a_rank_without_a_dump_is_not_known_and_last() -> None:
    progress = of(job(Fault(3, 2, "stops")), absent=(0,))
    assert told(progress, "tp", "position") == [None, 2, 2, 1]
    assert told(progress, "tp", "lag") == [None, 0, 0, 1]
    assert told(progress, "tp", "silent") == [False] * 4
    assert progress.row_lag[0] == -1
    assert ranks(progress)[-1] == 0
    assert ranks(progress, first=RankSet([0]))[0] == 0


def test_a_rank_that_recorded_nothing_lags_by_what_the_others_still_have() -> None:
    made = FakeJob(4, [WORLD, *TP], STEP * 6, faults=[Fault(3, 0, "stops")], first_seq=40_000)
    progress = of(made)
    (_, _, other, silent) = cells(progress, "tp")
    assert other is not None
    assert silent is not None
    assert (silent.position, silent.silent, silent.lag) == (0, True, 1)
    assert (other.position, other.lag) == (40_001, 0)


@pytest.mark.parametrize(("state", "lag"), [("completed", 0), ("started", 1)])
def test_a_rank_that_recorded_nothing_has_missed_no_call_that_ended(state: str, lag: int) -> None:
    calls = [entry("nccl:all_reduce", 7), entry("nccl:all_reduce", 8, state=state, retired=state == "completed")]
    progress = progress_of({"x": diagnose(analyse([dump_of(0, calls), dump_of(1, [])]))})
    assert told(progress, "default_pg", "silent") == [False, True]
    assert told(progress, "default_pg", "lag") == [0, lag]


def test_sends_and_receives_have_a_position_and_no_lag() -> None:
    pipeline = FakeGroup("5", "mesh_pp", (0, 1, 2, 3))
    program = [Call("5", pairs=((place, place + 1),), batched=False) for place in range(3)] * 2
    progress = of(FakeJob(4, [WORLD, pipeline], program))
    assert [column.title for column in progress.columns] == ["pp"]
    assert progress.unused == 1
    assert told(progress, "pp", "position") == [2, 4, 4, 2]
    assert told(progress, "pp", "p2p") == [True] * 4
    assert told(progress, "pp", "lag") == [None] * 4
    assert progress.row_lag.tolist() == [-1] * 4


def test_dumps_of_active_calls_only_leave_open_what_they_dont_tell() -> None:
    progress = of(job(Fault(3, 2, "stops")), only_active=True)
    assert told(progress, "default_pg", "position") == [2, 2, 1, 1]
    assert told(progress, "tp", "lag") == [None, None, 0, 1]


def test_nothing_recorded_is_an_empty_matrix() -> None:
    assert not EMPTY
    assert progress_of({}) is EMPTY
    idle = of(FakeJob(4, [WORLD, *TP], []))
    assert not idle
    assert idle.unused == 3
    assert ranks(idle) == [0, 1, 2, 3]


def test_two_recorders_stand_side_by_side() -> None:
    diagnosis = diagnose(analysed(job()))
    other = diagnose(analysed(job(Fault(1, 3, "stops"))))
    progress = progress_of({"one": diagnosis, "two": other})
    assert {column.key for column in progress.columns} == {
        (source, title) for source in ("one", "two") for title in ("tp", "default_pg")
    }
    for number, column in enumerate(progress.columns):
        cell = progress.cell(1, number)
        assert cell is not None
        assert cell.source == column.source
        assert cell.group in (diagnosis if cell.source == "one" else other).analysis.job.groups
        assert progress.column_of(column.key) == number
    assert progress.columns[0].source == "two"


@pytest.fixture(scope="module")
def lagging() -> Progress:
    """Ranks 0-5 in one group, with these lags."""
    made = FakeJob(6, [FakeGroup("0", "default_pg", tuple(range(6)))], [Call("0")] * 4)
    progress = of(made, absent=(2,))
    lag = np.array([0, 3, -1, 1, 3, 0])
    return replace(progress, lag=lag, position=np.where(lag < 0, -1, 4 - lag), row_lag=lag)


@pytest.mark.parametrize(
    ("by", "descending", "wanted"),
    [
        (LAG, False, [1, 4, 3, 0, 5, 2]),
        (LAG, True, [0, 5, 3, 1, 4, 2]),
        (RANK, False, [0, 1, 2, 3, 4, 5]),
        (RANK, True, [5, 4, 3, 2, 1, 0]),
        (0, False, [1, 4, 3, 0, 5, 2]),
        (0, True, [0, 5, 3, 1, 4, 2]),
    ],
)
def test_orders(lagging: Progress, by: int, descending: bool, wanted: list[int]) -> None:
    assert ranks(lagging, by, descending=descending) == wanted
    some = RankSet([1, 2, 5])
    assert ranks(lagging, by, descending=descending, shown=some) == [rank for rank in wanted if rank in some]


def test_accused_ranks_stand_first_by_lag(lagging: Progress) -> None:
    assert ranks(lagging, first=RankSet([2, 3])) == [3, 2, 1, 4, 0, 5]


def test_rows_and_columns_are_found(lagging: Progress) -> None:
    assert [lagging.row_of(rank) for rank in (0, 5, 6, None)] == [0, 5, None, None]
    assert lagging.column_of(("x", "default_pg")) == 0
    assert lagging.column_of(("y", "default_pg")) is None
    assert lagging.column_of(None) is None


def test_a_moving_job_keeps_the_order_of_its_columns() -> None:
    """Someone is always a call behind: that must not shuffle the columns at each look."""
    progress = of(job(steps=1), job(Fault(3, 4, "stops")))
    assert told(progress, "tp", "lag") == [0, 0, 0, 1]
    assert told(progress, "tp", "pace")[3] is Pace.MOVING
    assert [column.title for column in progress.columns] == ["default_pg", "tp"]


def test_4096_ranks() -> None:
    """Dumps as Gloo leaves them: the groups are those who use them."""
    form = {"version": "2.10", "pg_config": {}, "pg_status": {}, "entries": []}
    template = FakeJob(1, [FakeGroup("0", "default_pg", (0,))], [Call("0")], backend="gloo").dump(0)["entries"][0]
    dumps = []
    for rank in range(4096):
        made = 1 if rank == 77 else 2
        named = [("0", "default_pg"), (f"t{rank // 8}", "mesh_tp")]
        entries = [
            template
            | {"process_group": list(label), "record_id": 2 * seq + place, "pg_id": place}
            | {"collective_seq_id": seq + 1, "op_id": seq + 1}
            for seq in range(made)
            for place, label in enumerate(named)
        ]
        dumps.append(decode(json.dumps(form | {"entries": entries}).encode(), rank))
    progress = progress_of({"x": diagnose(analyse(dumps, world_size=4096))})
    assert progress.cells.shape == (4096, 2)
    assert {(column.title, len(column.groups)) for column in progress.columns} == {("default_pg", 1), ("tp", 512)}
    assert ranks(progress)[0] == 77
    assert progress.row_lag[77] == 1
    assert int(progress.row_lag.sum()) == 1
