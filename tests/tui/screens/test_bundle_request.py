"""B writes looks into a bundle beside the screens: what is offered and refused, what is written, what is said."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input

from tests.tui.running import Clock, Running, running
from tests.tui.scripted import NOW, SECOND, job, look, opened
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.bundle.events import BundleFailed, BundleProgress, BundleWritten
from xpudbg.services.bundle.from_session import SessionFacts, write_bundle
from xpudbg.services.bundle.orders import BundleOrder, WriteBundle
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.engine import Engine
from xpudbg.services.looks.record import LookRecord
from xpudbg.services.session import Session
from xpudbg.services.settings.recent import RecentTargets
from xpudbg.services.targets import FilesTarget
from xpudbg.tui.app import XpudbgApp
from xpudbg.tui.screens.bundle_request import BundleRequest, looks_of

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder" / "coalesced-missing-on-one-rank"


def looks(number: int) -> list[events.Event]:
    """A job looked at so often; rank 3 is dead at the last look."""
    script = job(8)
    for look_id in range(2, number + 1):
        sick = {3: "dead"} if look_id == number else {}
        script += look(look_id, 8, sick, at=NOW + look_id * SECOND)
    return script


def set_field(run: Running, name: str, text: str) -> None:
    run.app.screen.query_one(f"#bundle-{name}", Input).value = text


def ordered(run: Running) -> WriteBundle:
    order = run.engine.last("bundle")
    assert isinstance(order, WriteBundle)
    return order


def facts_of(order: BundleOrder) -> SessionFacts:
    return order.facts if isinstance(order.facts, SessionFacts) else order.facts()


def session_of(script: list[events.Event]) -> Session:
    session = Session()
    for event in script:
        session.apply(event)
    return session


@pytest.mark.parametrize(
    ("text", "expected"),
    [("all", [1, 2, 3, 4]), ("2", [3, 4]), ("99", [1, 2, 3, 4]), ("shown", [2])],
    ids=["all", "two", "more", "shown"],
)
def test_the_looks_that_are_meant(text: str, expected: list[int]) -> None:
    session = session_of(looks(4))
    session.apply(events.LookShown(2))
    found = looks_of(session, text)
    assert not isinstance(found, str)
    assert [record.snapshot.id for record in found] == expected


@pytest.mark.parametrize("text", ["", "0", "-1", "two", "\u0663", "1" * 30], ids=range(6))
def test_what_names_no_looks_is_refused(text: str) -> None:
    assert looks_of(session_of(looks(2)), text) == "write all, shown, or how many of the newest looks"


async def test_what_is_asked_is_ordered_and_the_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.xpudbg").touch()
    async with running(looks(4), tmp_path, size=(100, 30)) as run:
        await run.press("comma", "B")
        assert isinstance(run.app.screen, BundleRequest)
        offered = run.app.screen.query_one("#bundle-file", Input).value
        assert offered.startswith("xpudbg-2025")
        assert offered.endswith("Z-ok.xpudbg")  # the verdict of the look that is shown
        for name, typed, said in (
            ("file", "", "write the name of a file"),
            ("file", "x.zip", "ends in .xpudbg"),
            ("file", ".xpudbg", "before the ending"),
            ("file", "no/x.xpudbg", "no folder no"),
            ("file", "there.xpudbg", "is there already"),
            ("looks", "none", "write all, shown"),
        ):
            set_field(run, "file", "x y.xpudbg")
            set_field(run, "looks", "3")
            set_field(run, name, typed)
            await run.press("enter")
            assert said in run.text()
        set_field(run, "looks", "3")
        await run.press("tab", "space", "tab", "space", "tab", "space", "space", "enter")
        order = ordered(run)
        assert order.path == Path("x y.xpudbg")
        assert [one.snapshot.id for one in order.looks if isinstance(one, LookRecord)] == [2, 3, 4]
        assert order.redacted == {"hosts", "paths"}
        assert facts_of(order).report["verdict"] == "dead"  # of the newest of its looks, though an older one is shown
        assert run.lines()[0].count("bundle · ") == 1
        await run.say([BundleProgress(order.path, 10, 40)])
        assert "bundle 25 % · " in run.lines()[0]
        await run.say([BundleWritten(order.path, 4_404_019, 3, 40, left_out=("1 answers: a pickle",))])
        assert "bundle" not in run.lines()[0]
        said = " ".join(line.rpartition("▌")[2].strip() for line in run.lines() if "▌" in line)
        assert "wrote x y.xpudbg, 3 looks, 4.2 MiB; open it with: xpudbg 'x y.xpudbg'; left out: 1 answers: a" in said


async def test_a_failure_is_said_and_what_is_left_by_escape_does_nothing(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, size=(100, 30)) as run:
        await run.press("B", "escape")
        assert run.engine.told("bundle") == 0
        await run.press("B", "enter")
        await run.say([BundleFailed(ordered(run).path, "x.xpudbg: No space left on device")])
        assert "no bundle: x.xpudbg: No space left on device" in run.text()


async def test_without_a_look_it_says_why_not(tmp_path: Path) -> None:
    async with running([events.TargetOpening("s"), opened(4)], tmp_path) as run:
        await run.press("B")
        assert "not now: no look has ended yet" in run.text()
        assert not isinstance(run.app.screen, BundleRequest)


async def test_it_is_written_though_another_target_is_opened_and_quitting_asks_twice(tmp_path: Path) -> None:
    async with running(job(4), tmp_path, size=(100, 30)) as run:
        await run.press("B", "enter")
        order = ordered(run)
        run.app.attach(FilesTarget(paths=(DUMPS,)))
        await run.settled()
        assert "bundle · " in run.lines()[0]
        await run.press("q")
        assert "still being written" in run.text()
        assert run.app.is_running
        await run.say([BundleWritten(order.path, 100, 1, 4)])
        await run.press("q")
        assert run.app.return_code == 0


@pytest.mark.parametrize("kind", ["dumps", "bundle"])
async def test_what_is_known_from_files_becomes_a_bundle(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program's own engine opens it, writes the bundle, and opens that."""
    monkeypatch.chdir(tmp_path)
    path = DUMPS
    if kind == "bundle":
        path = tmp_path / "kept.xpudbg"
        session = session_of(looks(2))
        write_bundle(path, session.looks, SessionFacts.of(session))
    with Engine() as engine:
        target = FilesTarget(paths=(path,))
        app = XpudbgApp(engine, target, AttachOptions(), env={}, recent=RecentTargets(tmp_path / "recent.json"))
        run = Running(app, None, Clock())  # type: ignore[arg-type]
        async with app.run_test(size=(120, 36), notifications=True) as run.pilot:
            await run.until(lambda: app.session.latest is not None and app.session.under_way is None, "it is read")
            await run.until(lambda: app.session.looks[-1].id == (2 if kind == "bundle" else 1))
            before = app.session.verdict
            await run.press("B")
            set_field(run, "file", "again.xpudbg")
            await run.press("tab", "tab", "space", "enter")
            await run.until(lambda: "wrote again.xpudbg" in run.text(), "it is written")
            app.attach(FilesTarget(paths=(Path("again.xpudbg"),)))
            await run.until(lambda: app.session.replayed and app.session.latest is not None, "it is opened")
            await run.until(lambda: app.session.under_way is None and app.session.verdict.value is before.value)
            assert [one.kind for one in app.session.verdict.findings] == [one.kind for one in before.findings]
    assert open_bundle(tmp_path / "again.xpudbg").meta.redacted == ("hosts",)
