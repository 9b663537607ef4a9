"""What is said to be different between two looks of scripted jobs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.flight_recorder_jobs import Fault
from tests.fakes.look_records import look_records
from tests.tui.counter_scripts import counter_job, trained
from tests.tui.progress_scripts import job_of, mesh, recorder_job
from tests.tui.scripted import NOW, SECOND, look, opened
from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services import events
from xpudbg.services.findings import VerdictValue
from xpudbg.services.looks.difference.difference import difference
from xpudbg.services.looks.difference.values import LookDifference
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import RankAddress, RankClass


def two_looks(
    first: dict[int, str] | None = None, second: dict[int, str] | None = None, *, size: int = 8
) -> list[LookRecord]:
    script: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(size)]
    script += look(1, size, first, at=NOW - 10 * SECOND)
    return look_records([*script, *look(2, size, second)])


def test_a_look_against_itself_has_no_difference() -> None:
    job = job_of(mesh(16), faults=[Fault(9, 6, "stops")])
    for one in look_records(recorder_job([job, job], {3: "stopped"}, texts=hung(16, [9]))):
        made = difference(one, one)
        assert not made.differs
        assert (made.findings.came, made.findings.gone, made.findings.changed) == ((), (), ())
        assert made.findings.same == one.verdict.findings
        assert made.ranks.classes == ()
        assert made.motion is not None
        assert (made.motion.moved, made.motion.back, made.motion.groups) == (RankSet(), RankSet(), ())
        assert made.motion.stood == RankSet.full(16)
        assert made.stacks is not None
        assert (made.stacks.changed, made.stacks.moves) == (RankSet(), ())
        assert made.notes[0] == "both looks are of the same instant"


def test_classes_and_findings_come_and_go() -> None:
    made = difference(*two_looks({3: "stopped"}, {5: "dead"}))
    assert [(one.before, one.after, one.ranks) for one in made.ranks.classes] == [
        (RankClass.STOPPED, RankClass.ALIVE, RankSet([3])),
        (RankClass.ALIVE, RankClass.DEAD, RankSet([5])),
    ]
    assert made.ranks.kept == RankSet([0, 1, 2, 4, 6, 7])
    assert [(one.kind, one.culprits) for one in made.findings.came] == [("dead", RankSet([5]))]
    assert [(one.kind, one.culprits) for one in made.findings.gone] == [("stopped", RankSet([3]))]
    assert made.apart_s == pytest.approx(10)
    assert made.differs


@pytest.mark.parametrize(
    ("first", "second", "differs"),
    [
        ({}, {}, False),
        ({3: "dead"}, {3: "dead"}, False),
        ({3: "dead"}, {}, True),
        ({3: "dead"}, {3: "dead", 4: "dead"}, True),
    ],
    ids=["calm", "as before", "mended", "worse"],
)
def test_what_matters(first: dict[int, str], second: dict[int, str], differs: bool) -> None:
    assert difference(*two_looks(first, second)).differs is differs


def test_that_a_calm_job_is_known_to_move_does_not_matter() -> None:
    before, after = two_looks()
    moving = replace(after, verdict=replace(after.verdict, value=VerdictValue.MOVING))
    made = difference(before, moving)
    assert made.verdict.changed
    assert not made.differs


def test_ranks_come_go_and_change_their_address() -> None:
    (before,) = look_records([opened(4), *look(1, 4, at=NOW - SECOND)])
    script = [opened(6, hosts={2: "spare-1"}), *look(1, 6)]
    (after,) = look_records(script)
    made = difference(before, after)
    assert (made.ranks.came, made.ranks.went, made.ranks.readdressed) == (RankSet([4, 5]), RankSet(), RankSet([2]))
    assert made.notes == (
        "the world size is 4 at the first look and 6 at the second",
        "rank 2 has another address: its process is another one",
    )
    assert difference(after, before).ranks.went == RankSet([4, 5])


def moved_job(rank: int = 9) -> LookDifference:
    """Two steps, then one more that a rank does not make."""
    jobs = [job_of(mesh(16), 2), job_of(mesh(16), 4, [Fault(rank, 6, "stops")])]
    return difference(*look_records(recorder_job(jobs)))


def test_ranks_that_moved_with_their_positions() -> None:
    made = moved_job()
    assert made.motion is not None
    assert made.motion.moved == RankSet.full(16) - RankSet([9])
    assert made.motion.stood == RankSet([9])
    tp = next(one for one in made.motion.groups if one.group.ranks == RankSet([8, 9, 10, 11]))
    assert tp.group.desc == "mesh_tp"
    assert (tp.moved, tp.stood, tp.back) == (RankSet([8, 10, 11]), RankSet([9]), RankSet())
    (step,) = tp.steps
    assert (step.ranks, step.enqueued, step.completed) == (RankSet([8, 10, 11]), (2, 3), (2, 2))
    assert (step.begun, step.ended) == (1, 0)
    held_up = [bool(one.stood) for one in made.motion.groups]
    assert held_up == sorted(held_up, reverse=True)
    assert made.motion.groups_still == 1  # that of all ranks


def test_a_recorder_that_began_anew_has_not_moved() -> None:
    jobs = [job_of(mesh(16), 4), job_of(mesh(16), 2)]
    made = difference(*look_records(recorder_job(jobs)))
    assert made.motion is not None
    assert (made.motion.moved, made.motion.stood, made.motion.back) == (RankSet(), RankSet(), RankSet.full(16))


def test_ranks_whose_process_is_another_one_are_not_compared() -> None:
    before, after = look_records(recorder_job([job_of(mesh(16), 2), job_of(mesh(16), 4)]))
    ranks = dict(after.snapshot.ranks)
    address = ranks[5].address
    elsewhere = RankAddress(5, "http://spare:1", "http://spare:1", "spare")
    ranks[5] = replace(ranks[5], address=elsewhere)
    assert address != elsewhere
    made = difference(before, replace(after, snapshot=replace(after.snapshot, ranks=ranks)))
    assert made.motion is not None
    assert made.motion.moved == RankSet.full(16) - RankSet([5])
    assert 5 not in made.motion.stood | made.motion.back


def test_dumps_that_only_one_look_has() -> None:
    job = job_of(mesh(16), 2)
    (before, _), (_, after) = (look_records(recorder_job([job, job], absent=[rank])) for rank in (3, 4))
    made = difference(before, after)
    assert made.motion is not None
    assert (made.motion.only_before, made.motion.only_after) == (RankSet([4]), RankSet([3]))


def test_stacks_that_changed_are_together_by_where_they_went() -> None:
    (before, _), (_, after) = (look_records(stack_job(8, hung(8, *args))) for args in (([3],), ([4, 5], [7])))
    made = difference(before, after).stacks
    assert made is not None
    assert (made.same, made.changed) == (RankSet([0, 1, 2, 6]), RankSet([3, 4, 5]))
    assert (made.only_before, made.only_after) == (RankSet([7]), RankSet())
    load, wait = "decode (job/decode.py:40)", "flush (job/buckets.py:57)"
    assert [(one.ranks, one.before, one.after, one.line_only) for one in made.moves] == [
        (RankSet([3]), load, wait, False),
        (RankSet([4, 5]), wait, load, False),
    ]


def test_counters_that_ranks_wait_in_now_and_where_the_time_went() -> None:
    said = trained(8, slow=[5])
    said[1] = trained(8, waiting=[2], slow=[5])[1]
    made = difference(*look_records(counter_job(8, said))).counters
    assert made is not None
    assert [(one.name, one.came, one.gone) for one in made.changes] == [("TCPStore__wait", RankSet([2]), RankSet())]
    (rate,) = made.rates
    assert (rate.name, rate.rank) == ("data.next_batch", 5)
    assert rate.share == pytest.approx(100 * 1_900 * 9 / 10e6)
    assert rate.median < 0.05


def test_counters_of_another_process_have_no_rate() -> None:
    said = trained(4)
    said.reverse()
    made = difference(*look_records(counter_job(4, said))).counters
    assert made is not None
    assert (made.rates, made.restarted) == ((), RankSet.full(4))


def test_what_limits_the_comparison_is_said() -> None:
    before, after = two_looks({}, {1: "unreachable"})
    close = replace(after.snapshot, taken_at=before.snapshot.taken_at + SECOND // 2, target="x", partial=True)
    notes = difference(before, replace(after, snapshot=close)).notes
    assert notes == (
        "the looks are 0.50 s apart: even a job that moves seems to stand still",
        "the looks are of different targets: store head-0:29500 and x",
        "the second look is partial: something that should have been read could not be",
    )
    backwards = difference(after, before)
    assert backwards.apart_s < 0
    assert backwards.notes[0].startswith("the second look is 10.0 s older than the first")
    dropped = difference(before, replace(after, dropped=True)).notes
    assert dropped == ("stacks, recorders and counters of the second look were let go of to save memory",)


def test_only_one_look_has_a_recorder() -> None:
    job = job_of(mesh(16), 2)
    (_, recorded) = look_records(recorder_job([job, job]))
    (bare, _) = two_looks(size=16)
    made = difference(bare, recorded)
    assert made.motion is None
    assert "only the second look has a flight recorder: not compared" in made.notes
