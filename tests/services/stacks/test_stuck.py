"""Who is named as stuck, and above all who is not."""

from __future__ import annotations

import pytest

from xpudbg.services.findings import Confidence
from xpudbg.services.ranksets import RankSet
from xpudbg.services.stacks.activity import Activity
from xpudbg.services.stacks.communication import CommunicationKind, SourceLine
from xpudbg.services.stacks.looks import Standing, follow
from xpudbg.services.stacks.model import StackDump, StackSource, ThreadState
from xpudbg.services.stacks.stuck import Doubt, StuckReport, find_stuck

from .building import ALL_REDUCE, BARRIER, LOADER, RECV, dump, frame, main, recorded, thread

Job = dict[int, StackDump]
BACKWARD = ("_engine_run_backward torch/autograd/graph.py:979", "train_step train.py:50", "<module> train.py:300")
IDLE = ("readline notebook.py:1", "<module> train.py:300")
JOIN = ("join lib/threading.py:1119", "train train.py:40", "<module> train.py:300")


def judge(
    *looks: Job,
    stood: RankSet | None = None,
    moved: RankSet | None = None,
    ranks: RankSet | None = None,
    source_line: SourceLine | None = None,
    one_look: bool = False,
) -> StuckReport:
    standings: dict[int, Standing] = {}
    for number, dumps in enumerate(looks, 1):
        standings = follow(standings, dumps, number * 10)
    return find_stuck(
        looks[-1], standings, ranks=ranks, stood=stood, moved=moved, source_line=source_line, one_look=one_look
    )


def twice(job: Job, *, stood: bool = True, source_line: SourceLine | None = None) -> StuckReport:
    """Two looks that are alike; other sources know that nothing was completed between them, or know nothing."""
    return judge(job, job, stood=RankSet(job) if stood else None, source_line=source_line)


def others_wait(*odd: str, world: int = 8, rank: int = 5) -> Job:
    job = {number: main(*ALL_REDUCE) for number in range(world)}
    job[rank] = main(*odd)
    return job


def test_the_only_look_tells_who_is_elsewhere_with_that_doubt() -> None:
    assert not judge(others_wait(*LOADER)).stuck
    (stuck,) = judge(others_wait(*LOADER), one_look=True).stuck
    assert (stuck.ranks, stuck.confidence) == (RankSet([5]), Confidence.POSSIBLE)
    assert stuck.doubts == {Doubt.ONE_LOOK, Doubt.PROGRESS_UNKNOWN}


def test_a_rank_in_its_loader_while_the_others_wait() -> None:
    report = twice(others_wait(*LOADER))
    (stuck,) = report.stuck
    assert (stuck.ranks, stuck.where, stuck.confidence) == (RankSet([5]), frame(LOADER[0]), Confidence.LIKELY)
    assert (stuck.doubts, stuck.since, stuck.looks, stuck.activity) == (frozenset(), 10, 2, Activity.OWN_CODE)
    assert stuck.c_unseen
    (waiting,) = report.waiting
    assert (waiting.kind, waiting.function, waiting.sure) == (CommunicationKind.COLLECTIVE, "all_reduce", True)
    assert waiting.site == frame("train_step train.py:211")
    assert report.waiting_ranks == RankSet(range(8)) - RankSet([5])
    assert report.ranks == RankSet([5])
    assert (report.ambiguous, report.unknown, report.moving, report.receiving) == (RankSet(), RankSet(), RankSet(), ())


def test_stacks_alone_allow_for_a_slow_job_and_are_no_more_than_a_hint() -> None:
    (stuck,) = twice(others_wait(*LOADER), stood=False).stuck
    assert (stuck.confidence, stuck.doubts) == (Confidence.POSSIBLE, frozenset((Doubt.PROGRESS_UNKNOWN,)))
    job = others_wait(*LOADER)
    (partly,) = judge(job, job, stood=RankSet([0, 1])).stuck
    assert partly.doubts == frozenset((Doubt.PROGRESS_UNKNOWN,))


def test_one_look_names_nobody() -> None:
    report = judge(others_wait(*LOADER), stood=RankSet(range(8)))
    assert (report.stuck, report.waiting) == ((), ())
    assert report.unknown == RankSet(range(8))


@pytest.mark.parametrize("place", [ALL_REDUCE, LOADER, IDLE, BACKWARD])
def test_ranks_that_are_all_alike_say_nothing(place: tuple[str, ...]) -> None:
    assert twice({rank: main(*place) for rank in range(8)}).stuck == ()


def test_an_idle_job_with_different_places_says_nothing() -> None:
    report = twice({0: main(*IDLE), 1: main(*LOADER), 2: main(*JOIN)})
    assert (report.stuck, report.waiting) == ((), ())


@pytest.mark.parametrize("rank", [0, 5])
def test_a_rank_that_completed_something_means_that_the_job_moves(rank: int) -> None:
    job = others_wait(*LOADER)
    report = judge(job, job, moved=RankSet([rank]))
    assert report.stuck == ()
    assert report.moving == RankSet([rank])


def test_a_waiting_rank_that_moved_means_that_the_job_moves() -> None:
    first = others_wait(*LOADER)
    first[2] = main(*BARRIER)
    report = judge(first, others_wait(*LOADER), stood=RankSet(range(8)))
    assert report.stuck == ()
    assert report.moving == RankSet([2])
    assert 2 not in report.waiting_ranks


def test_a_healthy_job_caught_while_it_moves() -> None:
    first = others_wait("forward model.py:3", "train_step train.py:210", "<module> train.py:300", rank=1)
    second = others_wait("forward model.py:9", "train_step train.py:210", "<module> train.py:300", rank=1)
    third = others_wait("step optim.py:9", "train_step train.py:214", "<module> train.py:300", rank=1)
    for latest in (second, third):
        assert judge(first, latest).stuck == ()
        assert judge(first, latest, moved=RankSet([0])).stuck == ()


@pytest.mark.parametrize(
    "latest", [("spin busy.py:8", *LOADER[1:]), ("other busy.py:1", "deeper busy.py:2", *LOADER[1:])]
)
def test_a_rank_that_works_is_named_only_when_the_others_are_known_to_stand(latest: tuple[str, ...]) -> None:
    first, second = others_wait("spin busy.py:7", *LOADER[1:]), others_wait(*latest)
    (stuck,) = judge(first, second, stood=RankSet(range(8)) - RankSet([5])).stuck
    assert (stuck.ranks, stuck.confidence, stuck.doubts) == (
        RankSet([5]),
        Confidence.POSSIBLE,
        frozenset((Doubt.LINES_CHANGE,)),
    )
    assert judge(first, second).stuck == ()


@pytest.mark.parametrize(
    "broken", [StackDump(StackSource.FAULTHANDLER), dump(thread(*LOADER), cut=True), dump(thread(frames=()))]
)
def test_a_rank_whose_dump_is_missing_or_cut_is_unknown_not_stuck(broken: StackDump) -> None:
    job = {**others_wait(*ALL_REDUCE), 3: broken}
    report = twice(job)
    assert report.stuck == ()
    assert report.unknown == RankSet([3])
    late = judge({**job, 3: broken}, {**job, 3: main(*LOADER)}, stood=RankSet(job))
    assert (late.stuck, late.unknown) == ((), RankSet([3]))


def test_ranks_without_a_dump_are_unknown() -> None:
    job = {0: main(*ALL_REDUCE), 1: main(*LOADER)}
    report = judge(job, job, ranks=RankSet(range(4)), stood=RankSet(range(4)))
    assert report.unknown == RankSet([2, 3])
    assert report.ranks == RankSet([1])


def test_a_helper_thread_in_a_collective_does_not_make_its_rank_wait() -> None:
    helper = thread(*BARRIER, "run lib/threading.py:982")
    training = {rank: dump(helper, thread(*LOADER)) for rank in range(4)}
    assert twice(training).waiting == ()
    assert twice(training).stuck == ()
    one_outside = {**{rank: dump(helper, thread(*ALL_REDUCE)) for rank in range(4)}, 2: dump(helper, thread(*LOADER))}
    (stuck,) = twice(one_outside).stuck
    assert (stuck.ranks, stuck.confidence, stuck.doubts) == (
        RankSet([2]),
        Confidence.POSSIBLE,
        frozenset((Doubt.HELPER_INSIDE,)),
    )


def test_a_main_thread_that_waits_for_its_own_thread_in_a_collective_may_be_waiting() -> None:
    inside = dump(thread(*BARRIER), thread(*JOIN))
    report = twice({**others_wait(*LOADER), 3: inside})
    assert report.ranks == RankSet([5])
    assert report.ambiguous == RankSet([3])
    through_threads = twice({0: inside, 1: inside, 2: main(*LOADER)})
    (stuck,) = through_threads.stuck
    assert (stuck.ranks, stuck.doubts) == (RankSet([2]), frozenset((Doubt.WAITS_HIDDEN,)))
    assert not through_threads.waiting[0].sure


def test_a_loader_that_waits_for_its_workers_is_what_the_others_wait_for() -> None:
    report = twice({0: recorded("jobs/loader_0.faulthandler.txt"), 1: recorded("jobs/loader_1.faulthandler.txt")})
    (stuck,) = report.stuck
    assert (stuck.ranks, stuck.activity, stuck.confidence) == (RankSet([1]), Activity.DATA_LOADING, Confidence.LIKELY)
    assert stuck.where is not None
    assert stuck.where.line == 97


def test_a_rank_that_saves_a_checkpoint_while_the_others_are_at_a_barrier() -> None:
    report = twice({0: recorded("jobs/save_0.faulthandler.txt"), 1: recorded("jobs/save_1.faulthandler.txt")})
    (stuck,) = report.stuck
    assert (stuck.ranks, stuck.activity) == (RankSet([0]), Activity.CHECKPOINT)
    assert report.waiting[0].function == "barrier"


def test_ddp_waits_in_backward_are_only_allowed_for_by_python_and_shown_by_native_frames() -> None:
    python = twice({0: recorded("jobs/ddp_0.faulthandler.txt"), 1: recorded("jobs/ddp_1.faulthandler.txt")})
    (stuck,) = python.stuck
    assert (stuck.ranks, stuck.confidence, stuck.doubts) == (
        RankSet([1]),
        Confidence.POSSIBLE,
        frozenset((Doubt.WAITS_HIDDEN,)),
    )
    native = twice({0: recorded("jobs/ddp_0.pyspy.txt"), 1: recorded("jobs/ddp_1.faulthandler.txt")})
    (stuck,) = native.stuck
    assert (stuck.ranks, stuck.confidence) == (RankSet([1]), Confidence.LIKELY)


def test_a_rank_in_backward_beside_ranks_that_surely_wait_is_ambiguous() -> None:
    report = twice(others_wait(*BACKWARD))
    assert report.stuck == ()
    assert report.ambiguous == RankSet([5])


def test_a_rank_that_holds_the_gil_is_not_in_a_hidden_wait() -> None:
    job = others_wait(*ALL_REDUCE)
    job[5] = dump(thread(*BACKWARD, gil=True, state=ThreadState.ACTIVE), source=StackSource.PYSPY)
    (stuck,) = twice(job).stuck
    assert (stuck.ranks, stuck.holds_gil, stuck.c_unseen) == (RankSet([5]), True, False)


def test_a_rank_at_the_very_line_where_the_others_call_is_ambiguous() -> None:
    report = twice(others_wait(*ALL_REDUCE[2:]))
    assert report.stuck == ()
    assert report.ambiguous == RankSet([5])


def test_a_wait_for_earlier_work_is_seen_in_the_source_or_in_native_frames() -> None:
    job = others_wait("train_step train.py:230", "<module> train.py:300")
    assert twice(job).ranks == RankSet([5])
    with_source = twice(job, source_line=lambda _file, line: "handle.wait()" if line == 230 else "pass")
    assert (with_source.stuck, with_source.ambiguous) == ((), RankSet([5]))
    with_native = twice({0: recorded("jobs/async_0.pyspy.txt"), 1: recorded("jobs/all_reduce_0.faulthandler.txt")})
    assert with_native.stuck == ()
    assert len(with_native.waiting_ranks) == 2


def test_a_receive_without_a_send_is_told_with_the_sender_unknown() -> None:
    report = twice({0: recorded("jobs/recv_0.faulthandler.txt"), 1: recorded("jobs/recv_1.faulthandler.txt")})
    (receiving,) = report.receiving
    assert (receiving.ranks, receiving.function) == (RankSet([0]), "recv")
    assert report.ranks == RankSet([1])
    all_inside = twice({0: main(*RECV), 1: main(*ALL_REDUCE), 2: main(*ALL_REDUCE)})
    assert all_inside.stuck == ()
    assert [one.ranks for one in all_inside.receiving] == [RankSet([0])]
    assert [one.function for one in all_inside.waiting] == ["all_reduce", "recv"]


def test_one_receives_while_most_are_at_rest_accuses_nobody() -> None:
    job = {rank: main(*LOADER) for rank in range(4)}
    job[1] = main(*RECV)
    report = twice(job)
    assert report.stuck == ()
    assert [one.ranks for one in report.receiving] == [RankSet([1])]
    most_receive = twice({rank: main(*(LOADER if rank in (0, 4) else RECV)) for rank in range(8)})
    assert most_receive.ranks == RankSet([0, 4])


def test_most_ranks_outside_leave_it_open_who_is_wrong() -> None:
    job = {rank: main(*LOADER) for rank in range(8)}
    job[0] = main(*BARRIER)
    (stuck,) = twice(job).stuck
    assert (stuck.ranks, stuck.doubts) == (RankSet(range(1, 8)), frozenset((Doubt.MOST_OUTSIDE,)))


def test_several_places_come_odd_ones_first() -> None:
    job = {rank: main(*ALL_REDUCE) for rank in range(10)}
    job[2] = job[3] = main(*LOADER)
    job[7] = main("load weights.py:1", "<module> train.py:20")
    report = twice(job)
    assert [str(one.ranks) for one in report.stuck] == ["7", "2-3"]
    assert report.ranks == RankSet([2, 3, 7])


def test_a_busy_rank_names_the_time_since_it_is_in_its_function() -> None:
    looks = [others_wait(f"spin busy.py:{line}", *LOADER[1:]) for line in (1, 2, 3)]
    (stuck,) = judge(*looks, stood=RankSet(range(8))).stuck
    assert (stuck.since, stuck.looks) == (10, 3)


def test_pyspy_and_faulthandler_dumps_are_judged_together() -> None:
    job = {0: recorded("jobs/loader_0.faulthandler.txt"), 1: recorded("jobs/loader_1.pyspy.txt")}
    (stuck,) = twice(job).stuck
    assert (stuck.ranks, stuck.activity, stuck.c_unseen) == (RankSet([1]), Activity.DATA_LOADING, False)


def test_no_dumps_no_report() -> None:
    assert find_stuck({}, {}) == StuckReport()
