"""The list of places."""

from __future__ import annotations

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed
from tests.tui.scripted import NOW, SECOND
from tests.tui.stack_scripts import hung, stack_job
from xpudbg.services.flight_recorder.diagnosis import diagnose
from xpudbg.services.judging.pending_calls import PendingCalls
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.ranksets import RankSet
from xpudbg.services.session import Session
from xpudbg.services.stacks.looks import ClassStanding
from xpudbg.services.stacks.tree import ThreadChoice, merge
from xpudbg.tui.stacks.entries import EntryRows, entries, standing_text

NOBODY = RankSet()


def stacks_of(size: int, *, gone: tuple[int, ...] = ()) -> Session:
    session = Session()
    script = stack_job(size, hung(size, loading=[2], gone=gone), dict.fromkeys(gone, "dead"))
    for event in script:
        session.apply(event)
    return session


def test_fewest_ranks_first_with_those_that_have_no_stack() -> None:
    session = stacks_of(9, gone=(4, 5))
    found = entries(session.stacks.merged, session.stacks.missing, session.all_ranks, searched=False)
    assert [str(entry.ranks) for entry in found] == ["2", "4-5", "0-1,3,6-8"]
    assert found[1].reason == "ping: connection refused"
    assert found[1].stack is None
    rows = EntryRows(found, ThreadChoice.MAIN, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    assert [rows.cell(1, column)[0] for column in range(4)] == ["2", "4-5", "", "no stack: ping: connection refused"]
    assert rows.cell(2, 3)[0] == "flush buckets.py:57 > all_reduce"


def test_the_accused_stands_before_those_without_a_stack() -> None:
    session = stacks_of(9, gone=(1,))
    found = entries(
        session.stacks.merged, session.stacks.missing, session.all_ranks, searched=False, culprits=RankSet([2])
    )
    assert [str(entry.ranks) for entry in found] == ["2", "1", "0,3-8"]
    assert [str(entry.accused) for entry in found] == ["2", "", ""]
    rows = EntryRows(found, ThreadChoice.MAIN, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    assert [rows.cell(row, 1)[0] for row in range(3)] == ["! 2", "1", "0,3-8"]
    found = entries(
        session.stacks.merged, session.stacks.missing, session.all_ranks, searched=False, culprits=RankSet([8])
    )
    assert str(found[0].ranks) == "0,3-8"
    rows = EntryRows(found, ThreadChoice.MAIN, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    assert rows.cell(0, 1)[0] == "0,3-8", "not all of them are accused"


def test_a_search_leaves_out_what_has_no_frames() -> None:
    session = stacks_of(9, gone=(4, 5))
    found = entries(session.stacks.merged, session.stacks.missing, session.all_ranks, searched=True)
    assert all(entry.stack is not None for entry in found)


def test_a_main_thread_that_is_not_in_the_dump_is_told() -> None:
    session = stacks_of(3)
    cut = {rank: type(dump)(dump.source, dump.threads[:1]) for rank, dump in session.stacks.dumps.items()}
    found = entries(merge(cut), {}, session.all_ranks, searched=False)
    assert [entry.reason for entry in found] == ["the main thread is not in the dump"]


def test_all_threads_are_counted() -> None:
    session = stacks_of(4)
    merged = merge(session.stacks.dumps, threads=ThreadChoice.ALL)
    found = entries(merged, {}, session.all_ranks, searched=False)
    rows = EntryRows(found, ThreadChoice.ALL, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    said = [[rows.cell(row, column)[0] for column in range(4)] for row in range(len(found))]
    assert ["4", "0-3", "4", "pin_memory pin.py:9"] in said


def test_standings_in_words() -> None:
    same, moved = RankSet([1, 2]), RankSet([3])
    then = NOW - 12 * SECOND
    assert standing_text(ClassStanding(same, NOBODY, NOBODY, then), NOW) == "12 s"
    assert standing_text(ClassStanding(NOBODY, moved, NOBODY, None), NOW) == "moving"
    assert standing_text(ClassStanding(same, moved, NOBODY, then), NOW) == "1 moving, 2 not"
    assert standing_text(ClassStanding(NOBODY, NOBODY, same, None), NOW) == "seen once"
    assert standing_text(ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW) == ""


def test_equal_stacks_in_different_calls_are_places_of_their_own() -> None:
    session = stacks_of(6)  # all wait at one line, but 2 loads data
    world, pair = FakeGroup("0", "default_pg", (0, 1, 2, 3)), FakeGroup("1", "tp", (2, 3))
    job = FakeJob(4, [world, pair], [Call("1"), Call("0")] * 2, faults=[Fault(3, 2, "stops")])
    calls = PendingCalls(RecorderLook(1, {"nccl": diagnose(analysed(job))}))
    found = entries(session.stacks.merged, {}, session.all_ranks, searched=False, calls=calls)
    assert [(str(entry.ranks), str(entry.call)) for entry in found] == [
        ("2", "all_reduce #2 of tp"),
        ("3", "not in a call"),
        ("0-1", "all_reduce #2 of default_pg"),
        ("4-5", "no dump"),
    ]
    assert len({entry.stack for entry in found}) == 2
    rows = EntryRows(found, ThreadChoice.MAIN, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    assert [column.key for column in rows.columns] == ["count", "ranks", "since", "call", "where"]
    assert [rows.cell(row, 3) for row in (1, 2)] == [
        ("not in a call", "table--muted"),
        ("all_reduce #2 of default_pg", ""),
    ]


def test_without_a_flight_recorder_there_is_no_column_for_calls() -> None:
    session = stacks_of(4)
    found = entries(session.stacks.merged, {}, session.all_ranks, searched=False, calls=PendingCalls(session.recorder))
    assert [entry.call for entry in found] == [None, None]
    rows = EntryRows(found, ThreadChoice.MAIN, lambda _: ClassStanding(NOBODY, NOBODY, NOBODY, None), NOW)
    assert "call" not in [column.key for column in rows.columns]
