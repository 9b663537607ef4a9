"""A watch on a scripted job: when it looks, what it says, which files it keeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.fakes.flight_recorder_jobs import START_NS, Call, FakeJob, Fault
from tests.tui.progress_scripts import mesh, recorder_job
from tests.tui.scripted import NOW, SECOND, ScriptedEngine, job, look, opened
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.targets import StoreTarget
from xpudbg.services.watch.events import Told, WatchEvent
from xpudbg.services.watch.folder import IncidentFolder
from xpudbg.services.watch.incident_watch import WatchOptions
from xpudbg.services.watch.policy import Alert, Rules
from xpudbg.services.watch.watch import FIRST_BACKOFF_S, MOST_BACKOFF_S, Watch


@dataclass
class Watched:
    """A watch with a clock that is set by hand, and what it did."""

    engine: ScriptedEngine
    watch: Watch = field(init=False)
    told: list[WatchEvent] = field(default_factory=list)
    rung: list[tuple[Alert, Path | None]] = field(default_factory=list)
    now_s: float = 0.0
    epoch: int = START_NS

    def pass_s(self, seconds: float) -> None:
        self.now_s += seconds
        self.watch.tick()

    def say(self, said: list[events.Event]) -> None:
        for event in said:
            self.watch.take(event)

    def lines(self, *kinds: Told) -> list[str]:
        return [one.text for one in self.told if not kinds or one.told in kinds]


def watched(folder: IncidentFolder | None = None, **options: object) -> Watched:
    made = Watched(ScriptedEngine())
    made.watch = Watch(
        made.engine,  # type: ignore[arg-type]
        StoreTarget("head-0", 29500),
        AttachOptions(),
        WatchOptions(**{"rules": Rules(stall_s=15.0), **options}),  # type: ignore[arg-type]
        folder,
        tell=lambda event: made.told.append(event),
        ring=lambda alert, bundle: made.rung.append((alert, bundle)),
        clock=lambda: made.epoch + int(made.now_s * SECOND),
        monotonic=lambda: made.now_s,
    )
    made.watch.begin()
    return made


def hanging(*done: int) -> list[events.Event]:
    """A job of which rank 1 stops at its sixth call, at looks when so many steps were made."""
    stops = [Fault(1, 6, "stops")]
    return recorder_job([FakeJob(4, mesh(4, 2), [Call("0")] * number, faults=stops) for number in done])


def folder_in(path: Path, keep: int | None = None) -> IncidentFolder:
    return IncidentFolder(path / "incidents", keep=keep, max_size=None)


def names(path: Path) -> list[str]:
    return sorted(entry.name.rpartition("Z-")[2] for entry in (path / "incidents").iterdir())


def test_it_looks_again_after_each_look() -> None:
    one = watched(every_s=10.0)
    assert one.watch.wait_s() is None
    one.say(job(4))
    assert (one.watch.wait_s(), one.engine.told("look")) == (10.0, 0)
    one.pass_s(9.5)
    assert (one.watch.wait_s(), one.engine.told("look")) == (0.5, 0)
    one.pass_s(0.5)
    assert (one.watch.wait_s(), one.engine.told("look")) == (None, 1)


def test_a_hang_is_told_rung_and_kept(tmp_path: Path) -> None:
    one = watched(folder_in(tmp_path))
    one.say(hanging(2, 4, 9, 9, 9))
    assert one.lines(Told.PACE) == [
        "the job moves: 12.0 calls end a minute",
        "the job stands still, for 10 s now",
    ]
    ((alert, bundle),) = one.rung
    assert alert.summary.startswith("Rank 1 (node-000, dp0 tp1) has not joined all_reduce #7 of default_pg;")
    assert bundle is not None
    assert names(tmp_path) == ["not_joined.xpudbg"]
    assert open_bundle(bundle).said
    assert [event.told for event in one.told if event.told is Told.CAPTURED] == [Told.CAPTURED]


def test_right_before_the_watchdog_strikes_a_file_is_taken(tmp_path: Path) -> None:
    one = watched(folder_in(tmp_path), margin_s=30.0, every_s=100.0)
    one.epoch = START_NS + 500 * SECOND
    one.say(hanging(9, 9))
    assert one.watch.wait_s() == pytest.approx(70, abs=1)  # not the whole interval: that would be too late
    one.epoch = START_NS + 585 * SECOND  # the scripted calls time out after 600 s
    one.say(look(3, 4, at=NOW + 20 * SECOND, closed=False))
    first = [event for event in hanging(9, 9, 9) if isinstance(event, events.Analysed)][-1]
    one.say([first, events.LookClosed(3, NOW + 20 * SECOND)])
    assert any(name.startswith("timeout") for name in names(tmp_path))
    text = one.lines(Told.CAPTURED)[-1]
    assert "times out in 15 s" in text
    again = look(4, 4, at=NOW + 30 * SECOND, closed=False)
    one.say([*again, first, events.LookClosed(4, NOW + 30 * SECOND)])
    assert len([name for name in names(tmp_path) if name.startswith("timeout")]) == 1


def test_files_from_time_to_time_with_rotation(tmp_path: Path) -> None:
    one = watched(folder_in(tmp_path, keep=2), periodic_s=25.0)
    one.say([opened(4)])
    for number in range(1, 13):
        one.pass_s(10.0)
        one.say(look(number, 4, at=NOW + number * 10 * SECOND))
    assert names(tmp_path) == ["periodic.xpudbg"] * 2
    assert len(one.lines(Told.CAPTURED)) == 4
    assert len(one.lines(Told.REMOVED)) == 2


def test_what_cannot_be_written_is_said_and_the_watch_goes_on(tmp_path: Path) -> None:
    folder = folder_in(tmp_path)
    folder.path.rmdir()
    one = watched(folder)
    one.say(job(4, {2: "dead"}))
    ((_, bundle),) = one.rung
    assert bundle is None
    assert one.lines(Told.FAILED)[0].startswith("the bundle could not be written: ")
    assert one.watch.wait_s() is not None


def test_a_job_that_is_gone_is_awaited_ever_more_seldom() -> None:
    one = watched()
    one.say(job(4))
    gone = events.TargetFailed("store head-0:29500", "it refused the connection", "start it")
    one.say(look(2, 4, dict.fromkeys(range(4), "dead"), at=NOW + SECOND))
    waits = []
    for _ in range(9):
        wait_s = one.watch.wait_s()
        assert wait_s is not None
        waits.append(wait_s)
        one.pass_s(wait_s)
        one.say([gone])
    assert waits == [FIRST_BACKOFF_S * 2**turn for turn in range(6)] + [MOST_BACKOFF_S] * 3
    assert one.engine.told("attach") == 10
    assert len(one.lines(Told.LOST)) == 1
    assert one.rung == []
    one.say(job(8))
    assert one.lines(Told.OPENED) == ["store head-0:29500, world size 4", "store head-0:29500, world size 8"]
    assert one.watch.wait_s() == 10.0
    assert not one.watch.ended


def test_it_ends_with_the_job_when_it_is_to() -> None:
    one = watched(until_end=True)
    ended = []
    one.say(job(4, {1: "stopped"}))
    ended.append(one.watch.ended)
    one.say(look(2, 4, dict.fromkeys(range(4), "dead"), at=NOW + SECOND))
    ended.append(one.watch.ended)
    assert ended == [False, True]
    verdict = one.watch.last_verdict
    assert verdict is not None
    assert [finding.kind for finding in verdict.findings] == ["stopped"]  # of the last look that was answered


def test_a_defect_is_told_and_the_next_look_comes_all_the_same() -> None:
    one = watched()
    one.say([opened(4), events.EngineFailed("looking", "ValueError: x", "trace")])
    assert one.lines(Told.FAILED) == ["xpudbg itself failed while looking: ValueError: x"]
    assert one.watch.wait_s() == 10.0


@pytest.mark.parametrize("text", ["\x1b]0;bad\x07", "a\nb"], ids=["escape", "line"])
def test_a_line_stays_a_line(text: str) -> None:
    from xpudbg.services.watch.events import as_json, as_line

    event = WatchEvent(1_767_323_045_000_000_000, Told.ALERT, text, {"died": [3]})
    assert as_line(event).startswith("2026-01-02T03:04:05Z  alert     ")
    for line in (as_line(event), as_json(event)):
        assert line.isprintable()
    assert '"at": "2026-01-02T03:04:05.000Z"' in as_json(event)
