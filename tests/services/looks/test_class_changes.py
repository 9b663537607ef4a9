"""What changed between two rank tables."""

from __future__ import annotations

from xpudbg.services.looks.class_changes import Change, class_changes
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass, RankState


def table(*classes: RankClass) -> dict[int, RankState]:
    return {rank: RankState(rank, RankAddress(rank, "", "", ""), kind) for rank, kind in enumerate(classes)}


def test_ranks_that_went_the_same_way_stand_together_the_fewest_first() -> None:
    before = table(*[RankClass.ALIVE] * 6)
    after = table(*[RankClass.DEAD] * 3, RankClass.ALIVE, RankClass.STOPPED, RankClass.ALIVE, RankClass.UNKNOWN)
    assert class_changes(before, after) == (
        Change(RankClass.ALIVE, RankClass.STOPPED, RankSet([4])),
        Change(None, RankClass.UNKNOWN, RankSet([6])),
        Change(RankClass.ALIVE, RankClass.DEAD, RankSet([0, 1, 2])),
    )


def test_nothing_changed() -> None:
    assert class_changes(table(RankClass.ALIVE), table(RankClass.ALIVE)) == ()
