"""What classes and stacks say of a rank that a recorder names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob, Fault
from tests.services.flight_recorder.looking import analysed, the_finding
from tests.tui.stack_scripts import LOAD, TRAIN, hung, stack_job, traceback
from xpudbg.services.findings import Confidence, Severity
from xpudbg.services.flight_recorder.diagnosis import PATIENCE_S, diagnose
from xpudbg.services.judging.witness import UNSEEN, Witness
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankClass


def seen(looks: int) -> Session:
    """Rank 2 loads data, 4 is gone, the others wait in a collective."""
    session = Session()
    for event in stack_job(5, hung(5, loading=[2], gone=[4]), {4: "dead"}, looks=looks):
        session.apply(event)
    return session


def test_a_rank_stands_where_two_looks_see_it_at_one_place_outside_communication() -> None:
    session = seen(2)
    beside = Witness(session.ranks, session.stacks)
    assert [beside.waits(rank) for rank in range(5)] == [True, True, False, True, False]
    assert [beside.stands(rank) for rank in range(5)] == [False, False, True, False, True]


def test_one_look_does_not_tell_a_rank_that_stands_from_one_that_passes() -> None:
    session = seen(1)
    assert [Witness(session.ranks, session.stacks).stands(rank) for rank in (0, 2, 4)] == [False, False, True]


@pytest.mark.parametrize(("confirmed", "stands"), [(1, False), (2, True)])
def test_a_held_gil_counts_when_it_lasts(confirmed: int, stands: bool) -> None:
    state = replace(seen(1).ranks[0], rank_class=RankClass.GIL_HELD, confirmed=confirmed)
    assert Witness({0: state}).stands(0) is stands


def test_without_anything_nothing_is_known() -> None:
    assert not UNSEEN.waits(0)
    assert not UNSEEN.stands(0)


def test_a_rank_that_compiles_at_one_place_does_not_stand_still() -> None:
    session = Session()
    compiling = traceback(("run /venv/lib/python3.11/site-packages/torch/_inductor/compile_fx.py:9", *TRAIN))
    for event in stack_job(2, {0: compiling, 1: traceback(LOAD)}):
        session.apply(event)
    beside = Witness(session.ranks, session.stacks)
    assert [beside.stands(rank) for rank in (0, 1)] == [False, True]


PAIR = FakeJob(2, [FakeGroup("0", "default_pg", (0, 1))], [Call("0")] * 2, faults=[Fault(0, 1, "stops")])
SAVE = ("save /venv/lib/python3.11/site-packages/torch/serialization.py:9", *TRAIN)
IMPORTED = ("<module> /job/tokenizer.py:3", "_call_with_frames_removed IMPORTLIB:241", *TRAIN)


@pytest.mark.parametrize(
    ("frames", "waited_s", "excused"),
    [(SAVE, 20.0, True), (IMPORTED, 20.0, True), (LOAD, 20.0, False), (SAVE, PATIENCE_S, False)],
)
def test_a_checkpoint_an_import_and_a_compilation_excuse_a_rank_for_some_time(
    frames: tuple[str, ...], waited_s: float, excused: bool
) -> None:
    session = Session()
    text = traceback(frames).replace("IMPORTLIB", "<frozen importlib._bootstrap>")
    for event in stack_job(2, {0: text, 1: traceback(LOAD)}):
        session.apply(event)
    one = replace(the_finding(diagnose(analysed(PAIR))), waited_s=waited_s)
    beside = Witness(session.ranks, session.stacks)
    assert beside.excuses(one) is excused
    weighed = beside.weighed(one)
    if frames is SAVE:
        assert (weighed.severity, weighed.confidence) == (Severity.WARNING, Confidence.POSSIBLE)
    else:
        assert weighed is one or frames is IMPORTED
    stopped = replace(session.ranks[0], rank_class=RankClass.STOPPED)
    assert not Witness({0: stopped}, session.stacks).excuses(one)
    assert not UNSEEN.excuses(one)
