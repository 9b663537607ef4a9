"""A bundle opens to what was known of the job when it was captured."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services.bundle.making import replayed, whole
from xpudbg.services import events
from xpudbg.services.attach_options import AttachOptions
from xpudbg.services.bundle.capture import Capture, CaptureOptions
from xpudbg.services.bundle.from_session import SessionFacts, write_bundle
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.bundle.replay import Replay
from xpudbg.services.engine import Engine
from xpudbg.services.looks.analysis import LookAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.report import document
from xpudbg.services.session import Phase, Session
from xpudbg.services.targets import DemoTarget, FilesTarget, Target, TargetError

DUMPS = Path(__file__).parents[2] / "data" / "flight_recorder"


def captured(target: Target, path: Path, **options: object) -> Session:
    """A capture with its session."""
    with Engine() as engine:
        wanted = CaptureOptions(path, **{"interval_s": 1.1} | options)  # type: ignore[arg-type]
        capture = Capture(engine, target, AttachOptions(timeout_s=1.0), wanted)
        capture.run()
        assert not capture.failure
        assert not capture.session.faults
        kept = path.with_suffix(".kept")
        write_bundle(kept, capture.session.looks, SessionFacts.of(capture.session))
    return capture.session


@dataclass(frozen=True)
class Pair:
    """A job as it was seen live, and the same from a bundle."""

    live: Session
    path: Path


@pytest.fixture(scope="module", params=["mixed", "stuck-stack"])
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    path = tmp_path_factory.mktemp("pair") / "a.xpudbg"
    return Pair(captured(DemoTarget(8, request.param), path), path)


def judged(session: Session) -> dict[str, object]:
    """What the report says, without what belongs to the moment or the place."""
    made = document(session, with_ranks=True)
    made["notes"] = [note for note in made["notes"] if "bundle" not in note]
    return made


@pytest.mark.parametrize("suffix", [".xpudbg", ".kept"])
def test_the_report_of_a_bundle_is_the_live_one(pair: Pair, suffix: str) -> None:
    session, said = replayed(pair.path.with_suffix(suffix))
    assert not session.asks
    assert session.verdict == pair.live.verdict
    assert judged(session) == judged(pair.live)
    assert session.stacks.merged.classes == pair.live.stacks.merged.classes
    assert session.counters.ranks == pair.live.counters.ranks
    assert {rank: state.stuck for rank, state in session.ranks.items()} == {
        rank: state.stuck for rank, state in pair.live.ranks.items()
    }
    closed = [one for one in said if isinstance(one, events.LookClosed)]
    assert [one.more for one in closed] == [True, False]
    assert [one.closed_at for one in closed] == [look.closed_at for look in pair.live.looks]
    assert json.loads(open_bundle(pair.path.with_suffix(suffix)).report() or b"")["verdict"] == session.verdict.value


def test_the_store_is_there_with_the_values_that_were_read(pair: Pair) -> None:
    session, _ = replayed(pair.path)
    assert session.store.where == pair.live.store.where
    assert session.store.listing == pair.live.store.listing
    assert session.store.values == pair.live.store.values
    assert len(session.store.values) >= 8


def test_a_redacted_bundle_has_the_same_verdict(pair: Pair, tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    facts = SessionFacts.of(pair.live)
    # bodies above 64 KiB are gone with the engine: the bundle has them
    session, _ = replayed(pair.path)
    write_bundle(path, session.looks, facts, ("hosts", "paths", "store"))
    redacted, _ = replayed(path)
    assert redacted.verdict.value == pair.live.verdict.value
    kinds = [(one.kind, one.culprits, one.confidence) for one in pair.live.verdict.findings]
    assert [(one.kind, one.culprits, one.confidence) for one in redacted.verdict.findings] == kinds


@pytest.mark.parametrize(
    "name",
    [
        "gloo-empty-pg-config",
        "minority-rank-is-the-outlier",
        "guilty-rank-left-no-dump",
        "completed-after-abort",
        "broken-and-partial-files",
        "hostile-frame-text",
        "only-active-dump/pickles",
        "hostnames-in-file-names/pickles",
    ],
)
def test_a_bundle_of_files_has_their_verdict(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.xpudbg"
    live = captured(FilesTarget((DUMPS / name,)), path)
    session, _ = replayed(path)
    assert open_bundle(path).meta.post_mortem
    assert session.post_mortem
    assert session.verdict == live.verdict
    assert judged(session) == judged(live)
    assert session.recorder.unreadable == live.recorder.unreadable


def test_a_look_is_replayed_once_and_a_second_time_there_is_nothing_to_say(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    said: list[events.Event] = []

    async def run(executor: ThreadPoolExecutor) -> None:
        replay = Replay(path, emit=said.append, analyses=executor)
        await replay.open()
        await replay.look()
        before = len(said)
        await replay.look()
        assert len(said) == before
        await replay.close()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))


def test_a_replay_that_is_cancelled_closes_its_look_and_goes_on_with_the_next(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg", looks=3)
    session = Session()

    async def run(executor: ThreadPoolExecutor) -> None:
        analysing = asyncio.Event()

        def emit(event: events.Event) -> None:
            session.apply(event)
            if isinstance(event, events.LookStarted) and event.look_id == 2:
                analysing.set()

        replay = Replay(path, emit=emit, analyses=executor)
        await replay.open()
        looking = asyncio.create_task(replay.look())
        await analysing.wait()
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking
        assert [look.cancelled for look in session.looks] == [False, True]
        await replay.look()
        assert [(look.id, look.cancelled) for look in session.looks] == [(1, False), (2, True), (3, False)]
        await replay.close()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))
    assert session.phase is Phase.OPEN


def test_a_defect_in_the_analyses_closes_the_look_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def defect(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(LookAnalyst, "analyse", defect)
    session = Session()

    async def run(executor: ThreadPoolExecutor) -> None:
        replay = Replay(whole(tmp_path / "a.xpudbg"), emit=session.apply, analyses=executor)
        await replay.open()
        with pytest.raises(ZeroDivisionError):
            await replay.look()
        await replay.close()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))
    assert [look.cancelled for look in session.looks] == [True]


def test_only_the_ranks_that_are_wanted(tmp_path: Path) -> None:
    session, said = replayed(whole(tmp_path / "a.xpudbg"), RankSet([1, 7]))
    assert session.all_ranks == RankSet([1])
    assert session.world_size == 3
    assert {rank for look in session.looks for rank, _ in look.replies} == {1}
    assert {one.ranks for one in said if isinstance(one, events.LookStarted)} == {RankSet([1])}
    assert set(session.stacks.dumps) == {1}
    assert not [one for one in session.verdict.findings if 2 in one.culprits]
    assert session.notes[-2:] == (
        "--ranks 7: the bundle has ranks 0-2 only",
        "of the job's 3 ranks only rank 1 is shown (--ranks)",
    )


def test_ranks_of_which_the_bundle_has_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="--ranks 7-8: the bundle has ranks 0-2 only"):
        replayed(whole(tmp_path / "a.xpudbg"), RankSet([7, 8]))


def test_the_engine_replays_the_ranks_that_are_wanted(tmp_path: Path) -> None:
    session = Session()
    with Engine() as engine:
        engine.attach(FilesTarget((whole(tmp_path / "a.xpudbg", looks=1),)), AttachOptions(ranks=RankSet([0])))
        while not session.looks:
            session.apply(engine.events.get(timeout=60))
    assert session.all_ranks == RankSet([0])


def test_the_bodies_of_a_bundle_are_read_when_they_are_wanted(tmp_path: Path) -> None:
    path = whole(tmp_path / "a.xpudbg")
    session, _ = replayed(path)
    body = session.looks[0].replies[0, "dump_traceback"].body
    assert body.inline is None
    assert body.path == path
    assert body.deflated is not None
    assert body.text().startswith("Thread 0x0000000000000000 (most recent call first)")
    assert body.text(6) == "Thread"
