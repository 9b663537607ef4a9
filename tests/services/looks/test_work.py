"""Older looks on the engine: analysed again, and their bodies moved out of the memory."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.tui.time_scripts import standing_job
from xpudbg.services import events
from xpudbg.services.engine import Engine
from xpudbg.services.looks.work import LookWork, analysed_again, packed
from xpudbg.services.session import Session
from xpudbg.services.spool import PACK_LEAST, Body, Spool

if TYPE_CHECKING:
    from pathlib import Path

    from xpudbg.services.looks.record import LookRecord
    from xpudbg.services.snapshot import Snapshot


@pytest.fixture(scope="module")
def session() -> Session:
    made = Session()
    for event in standing_job():
        made.apply(event)
    return made


def kept(session: Session, look_id: int) -> LookRecord:
    record = session.book.get(look_id)
    assert record is not None
    return record


def without_disk(look: Snapshot, folder: Path) -> Snapshot:
    """The look, its tracebacks in a file that is gone."""
    gone = Body(100, path=folder / "gone")
    replies = {
        key: replace(reply, body=gone) if key[1] == "dump_traceback" else reply for key, reply in look.replies.items()
    }
    return replace(look, replies=replies)


@pytest.mark.parametrize("look_id", [2, 3, 4])
def test_analyses_made_again_say_what_they_said(session: Session, look_id: int) -> None:
    before, now = kept(session, look_id - 1), kept(session, look_id)
    again = analysed_again(now.snapshot, before.snapshot)
    assert again.recorder.look_id == look_id
    assert (again.recorder.moved, again.recorder.stood) == (now.recorder.moved, now.recorder.stood)
    assert again.recorder.not_joined == now.recorder.not_joined
    assert again.stacks.dumps == now.stacks.dumps
    changes = [{rank: one.change for rank, one in look.stacks.standings.items()} for look in (again, now)]
    assert changes[0] == changes[1]
    assert again.counters.before_id == look_id - 1
    assert again.counters.ranks == now.counters.ranks


def test_the_engine_analyses_again_and_packs(session: Session, tmp_path: Path) -> None:
    one, two = kept(session, 1).snapshot, kept(session, 2).snapshot
    with Engine(spool=Spool(tmp_path)) as engine:
        engine.analyse_again(two, one)
        again = engine.events.get(timeout=20)
        assert isinstance(again, events.AnalysedAgain)
        assert again.found is not None
        assert (again.look_id, again.taken_at, again.found.stacks.look_id) == (2, two.taken_at, 2)
        engine.pack(one)
        moved = engine.events.get(timeout=20)
        assert isinstance(moved, events.LookPacked)
        assert {key: reply.body.read() for key, reply in moved.replies.items()} == {
            key: reply.body.read() for key, reply in one.replies.items()
        }
        large = [reply.body for reply in moved.replies.values() if reply.body.size >= PACK_LEAST]
        assert large
        assert {body.inline for body in large} == {None}
        assert len(list(next(tmp_path.iterdir()).iterdir())) == 1
        engine.analyse_again(without_disk(two, tmp_path), one)
        failed = engine.events.get(timeout=20)
        assert isinstance(failed, events.AnalysedAgain)
        assert (failed.found, failed.failure) == (None, "a reply is no longer there (No such file or directory)")


def test_a_packed_look_is_analysed_as_before(session: Session, tmp_path: Path) -> None:
    spool, look = Spool(tmp_path), kept(session, 2).snapshot
    moved = replace(look, replies=packed(look, spool))
    assert moved.memory() < look.memory()
    assert analysed_again(moved, None).stacks.dumps == kept(session, 2).stacks.dumps
    spool.close()


def test_a_full_disk_leaves_the_bodies_where_they_are(session: Session, tmp_path: Path) -> None:
    look = kept(session, 1).snapshot
    (tmp_path / "file").write_bytes(b"")
    with Engine(spool=Spool(tmp_path / "file")) as engine:
        engine.pack(look)
        moved = engine.events.get(timeout=20)
    assert moved == events.LookPacked(1, look.taken_at, look.replies)


async def test_of_looks_passed_quickly_only_the_last_is_analysed(session: Session) -> None:
    said: list[events.Event] = []
    held, told = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def emit(event: events.Event) -> None:
        said.append(event)
        if len(said) == 2:
            told.set()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(held.wait)  # the analysis of a look that is under way
        work = LookWork(emit, pool, Spool(), lambda _doing, error: pytest.fail(str(error)))
        for look_id in (1, 2, 3, 4):
            work.analyse_again(kept(session, look_id).snapshot, None)
            await asyncio.sleep(0)
        loop.call_soon(held.set)
        await told.wait()
        await work.close()
    assert [event.look_id for event in said if isinstance(event, events.AnalysedAgain)] == [1, 4]
