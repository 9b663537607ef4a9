"""The watchdog's lines of all ranks put side by side."""

from __future__ import annotations

from tests.services.artifacts.log_texts import signal, status, timeout
from xpudbg.services.artifacts.watchdog import WatchdogLine, joined, read_watchdog_line
from xpudbg.services.judging.watchdog_groups import TimedOutGroup, one_episode, timed_out_groups
from xpudbg.services.ranksets import RankSet

WRITTEN = 1_767_225_600_000_000_000


def lines(*texts: str) -> list[WatchdogLine]:
    read = [read_watchdog_line(text.encode(), "log", at, written_at=WRITTEN) for at, text in enumerate(texts, 1)]
    by_rank: dict[int | None, list[WatchdogLine]] = {}
    for line in read:
        assert line is not None
        by_rank.setdefault(line.rank, []).append(line)
    return [line for some in by_rank.values() for line in joined(some)]


def group(*texts: str) -> TimedOutGroup:
    (found,) = timed_out_groups(lines(*texts))
    return found


def test_who_is_inside_behind_and_done() -> None:
    found = group(
        timeout(0), status(0), signal(1, 310, 310), signal(2, 311, 310), signal(3, 315, 314), signal(4, -1, -1)
    )
    assert (found.seq, found.default, found.shared, found.comparable) == (311, True, True, True)
    assert found.inside == RankSet([0, 2])
    assert found.behind == RankSet([1, 4])
    assert found.done == RankSet([3])
    assert found.ranks == RankSet(range(5))


def test_the_last_word_of_a_rank_counts_and_its_own_goes_before_a_report() -> None:
    report = "[rank0]: [1, 2] finished collective #300, but didn't join collective #301"
    found = group(timeout(0), report, status(0), signal(1, 310, 310), signal(1, 311, 310))
    assert {rank: number for rank, (number, _) in found.enqueued.items()} == {0: 312, 1: 311, 2: 300}
    assert found.behind == RankSet([2])


def test_ranks_of_a_report_on_another_group_are_known_only_by_their_own_lines() -> None:
    tp = "ID 2 PG GUID 5(tp)"
    report = "[rank4]: [1, 3] finished collective #300, but didn't join collective #301"
    other = (
        status(6, group=tp).replace("Rank 6", "Rank 1").replace("last enqueued work: 312", "last enqueued work: 300")
    )
    found = group(timeout(4, within=0), report, status(4, group=tp).replace("Rank 4]", "Rank 0]"), other)
    assert found.id == "5"
    assert found.behind == RankSet([6])


def test_groups_that_may_be_several_are_not_compared() -> None:
    old = group(timeout(0), status(0).replace("PG ID 0 PG GUID 0(default_pg)", "PG 1"), signal(1, 3, 3))
    assert (old.id, old.shared, old.comparable, old.behind) == ("1", False, False, RankSet())
    assert not group(timeout(0, op="COALESCED"), status(0)).comparable


def test_the_first_call_that_hung_counts() -> None:
    found = group(timeout(0, 312), status(0, 312), timeout(1, 311), status(1, 311), timeout(1, 312), status(1, 312))
    assert (found.seq, set(found.timeouts), set(found.later)) == (311, {1}, {0})


def test_attempts_before_the_last_one_are_left_out() -> None:
    first = [timeout(0, 7, clock="09:00:00"), timeout(1, 7, clock="09:00:01")]
    last = [timeout(0, 9, clock="10:00:00"), timeout(1, 9, clock="10:00:01"), timeout(None, 3)]
    kept = one_episode([line for text in first + last for line in lines(text)])
    assert [line.seq for line in kept] == [9, 9, 3]
    assert one_episode([]) == []
