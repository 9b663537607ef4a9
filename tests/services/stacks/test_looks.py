from __future__ import annotations

from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.looks import Change, Standing, follow, standing_of
from xpudbg.services.stacks.model import StackDump, StackSource

from .building import ALL_REDUCE, LOADER, dump, main, recorded, thread


def over(*looks: StackDump | None) -> Standing:
    """Rank 0 after these looks, taken at 10, 20, 30..."""
    standings: dict[int, Standing] = {}
    for number, one in enumerate(looks, 1):
        standings = follow(standings, {} if one is None else {0: one}, number * 10)
    return standings[0]


def line(number: int) -> StackDump:
    return main(f"busy work.py:{number}", "<module> train.py:300")


def test_a_rank_that_stays_keeps_the_time_of_its_first_look_there() -> None:
    assert over(main(*ALL_REDUCE)).change is Change.FIRST
    stays = over(main(*LOADER), main(*ALL_REDUCE), main(*ALL_REDUCE), main(*ALL_REDUCE))
    assert (stays.change, stays.since, stays.looks, stays.seen_at) == (Change.SAME, 20, 3, 40)


def test_a_rank_that_moves_begins_anew() -> None:
    moved = over(main(*ALL_REDUCE), main(*ALL_REDUCE), main(*LOADER))
    assert (moved.change, moved.since, moved.looks, moved.function_since) == (Change.MOVED, 30, 1, 30)


def test_another_line_in_the_innermost_function_is_told_apart() -> None:
    busy = over(line(1), line(2), line(3))
    assert (busy.change, busy.since, busy.looks) == (Change.LINE, 30, 1)
    assert (busy.function_since, busy.function_looks) == (10, 3)
    still = over(line(1), line(2), line(2))
    assert (still.change, still.since, still.looks, still.function_since) == (Change.SAME, 20, 2, 10)


def test_another_line_further_out_is_a_move() -> None:
    one, other = main("f a.py:1", "g a.py:2"), main("f a.py:1", "g a.py:3")
    assert over(one, other).change is Change.MOVED
    assert over(main("f a.py:1"), main("f b.py:2")).change is Change.MOVED
    assert over(main("f a.py:1"), main("g a.py:1")).change is Change.MOVED


def test_a_look_without_the_rank_keeps_what_was_known() -> None:
    for missing in (None, dump(thread(*LOADER), cut=True), StackDump(StackSource.FAULTHANDLER)):
        unseen = over(main(*ALL_REDUCE), missing)
        assert (unseen.change, unseen.since, unseen.looks, unseen.seen_at) == (Change.UNSEEN, 10, 1, 10)
        back = over(main(*ALL_REDUCE), missing, main(*ALL_REDUCE))
        assert (back.change, back.since, back.looks, back.seen_at) == (Change.SAME, 10, 2, 30)


def test_a_change_of_the_source_is_no_move() -> None:
    same = over(recorded("jobs/ddp_0.faulthandler.txt"), recorded("jobs/ddp_0.pyspy.txt"))
    assert same.change is Change.SAME


def test_the_ranks_of_a_class_are_summed_up() -> None:
    standings = follow({}, {0: main(*ALL_REDUCE), 1: main(*ALL_REDUCE), 2: main(*LOADER)}, 10)
    standings = follow(standings, {0: main(*ALL_REDUCE), 1: main(*ALL_REDUCE), 2: main(*ALL_REDUCE)}, 20)
    standings = follow(standings, {rank: main(*ALL_REDUCE) for rank in range(4)}, 30)
    summed = standing_of(RankSet(range(5)), standings)
    assert (summed.same, summed.moved, summed.new, summed.since) == (RankSet([0, 1, 2]), RankSet(), RankSet([3]), 20)
    assert standing_of(RankSet([9]), standings).since is None
