"""Bundles of looks that a session kept, written while it goes on."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.services.bundle.making import one_look, opened, replayed
from xpudbg.services import events
from xpudbg.services.bundle import events as bundle_events
from xpudbg.services.bundle.errors import BundleError
from xpudbg.services.bundle.from_session import SessionFacts, write_bundle
from xpudbg.services.bundle.orders import BundleOrder, WriteBundle, WriteIncident
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.work import BundleWork
from xpudbg.services.session import Session
from xpudbg.services.spool import Body
from xpudbg.services.store_browse.events import StoreListed, StoreListing
from xpudbg.services.watch.folder import IncidentFolder

NO_KEYS = "the store's keys: not read before (screen 7 reads them)"


def session_of(looks: int) -> Session:
    """A session with looks, in which rank 2 has died since the first and the target got another rank."""
    session = Session()
    session.apply(opened())
    for look_id in range(1, looks + 1):
        if look_id == 2:
            session.apply(opened(4))
        for event in one_look(look_id, 3 if look_id < 2 else 4, dead={2} if look_id > 1 else ()):
            session.apply(event)
        if look_id == 2:
            session.apply(events.StuckChanged(1, ("ping",)))
    return session


def test_all_looks_as_they_were(tmp_path: Path) -> None:
    live = session_of(3)
    path = tmp_path / "a.xpudbg"
    told: list[tuple[int, int]] = []
    done = write_bundle(path, live.looks, SessionFacts.of(live), told=lambda *how_far: told.append(how_far))
    total = sum(len(look.replies) for look in live.looks)
    assert done == bundle_events.BundleWritten(path, path.stat().st_size, 3, total, (NO_KEYS,))
    assert told[-1] == (total, total)
    assert told == sorted(told)
    session, _ = replayed(path)
    for look, was in zip(session.looks, live.looks, strict=True):
        assert (look.id, look.taken_at, look.closed_at, look.world_size) == (
            *(was.id, was.taken_at, was.closed_at),
            was.world_size,
        )
        assert look.ranks == was.ranks
        assert {key: reply.body.read() for key, reply in look.replies.items()} == {
            key: reply.body.read() for key, reply in was.replies.items()
        }
    assert session.looks[2].ranks[1].stuck == ("ping",)


def test_keys_of_the_store_that_are_not_known_are_told(tmp_path: Path) -> None:
    def left_out(session: Session, name: str) -> tuple[str, ...]:
        return write_bundle(tmp_path / name, session.looks, SessionFacts.of(session)).left_out

    live = session_of(1)
    assert left_out(live, "a") == (NO_KEYS,)
    session, _ = replayed(tmp_path / "a")
    assert left_out(session, "b") == ("the store's keys: they were not kept",)
    live.apply(StoreListed(StoreListing((), 0, 1)))
    assert left_out(live, "c") == ()
    live = session_of(1)
    live.apply(opened(store=""))
    assert left_out(live, "d") == ()


def test_only_some_of_the_looks(tmp_path: Path) -> None:
    live = session_of(3)
    path = tmp_path / "a.xpudbg"
    write_bundle(path, live.looks[1:], SessionFacts.of(live))
    session, _ = replayed(path)
    assert [look.id for look in session.looks] == [2, 3]
    assert session.verdict.findings[0].culprits == live.verdict.findings[0].culprits


def test_no_look_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="there is no look yet"):
        write_bundle(tmp_path / "a.xpudbg", [], SessionFacts.of(Session()))
    assert list(tmp_path.iterdir()) == []


def test_bodies_that_are_gone_are_told_and_the_rest_is_written(tmp_path: Path) -> None:
    live = session_of(1)
    (look,) = live.looks
    lost = replace(look.replies[0, "dump_traceback"], body=Body(70_000, path=tmp_path / "gone"))
    kept = replace(look, replies={**look.replies} | {(0, "dump_traceback"): lost})
    done = write_bundle(tmp_path / "a", [kept], SessionFacts.of(live))
    assert done.left_out == (
        NO_KEYS,
        "1 answers: it could not be read: No such file or directory",
    )
    reply = open_bundle(tmp_path / "a").looks[0].read().replies[0, "dump_traceback"]
    assert reply.error == "left out of the bundle: it could not be read: No such file or directory"


async def carried_out(order: BundleOrder, until: type[object] | None = None) -> list[object]:
    said: list[object] = []
    failed: list[object] = []
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()

    def emit(event: bundle_events.BundleEvent) -> None:
        said.append(event)
        if isinstance(event, until or (bundle_events.BundleWritten, bundle_events.BundleFailed)):
            loop.call_soon_threadsafe(ended.set)

    work = BundleWork(emit, lambda doing, error: failed.append((doing, error)))
    work.carry_out(order)
    await asyncio.wait_for(ended.wait(), 20)
    await work.close()
    assert failed == []
    return said


async def test_an_order_is_carried_out_beside_the_loop(tmp_path: Path) -> None:
    live = session_of(2)
    path = tmp_path / "a.xpudbg"
    order = WriteBundle(path, tuple(live.looks), SessionFacts.of(live), frozenset(("hosts",)))
    said = await carried_out(order)
    assert isinstance(said[-1], bundle_events.BundleWritten)
    assert open_bundle(path).meta.redacted == ("hosts",)
    said = await carried_out(order)
    assert said == [bundle_events.BundleFailed(path, f"{path} is there already, and stays as it is")]
    said = await carried_out(replace(order, force=True, looks=()))
    assert said == [bundle_events.BundleFailed(path, "there is no look yet that a bundle could hold")]
    assert open_bundle(path).meta.redacted == ("hosts",)
    nowhere = tmp_path / "no" / "a.xpudbg"
    said = await carried_out(replace(order, path=nowhere))
    assert said == [bundle_events.BundleFailed(nowhere, f"{nowhere}: No such file or directory")]


async def test_the_end_of_the_program_ends_the_writing(tmp_path: Path) -> None:
    live = session_of(2)
    path = tmp_path / "a.xpudbg"
    said: list[object] = []
    work = BundleWork(said.append, lambda doing, error: said.append((doing, error)))
    work._stop.set()
    work.carry_out(WriteBundle(path, tuple(live.looks), SessionFacts.of(live)))
    await work.close()
    assert said == [bundle_events.BundleFailed(path, "the program ended while it was written")]
    assert open_bundle(path).cut


async def test_facts_are_taken_later_as_they_were(tmp_path: Path) -> None:
    live = session_of(3)
    take = SessionFacts.later(live, 2)
    for event in one_look(4, 4, dead={0, 1}):
        live.apply(event)
    path = tmp_path / "a.xpudbg"
    said = await carried_out(WriteBundle(path, tuple(live.looks[:2]), take))
    assert isinstance(said[-1], bundle_events.BundleWritten)
    facts = take()
    assert [look["id"] for look in facts.report["looks"]] == [1, 2, 3]
    assert facts.report["classes"]["dead"] == [2]
    assert live.shown is None


async def test_files_of_a_watch_are_named_written_and_rotated(tmp_path: Path) -> None:
    live = session_of(2)
    folder = IncidentFolder(tmp_path / "incidents", keep=2, max_size=None)
    facts = SessionFacts.later(live, 2)
    order = WriteIncident(folder, 1_767_323_045_000_000_000, "dead", tuple(live.looks), facts)
    rotated = bundle_events.FolderRotated
    said = await carried_out(order, rotated)
    first = folder.path / "xpudbg-20260102T030405Z-dead.xpudbg"
    assert said == [bundle_events.BundleWritten(first, first.stat().st_size, 2, 13, why="dead"), rotated(folder.path)]
    said = await carried_out(replace(order, why="dead-again"), rotated)
    said = await carried_out(replace(order, why="dead-again"), rotated)
    assert said[-1] == rotated(folder.path, ("xpudbg-20260102T030405Z-dead-again.xpudbg",))
    assert [entry.name for entry in sorted(folder.path.iterdir())] == [
        "xpudbg-20260102T030405Z-dead-again.2.xpudbg",
        "xpudbg-20260102T030405Z-dead.xpudbg",
    ]
    for entry in folder.path.iterdir():
        entry.unlink()
    folder.path.rmdir()
    said = await carried_out(order)
    assert said == [bundle_events.BundleFailed(folder.path, f"{folder.path}: No such file or directory", "dead")]
