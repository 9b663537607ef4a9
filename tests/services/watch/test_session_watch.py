"""A watch over the session that a person looks at: what it tells, which files it orders, how soon it wants a look."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import START_NS
from tests.services.watch.test_watch import hanging
from tests.tui.scripted import NOW, SECOND, job, look
from xpudbg.services import events
from xpudbg.services.bundle.events import BundleFailed, FolderRotated
from xpudbg.services.bundle.from_session import SessionFacts
from xpudbg.services.bundle.orders import WriteIncident
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.session import Session
from xpudbg.services.watch.events import Told
from xpudbg.services.watch.folder import IncidentFolder
from xpudbg.services.watch.incident_watch import LOOKS_IN_BUNDLE, WatchOptions
from xpudbg.services.watch.policy import Rules
from xpudbg.services.watch.session_watch import SessionWatch


@dataclass
class Watched:
    """A session with a watch, and what it ordered and told."""

    session: Session = field(default_factory=Session)
    watch: SessionWatch = field(init=False)
    orders: list[WriteIncident] = field(default_factory=list)
    told: list[tuple[Told, str]] = field(default_factory=list)
    now: int = START_NS

    def begin(self, folder: IncidentFolder | None, **options: float) -> None:
        wanted = WatchOptions(Rules(stall_s=15.0), **options)  # type: ignore[arg-type]
        self.watch = SessionWatch(
            self.session,
            wanted,
            folder,
            write=self.orders.append,
            clock=lambda: self.now,
            monotonic=lambda: self.now / SECOND,
        )
        self.note()

    def say(self, said: list[events.Event]) -> None:
        for event in said:
            self.session.apply(event)
            self.watch.take(event)
        self.note()

    def note(self) -> None:
        self.told += [(event.told, event.text) for event in self.watch.new_events()]

    def texts(self, kind: Told) -> list[str]:
        return [text for told, text in self.told if told is kind]


@pytest.fixture
def folder(tmp_path: Path) -> IncidentFolder:
    return IncidentFolder(tmp_path / "incidents", keep=5, max_size=None)


def ids(order: WriteIncident) -> list[int]:
    return [one.snapshot.id for one in order.looks if isinstance(one, LookRecord)]


def test_a_hang_rings_once_and_has_its_file_ordered(folder: IncidentFolder) -> None:
    one = Watched()
    one.begin(folder)
    one.say(hanging(2, 4, 9, 9, 9))
    (text,) = one.texts(Told.ALERT)
    assert text.startswith("Rank 1 (node-000, dp0 tp1) has not joined all_reduce #7 of default_pg;")
    (order,) = one.orders
    assert (order.folder, order.at, order.why) == (folder, START_NS, "not_joined")
    assert one.watch.in_incident
    assert one.watch.last is not None
    assert (one.watch.last.at, one.watch.last.why, one.watch.last.summary) == (START_NS, "not_joined", text)
    facts = order.facts if isinstance(order.facts, SessionFacts) else order.facts()
    assert facts.report["findings"][0]["kind"] == "not_joined"


def test_the_newest_look_counts_as_its_first() -> None:
    one = Watched()
    for event in job(4, {2: "dead"}):
        one.session.apply(event)
    one.begin(None)
    assert len(one.texts(Told.ALERT)) == 1
    one.say(look(2, 4, {2: "dead"}, at=NOW + SECOND))
    assert len(one.texts(Told.ALERT)) == 1
    assert one.orders == []


def test_right_before_the_watchdog_strikes_there_is_a_look_and_a_file(folder: IncidentFolder) -> None:
    one = Watched(now=START_NS + 500 * SECOND)
    one.begin(folder, margin_s=30.0)
    one.say(hanging(9, 9))
    assert one.watch.next_s == pytest.approx(70, abs=1)
    one.now = START_NS + 585 * SECOND  # the scripted calls time out after 600 s
    analysed = next(event for event in reversed(hanging(9, 9, 9)) if isinstance(event, events.Analysed))
    at = NOW + 20 * SECOND
    one.say([*look(3, 4, at=at, closed=False), analysed, events.LookClosed(3, at)])
    assert one.orders[-1].why.startswith("timeout")
    assert "times out in 15 s" in one.texts(Told.CAPTURED)[-1]
    assert one.watch.next_s is None


def test_a_file_holds_the_newest_looks(folder: IncidentFolder) -> None:
    one = Watched()
    for event in [*job(4), *(event for n in range(2, 13) for event in look(n, 4, at=NOW + n * SECOND))]:
        one.session.apply(event)
    one.begin(folder)
    one.say(look(13, 4, {1: "dead"}, at=NOW + 13 * SECOND))
    assert ids(one.orders[-1]) == list(range(14 - LOOKS_IN_BUNDLE, 14))


def test_after_a_file_that_failed_the_next_is_the_first_of_its_incident(folder: IncidentFolder) -> None:
    whys = []
    for failed in (False, True):
        one = Watched()
        one.begin(folder)
        one.say(job(8, {1: "dead"}))
        if failed:
            one.watch.take(BundleFailed(folder.path, "the disk is full", "dead"))
        one.watch.take(BundleFailed(folder.path, "one that a person asked for"))
        one.say(look(2, 8, {1: "dead", 2: "dead"}, at=NOW + SECOND))
        whys.append([order.why for order in one.orders])
    assert whys == [["dead", "dead-again"], ["dead", "dead"]]


def test_a_job_that_is_gone_is_told_once_and_does_not_ring() -> None:
    one = Watched()
    one.begin(None)
    gone = dict.fromkeys(range(4), "dead")
    one.say([*job(4), *look(2, 4, gone, at=NOW + SECOND), *look(3, 4, gone, at=NOW + 2 * SECOND)])
    assert one.watch.gone
    assert [told for told, _ in one.told if told is not Told.PACE] == [Told.LOST]
    one.say(look(4, 4, at=NOW + 3 * SECOND))
    assert not one.watch.gone


def test_what_became_of_the_folder_is_told(folder: IncidentFolder) -> None:
    one = Watched()
    one.begin(folder)
    over = FolderRotated(folder.path, over=True)
    for event in (over, over, FolderRotated(Path("another"), failure="x"), FolderRotated(folder.path, failure="no")):
        one.watch.take(event)
    one.note()
    assert one.texts(Told.FAILED) == [
        "the folder is over its bounds: the first file of an incident is never removed",
        "no",
    ]
