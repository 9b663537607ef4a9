"""Dumps that are not of one moment, or not of one job, make nobody guilty."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fakes.flight_recorder_jobs import START_NS, Call, FakeGroup, FakeJob, Fault
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.analysis import analyse
from xpudbg.services.flight_recorder.decode import decode
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.flight_recorder.dump import Dump
from xpudbg.services.flight_recorder.runs import of_one_run
from xpudbg.services.ranksets import RankSet

from .job_shapes import group_layouts, programs
from .looking import said, the_finding

WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
TP = FakeGroup("1", "tp", (0, 1))


def dumps_of(calls: int, *faults: Fault, ranks: range = range(4), op: str = "all_reduce") -> list[Dump]:
    job = FakeJob(4, [WORLD, TP], [Call("0", op), Call("1")] * calls, faults=faults)
    return [decode(job.as_json(rank), rank) for rank in ranks]


def test_an_older_dump_convicts_nobody() -> None:
    """Rank 3 stops in its seventh call; the file of rank 2 is from the second step."""
    now = dumps_of(9, Fault(3, 6, "stops"))
    look = analyse([*now[:2], *dumps_of(2, ranks=range(2, 3)), now[3]], files=True)
    assert look.aside == RankSet([2])
    diagnosis = diagnose(look)
    finding = next(one for one in diagnosis.findings if one.culprits == RankSet([3]))
    assert said(finding) == ("not_joined", "3", "0-1", "all_reduce", 7)
    assert all(2 not in one.culprits for one in diagnosis.findings)
    (note,) = (note for note in diagnosis.notes if note.startswith("rank 2: "))
    assert note == (
        "rank 2: its dump is older than the others: it ends at #2 of default_pg, and rank 0 has completed #6, in which "
        "it took part; it counts as no dump"
    )


def test_an_older_dump_of_gloo_is_told_by_the_group_of_the_whole_job() -> None:
    """Gloo's dumps say no members; that the default group has all ranks is known all the same."""
    job = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 9, backend="gloo")
    older = FakeJob(3, [FakeGroup("0", "default_pg", (0, 1, 2))], [Call("0")] * 2, backend="gloo")
    dumps = [decode((older if rank == 2 else job).as_json(rank), rank) for rank in range(3)]
    assert analyse(dumps, files=True).aside == RankSet([2])


def test_an_older_dump_of_the_only_suspect_is_no_dump() -> None:
    now = dumps_of(9, Fault(2, 6, "stops"))
    finding = the_finding(diagnose(analyse([*now[:2], *dumps_of(2, ranks=range(2, 3)), now[3]], files=True)))
    assert said(finding)[:2] == ("no_dump", "2")
    assert (finding.confidence, finding.severity) == (Confidence.POSSIBLE, Severity.WARNING)
    assert finding.aside == RankSet([2])


def test_of_two_sides_the_smaller_is_set_aside() -> None:
    before, now = dumps_of(3, Fault(1, 5, "stops")), dumps_of(9)
    look = analyse([*before[:3], now[3]], files=True)
    assert look.aside == RankSet([3])
    assert "newer than the others" in look.job.unreadable[3]


DAY_NS = 86_400 * 10**9


def of_yesterday(stops_at: int, backend: str = "nccl", rank: int = 2, ring: int | None = None) -> Dump:
    """A dump of an earlier run of the same program, in which rank 0 stopped."""
    program = [Call("0"), Call("1")] * 9
    job = FakeJob(
        4,
        [WORLD, TP],
        program,
        backend=backend,
        faults=[Fault(0, stops_at, "stops")],
        start_ns=START_NS - DAY_NS,
        ring=ring,
    )
    return decode(job.as_json(rank), rank)


@pytest.mark.parametrize("backend", ["nccl", "gloo"])
@pytest.mark.parametrize(("stops_at", "ring"), [(6, None), (10, None), (12, None), (18, 2)])
def test_a_dump_of_an_earlier_run_is_told_by_its_times(backend: str, stops_at: int, ring: int | None) -> None:
    """The guilty rank left nothing this time, and a file of yesterday lies where its own would be. It stood before the
    call in which the others hang now, inside it, or was past it, and its ring may have lost that call."""
    job = FakeJob(4, [WORLD, TP], [Call("0"), Call("1")] * 9, backend=backend, faults=[Fault(2, 5, "stops")])
    now = [decode(job.as_json(rank), rank) for rank in (0, 1, 3)]
    look = analyse([*now, of_yesterday(stops_at, backend, ring=ring)], world_size=4, files=True)
    assert look.aside == RankSet([2])
    assert {(one.kind.value, str(one.culprits)) for one in diagnose(look).findings} == {("no_dump", "2")}
    assert "its dump is older than the others: #" in look.job.unreadable[2]
    assert "minutes before another rank had called it" in look.job.unreadable[2]


@pytest.mark.parametrize("layout", [((0, 1), (2, 3)), ((0, 2), (1, 3))])
@pytest.mark.parametrize(("then", "today"), [(3, 5), (5, 3), (6, 6)])
def test_runs_of_a_gloo_job_are_told_by_groups_of_the_same_number(
    layout: tuple[tuple[int, int], tuple[int, int]], then: int, today: int
) -> None:
    """Only subgroups are used, in yesterday's run perhaps of other ranks; its dump of rank 2 lies beside today's."""

    def run(start_ns: int, first: tuple[int, int], second: tuple[int, int], guilty: Fault) -> FakeJob:
        groups = [WORLD, FakeGroup("1", "undefined", first), FakeGroup("2", "undefined", second)]
        return FakeJob(
            4, groups, [Call("1"), Call("2")] * 9, backend="gloo", faults=[guilty], start_ns=start_ns, run_ahead=1
        )

    old = run(START_NS - DAY_NS, *layout, Fault(1, then, "stops"))
    now = run(START_NS, (0, 1), (2, 3), Fault(0, today, "stops"))
    dumps = [decode(now.as_json(rank), rank) for rank in (0, 1, 3)]
    look = analyse([*dumps, decode(old.as_json(2), 2)], world_size=4, files=True)
    assert look.aside == RankSet([2])
    assert said(the_finding(diagnose(look)))[:3] == ("not_joined", "0", "1")


def test_a_dump_of_a_later_run_among_many_is_set_aside() -> None:
    job = FakeJob(4, [WORLD, TP], [Call("0"), Call("1")] * 9, faults=[Fault(2, 5, "stops")], start_ns=START_NS + DAY_NS)
    look = analyse([decode(job.as_json(0), 0), *dumps_of(9, Fault(3, 6, "stops"), ranks=range(1, 4))], files=True)
    assert look.aside == RankSet([0])
    assert "newer than the others: it called #" in look.job.unreadable[0]


@pytest.mark.parametrize("late_s", [0, 300, 540])
def test_clocks_that_differ_by_minutes_set_nobody_aside(late_s: int) -> None:
    now = dumps_of(9, Fault(3, 6, "stops"))
    job = FakeJob(
        4, [WORLD, TP], [Call("0"), Call("1")] * 9, faults=[Fault(3, 6, "stops")], start_ns=START_NS + late_s * 10**9
    )
    look = analyse([*now[:2], *(decode(job.as_json(rank), rank) for rank in (2, 3))], files=True)
    assert look.aside == RankSet()
    assert said(the_finding(diagnose(look)))[:2] == ("not_joined", "3")


def test_clocks_that_count_from_the_start_of_a_host_tell_nothing() -> None:
    jobs = [
        FakeJob(4, [WORLD, TP], [Call("0"), Call("1")] * 9, faults=[Fault(3, 6, "stops")], start_ns=(1 + rank) * DAY_NS)
        for rank in range(4)
    ]
    look = analyse([decode(job.as_json(rank), rank) for rank, job in enumerate(jobs)], files=True)
    assert look.aside == RankSet()


@pytest.mark.parametrize("op", ["broadcast", "gather"])
def test_a_root_may_be_ahead(op: str) -> None:
    """What one rank may end before the others have joined tells nothing about the age of a dump."""
    look = analyse([*dumps_of(9, op=op)[:3], dumps_of(8, op=op)[3]], files=True)
    assert look.aside == RankSet()


def test_live_nobody_is_set_aside() -> None:
    """The dumps of a look are fetched one after the other from a job that may move."""
    assert analyse([*dumps_of(9)[:3], dumps_of(2)[3]]).aside == RankSet()


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_dumps_of_one_moment_do_not_contradict_each_other(data: st.DataObject) -> None:
    world, groups = data.draw(group_layouts())
    kind = data.draw(st.sampled_from(["stops", "device"]))
    job = FakeJob(
        world,
        groups,
        data.draw(programs(groups)),
        backend=data.draw(st.sampled_from(["nccl", "gloo"])),
        faults=[Fault(data.draw(st.integers(0, world - 1)), data.draw(st.integers(0, 8)), kind)],
        run_ahead=data.draw(st.integers(1, 3)),
        ring=data.draw(st.none() | st.integers(1, 9)),
    )
    look = analyse([decode(job.as_json(rank), rank) for rank in range(world)], files=True)
    assert look.aside == RankSet()


def test_everybody_inside_one_call_is_told() -> None:
    """No rank is missing and no device is ahead: what holds them up is not in the dumps."""
    job = FakeJob(4, [WORLD], [Call("0")] * 5, faults=[Fault(rank, 3, "device") for rank in range(4)])
    look = analyse([decode(job.as_json(rank), rank) for rank in range(4)], files=True)
    finding = the_finding(diagnose(look))
    assert said(finding) == ("device_stuck", "", "0-3", "all_reduce", 4)
    assert (finding.severity, finding.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    assert finding.everybody_inside


@pytest.mark.parametrize(("age_s", "stands"), [(20, False), (31, True)])
def test_live_everybody_inside_one_call_is_told_when_it_lasts(age_s: int, stands: bool) -> None:
    job = FakeJob(4, [WORLD], [Call("0")] * 5, faults=[Fault(rank, 3, "device") for rank in range(4)])
    dumps = [decode(job.as_json(rank), rank) for rank in range(4)]
    taken_at = max(int(dump.entries.created.max()) for dump in dumps) + age_s * 1_000_000_000
    look = analyse([replace(dump, taken_at=taken_at) for dump in dumps])
    assert len(diagnose(look, look, live=True).findings) == stands


def test_where_files_of_several_jobs_lie_together_nothing_is_certain() -> None:
    look = analyse(dumps_of(9, Fault(3, 6, "stops")), files=True)
    assert the_finding(diagnose(look)).confidence is Confidence.CERTAIN
    mixed = the_finding(diagnose(look, mixed=RankSet([1])))
    assert mixed.confidence is Confidence.LIKELY
    assert mixed.refutation.endswith("Dumps of several jobs or runs lie together: read those of one alone.")


def test_dumps_of_one_process_go_on_from_each_other() -> None:
    older, newer = dumps_of(3)[0], dumps_of(9)[0]
    assert of_one_run(older, newer)
    assert not of_one_run(newer, older)
    assert not of_one_run(replace(older, host="a"), replace(newer, host="b"))


def test_calls_of_one_number_made_at_two_times_are_of_two_runs() -> None:
    job = FakeJob(4, [WORLD, TP], [Call("0"), Call("1")] * 9, step_ns=5_000_000)
    assert not of_one_run(dumps_of(3)[0], decode(job.as_json(0), 0))


def test_other_members_of_a_group_are_another_run() -> None:
    smaller = FakeJob(4, [WORLD, FakeGroup("1", "tp", (0, 2))], [Call("0")] * 9)
    assert not of_one_run(dumps_of(3)[0], decode(smaller.as_json(0), 0))
