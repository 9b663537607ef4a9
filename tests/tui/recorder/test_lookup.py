"""Every row of every table is found again by what it is about, whatever kind of call it is."""

from __future__ import annotations

import pytest

from tests.fakes.flight_recorder_jobs import Call, FakeGroup, FakeJob
from tests.tui.recorder_scripts import recorder_job, stuck, train
from xpudbg.services.session import Session
from xpudbg.tui.recorder.facts import facts_of, row_text
from xpudbg.tui.recorder.lookup import count_of, mask_of, table_of
from xpudbg.tui.recorder.spots import Spot
from xpudbg.tui.recorder.view import TABLES, RecorderView, Tab
from xpudbg.tui.stacks.view import StackView

PAIRS = ((0, 1), (1, 0))
WORLD = FakeGroup("0", "default_pg", (0, 1, 2, 3))
JOBS = {
    "stuck": stuck(),
    "gloo": train(4, 3, backend="gloo"),
    "p2p": FakeJob(
        4, [WORLD, FakeGroup("7", "pp", (1, 3))], [Call("7", pairs=PAIRS), Call("0"), Call("7", pairs=PAIRS)]
    ),
    "p2p one by one": FakeJob(4, [WORLD], [Call("0", pairs=PAIRS, batched=False), Call("0")]),
    "coalesced": FakeJob(
        4, [WORLD], [Call("0", "allreduce_coalesced", inner=(("all_reduce", 8), ("all_reduce", 9)))] * 3
    ),
    "frames": train(4, 2, frames=True),
    "wrapped": train(8, 6, rings={1: 3, 2: 0}),
}


def viewed(job: FakeJob) -> tuple[Session, RecorderView]:
    session = Session()
    for event in recorder_job(job, looks=1, stacks=False):
        session.apply(event)
    return session, RecorderView(session)


@pytest.mark.parametrize("tab", TABLES)
@pytest.mark.parametrize("name", JOBS)
def test_row_to_spot_and_back(name: str, tab: Tab) -> None:
    _, view = viewed(JOBS[name])
    view.choose(tab)
    view.update()
    shown = view.shown
    assert shown is not None
    assert len(shown.order) == count_of(shown.made_by.tables, tab) == len(table_of(shown.made_by.tables, tab))
    assert [shown.row_of(shown.spot_of(row)) for row in range(shown.total)] == list(range(shown.total))


@pytest.mark.parametrize("name", JOBS)
def test_the_calls_of_all_collectives_are_all_calls(name: str) -> None:
    _, view = viewed(JOBS[name])
    tables = view.tables()
    assert tables is not None
    of_collectives = 0
    for row in range(len(tables.collectives)):
        view.choose(Tab.COLLECTIVES)
        view.update()
        assert view.shown is not None
        mask = mask_of(tables, Tab.CALLS, view.shown.spot_of(row))
        assert mask.nonzero()[0].tolist() == tables.collectives.calls_of(row).tolist()
        of_collectives += int(mask.sum())
    assert of_collectives == len(tables.calls)


def test_ranks_without_a_seat_have_no_rows() -> None:
    _, view = viewed(JOBS["p2p"])
    tables = view.tables()
    assert tables is not None
    assert not mask_of(tables, Tab.CALLS, Spot(rank=99)).any()
    with pytest.raises(ValueError, match="JSON has no table"):
        table_of(tables, Tab.JSON)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("frames", "stack when the call was made:\n  forward /job/train_0.py:100"),
        ("stuck", "the dump has no frames, and there is no Python stack of rank 0"),
    ],
)
def test_the_stack_of_a_call_and_where_it_is_from(name: str, said: str) -> None:
    session, view = viewed(JOBS[name])
    view.choose(Tab.CALLS)
    view.update()
    assert view.shown is not None
    facts = facts_of(view.shown, 0, session, StackView(session))
    assert said in row_text(facts, view.shown, 0)
