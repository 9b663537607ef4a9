"""Local counters brought to their groups: by the rank's own entries, else by what its peers know."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from xpudbg.services.flight_recorder.analysis import Analysis

from .looking import analysed

WORLD = FakeGroup("0", "default_pg", tuple(range(8)))
EXTRA = FakeGroup("2", "EMBEDDING_GROUP", (0, 7))
TP = [FakeGroup(str(9 + row), "tp", (2 * row, 2 * row + 1)) for row in range(4)]
DP = [FakeGroup(str(20 + column), "dp", tuple(range(column, 8, 2))) for column in range(2)]
PROGRAM = [Call("0"), Call("2"), *[Call(group.name) for group in (*TP, *DP)]] * 3


def names(look: Analysis, rank: int) -> Mapping[str, bool]:
    return {look.job.groups[group].name: found.borrowed for group, found in look.job.counters[rank].items()}


def test_own_entries_tell() -> None:
    look = analysed(FakeJob(8, [WORLD, EXTRA, *TP, *DP], PROGRAM))
    assert names(look, 0) == {"0": False, "2": False, "9": False, "20": False}
    assert names(look, 3) == {"0": False, "10": False, "21": False}


def test_a_rank_without_entries_borrows() -> None:
    """Ranks 0 and 7 are in one group more, so that the same index means another group there."""
    look = analysed(FakeJob(8, [WORLD, EXTRA, *TP, *DP], PROGRAM, rings={3: 0, 7: 0}))
    assert names(look, 3) == {"0": True, "10": True, "21": True}
    assert names(look, 7) == {"0": True, "2": True, "12": True, "21": True}
    for group, found in look.job.counters[7].items():
        assert (look.job.groups[group].name, found.status.enqueued) in {("0", 3), ("2", 3), ("12", 3), ("21", 3)}


def test_hashed_names_are_borrowed_by_description() -> None:
    groups = [WORLD, FakeGroup("f00d", "tp", (0, 1)), FakeGroup("beef", "dp", (0, 1))]
    world = FakeGroup("0", "default_pg", (0, 1))
    look = analysed(FakeJob(2, [world, *groups[1:]], [Call("f00d"), Call("beef"), Call("0")], rings={1: 0}))
    statuses = {look.job.groups[group].name: found.status.enqueued for group, found in look.job.counters[1].items()}
    assert statuses == {"0": 1, "f00d": 1, "beef": 1}


def test_what_cannot_be_told_is_left_out() -> None:
    groups = [FakeGroup("a1", "tp", (0, 1)), FakeGroup("b2", "tp", (0, 1))]
    look = analysed(FakeJob(2, groups, [Call("a1"), Call("b2")], rings={0: 0, 1: 0}))
    assert look.job.counters == {0: {}, 1: {}}
    assert look.positions.at(0, 0) is not None
    assert look.positions.at(0, 0).enqueued is None  # type: ignore[union-attr]
