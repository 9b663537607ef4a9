"""What classes and stacks say of a rank that a recorder names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.stack_scripts import LOAD, TRAIN, hung, stack_job, traceback
from xpudbg.services.session import Session
from xpudbg.services.snapshot import RankClass
from xpudbg.services.witness import UNSEEN, Witness


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
