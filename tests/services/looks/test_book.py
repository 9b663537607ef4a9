"""Looks are kept within bounds: analyses go first, then looks, never the newest nor the one that is shown."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes.replies import START, address, reply
from xpudbg.services.counters.look import NO_COUNTERS
from xpudbg.services.findings import Verdict, VerdictValue
from xpudbg.services.looks.book import LookBook
from xpudbg.services.looks.bounds import LookBounds
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackLook
from xpudbg.services.snapshot import RankAddress, RankState, Snapshot
from xpudbg.services.spool import INLINE_LIMIT, Body, Spool

OK = Verdict(VerdictValue.OK, "well")


def record(look_id: int, body: bytes = b"pong", *, file: str = "") -> LookRecord:
    at = RankAddress(0, "", "", "", file=file) if file else address(0)
    look = Snapshot(
        id=look_id,
        taken_at=START + look_id,
        closed_at=START + look_id,
        target="t",
        world_size=1,
        ranks={0: RankState(0, at)},
        replies={(0, "ping"): reply(0, body=body)},
    )
    return LookRecord(look, OK, StackLook(look_id), RecorderLook(look_id), NO_COUNTERS)


@pytest.fixture
def heavy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The analyses of a look take 10 bytes, and 30 are allowed."""
    monkeypatch.setattr("xpudbg.services.looks.book.analyses_memory", lambda _record: 10)
    monkeypatch.setattr("xpudbg.services.looks.book.ANALYSES_MEMORY", 30)


def book_of(number: int, *, file: str = "") -> LookBook:
    book = LookBook()
    for look_id in range(1, number + 1):
        book.keep(record(look_id, file=file))
    return book


def analysed(book: LookBook) -> list[int]:
    return [one.snapshot.id for one in book.records if not one.dropped]


def test_neighbours() -> None:
    book = book_of(3)
    two = book.get(2)
    assert two is not None
    assert (book.before(2), book.after(2)) == (book.get(1), book.get(3))
    assert (book.before(1), book.after(3), book.get(None), book.get(9)) == (None, None, None, None)
    assert len(book) == 3


def test_a_copy_goes_its_own_way() -> None:
    book = book_of(3)
    book.pin(1)
    other = book.copy()
    other.keep(record(4))
    assert (len(book), len(other), other.pinned, book.pinned) == (3, 4, None, 1)


@pytest.mark.usefixtures("heavy")
def test_analyses_used_longest_ago_go_first_and_what_is_shown_stays() -> None:
    book = book_of(5)
    assert analysed(book) == [3, 4, 5]
    book.pin(3)
    book.keep(record(6))
    book.keep(record(7))
    assert analysed(book) == [3, 6, 7]
    assert book.memory_of_analyses == 30
    book.pin(None)
    book.keep(record(8))
    assert analysed(book) == [6, 7, 8]
    dropped = book.get(3)
    assert dropped is not None
    assert (dropped.stacks.look_id, dropped.recorder.look_id, dropped.verdict) == (0, 0, OK)


@pytest.mark.usefixtures("heavy")
def test_analyses_made_again_stay_while_they_are_shown() -> None:
    book = book_of(5)
    book.pin(1)
    book.restore(1, StackLook(1), RecorderLook(1), NO_COUNTERS)
    assert analysed(book) == [1, 4, 5]
    book.restore(99, StackLook(1), RecorderLook(1), NO_COUNTERS)
    book.restore(4, StackLook(77), RecorderLook(77), NO_COUNTERS)
    there = book.get(4)
    assert there is not None
    assert there.stacks.look_id == 4, "analyses that are there are not replaced"


@pytest.mark.usefixtures("heavy")
def test_analyses_of_files_are_not_let_go_of() -> None:
    assert analysed(book_of(6, file="dump_0")) == [1, 2, 3, 4, 5, 6]


def test_the_look_shown_stays_when_older_ones_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.book.LOOKS_KEPT", 3)
    book = book_of(3)
    book.pin(1)
    for look_id in (4, 5, 6):
        book.keep(record(look_id))
    assert [look.id for look in book.snapshots] == [1, 5, 6]
    assert book.before(5) == book.get(1)
    assert book.change(4) is None
    book.pin(None)
    book.keep(record(7))
    assert [look.id for look in book.snapshots] == [5, 6, 7]


def test_bodies_of_older_looks_are_packed_when_looks_take_much(monkeypatch: pytest.MonkeyPatch) -> None:
    book, text = LookBook(), b"x" * 5000
    monkeypatch.setattr("xpudbg.services.looks.book.PACK_ABOVE", 3 * len(text))
    for look_id in (1, 2, 3):
        assert book.due_for_packing() is None
        book.keep(record(look_id, text))
    assert book.due_for_packing() is book.snapshots[0]
    before = book.memory
    book.repack(1, {(0, "ping"): reply(0, body=b"elsewhere")})
    assert book.memory == before - len(text) + len(b"elsewhere")
    assert (book.is_packed(1), book.is_packed(2), book.is_packed(None), book.is_packed(9)) == (True, False, True, True)
    assert book.due_for_packing() is None
    book.keep(record(4, text))
    assert book.due_for_packing() is book.snapshots[1]
    one = book.get(1)
    assert one is not None
    assert one.snapshot is book.snapshots[0]


def test_looks_beside_the_newest_two_have_the_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """However large a look is there is another to go back to before its bodies are packed."""
    text = b"x" * 5000
    monkeypatch.setattr("xpudbg.services.looks.book.LOOKS_MEMORY", 2 * len(text))
    book = LookBook()
    for look_id in range(1, 7):
        book.keep(record(look_id, text))
    assert [look.id for look in book.snapshots] == [4, 5, 6]


@pytest.mark.parametrize(
    ("bounds", "kept"),
    [
        (LookBounds(looks=3), [4, 5, 6]),
        (LookBounds(memory=10_000), [4, 5, 6]),
        (LookBounds(memory=0), [5, 6]),
        (LookBounds(), [1, 2, 3, 4, 5, 6]),
    ],
    ids=["looks", "memory", "no memory", "usual"],
)
def test_bounds_that_a_person_chose_hold_and_go_with_a_copy(bounds: LookBounds, kept: list[int]) -> None:
    book = LookBook(bounds)
    for look_id in range(1, 7):
        book.keep(record(look_id, b"x" * 5000))
    assert [look.id for look in book.snapshots] == kept
    assert book.copy().bounds is bounds


def test_analyses_have_the_room_that_a_person_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.book.analyses_memory", lambda _record: 10)
    few, usual = (LookBook(bounds) for bounds in (LookBounds(analyses=20), LookBounds()))
    for book in (few, usual):
        for look_id in (1, 2, 3):
            book.keep(record(look_id))
    assert (analysed(few), analysed(usual)) == ([2, 3], [1, 2, 3])


def test_packing_begins_at_a_part_of_the_memory_that_a_person_chose() -> None:
    book = LookBook(LookBounds(memory=8 * 4000))
    book.keep(record(1, b"x" * 5000))
    book.keep(record(2, b"x" * 5000))
    assert book.due_for_packing() is book.snapshots[0]


def test_the_spool_has_the_room_that_a_person_chose(tmp_path: Path) -> None:
    spool, book = Spool(tmp_path), LookBook(LookBounds(disk=3 * LARGE))
    for look_id in range(1, 6):
        book.keep(spooled(spool, look_id))
    assert [look.id for look in book.snapshots] == [3, 4, 5]
    spool.close()


LARGE = INLINE_LIMIT + 1


def with_body(look_id: int, body: Body) -> LookRecord:
    """A look of one reply that lies on disk."""
    made = record(look_id)
    return replace(made, snapshot=replace(made.snapshot, replies={(0, "ping"): replace(reply(0), body=body)}))


def spooled(spool: Spool, look_id: int, size: int = LARGE) -> LookRecord:
    return with_body(look_id, spool.put(bytes([look_id]) * size))


def kept_of(book: LookBook, spool: Spool) -> tuple[list[int], int]:
    """The looks that are there, and how many files the spool holds."""
    return [look.id for look in book.snapshots], len(list(spool.folder.iterdir()))


def test_bodies_on_disk_have_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.disk.LOOKS_DISK", 4 * LARGE)
    spool, book = Spool(tmp_path), LookBook()
    for look_id in (1, 2, 3, 4):
        book.keep(spooled(spool, look_id))
    assert (kept_of(book, spool), book.disk) == (([1, 2, 3, 4], 4), 4 * LARGE)
    book.pin(1)
    book.keep(spooled(spool, 5))
    assert (kept_of(book, spool), book.disk) == (([1, 3, 4, 5], 4), 4 * LARGE)
    book.keep(spooled(spool, 6, 3 * LARGE))
    assert (kept_of(book, spool), book.disk) == (([1, 5, 6], 3), 5 * LARGE), "the newest two and the one shown stay"
    book.pin(None)
    assert kept_of(book, spool) == ([5, 6], 2)
    spool.close()


def test_on_a_disk_with_little_room_they_take_half_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xpudbg.services.looks.disk.shutil.disk_usage", lambda _folder: SimpleNamespace(free=4 * LARGE))
    spool, book = Spool(tmp_path), LookBook()
    for look_id in range(1, 6):
        book.keep(spooled(spool, look_id))
    assert [look.id for look in book.snapshots] == [2, 3, 4, 5]
    spool.close()


def test_a_body_that_several_have_is_counted_once(tmp_path: Path) -> None:
    spool, book = Spool(tmp_path), LookBook()
    book.keep(with_body(1, spool.put(b"x" * LARGE)))
    book.keep(with_body(2, spool.put(b"x" * LARGE)))
    other = book.copy()
    other.keep(spooled(spool, 3))
    assert (book.disk, other.disk) == (LARGE, 2 * LARGE)
    spool.close()
    book.keep(record(4))
    assert book.disk == LARGE, "a spool that is gone is no reason to fail"


def test_bodies_of_other_files_take_nothing(tmp_path: Path) -> None:
    """Neither a file that is not the spool's, nor what was unpacked of files that a person has opened."""
    spool, book = Spool(tmp_path), LookBook()
    book.keep(with_body(1, Body(10 * LARGE, path=tmp_path / "dump_0")))
    unpacked = record(2, file="x.tar/dump_0")
    body = replace(reply(0), body=spool.put(b"x" * LARGE))
    book.keep(replace(unpacked, snapshot=replace(unpacked.snapshot, replies={(0, "ping"): body})))
    assert book.disk == 0
    spool.close()


def test_packed_bodies_count(tmp_path: Path) -> None:
    spool, book = Spool(tmp_path), LookBook()
    book.keep(record(1, b"y" * 5000))
    book.keep(record(2))
    (body,) = spool.pack([Body(5000, inline=b"y" * 5000)])
    book.repack(1, {(0, "ping"): replace(reply(0), body=body)})
    assert book.disk == 5000
    spool.close()
