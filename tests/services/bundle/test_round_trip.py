"""What was captured is what is opened: any looks, through a file and back."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.fakes.replies import SECOND, START
from tests.services.bundle.making import opened, with_content, written
from xpudbg.services import events
from xpudbg.services.artifacts.artifact import Refused
from xpudbg.services.artifacts.watchdog import WatchdogKind, WatchdogLine
from xpudbg.services.bundle.reader import open_bundle
from xpudbg.services.plain_text import plain
from xpudbg.services.profiles.memberships import Membership, Memberships
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import LookContext, Outcome, RankAddress, RankReply
from xpudbg.services.spool import Body
from xpudbg.services.store_browse.events import StoreListing
from xpudbg.services.store_browse.values import StoreValue

texts = st.text(max_size=30).map(plain)
any_text = st.text(st.characters(), max_size=20)
ranks = st.integers(0, 5)
rank_sets = st.frozensets(ranks).map(RankSet)
bodies = st.one_of(
    st.binary(max_size=40),
    st.integers(1, 3).map(lambda times: b'{"entries": [1, 2, 3]}' * 1000 * times),
).map(lambda data: Body(len(data), data))
replies = st.builds(
    RankReply,
    rank=ranks,
    source=st.sampled_from(["ping", "dump_traceback", "fr_trace_json", "own_handler"]),
    query=texts,
    outcome=st.sampled_from(Outcome),
    status=st.one_of(st.none(), st.integers(100, 599)),
    body=bodies,
    error=texts,
    started_at=st.integers(START, START + 1000 * SECOND),
    took_s=st.floats(0, 600, allow_nan=False),
    connected=st.booleans(),
)
addresses = st.lists(
    st.builds(
        RankAddress,
        rank=ranks,
        registered=texts,
        url=texts.filter(lambda text: "@" not in text),
        host=texts,
        error=texts,
        shares=st.one_of(st.none(), ranks),
    ),
    max_size=4,
    unique_by=lambda one: one.rank,
).map(lambda given: tuple(sorted(given, key=lambda one: one.rank)))
targets = st.builds(
    events.TargetOpened,
    label=texts,
    world_size=st.integers(0, 6),
    addresses=addresses,
    notes=st.lists(texts, max_size=2).map(tuple),
    secure=st.sampled_from(["", "insecure"]),
    store=texts,
    unused=st.lists(st.builds(Refused, texts, texts, st.booleans()), max_size=2).map(tuple),
)
groups = st.builds(
    Membership,
    name=texts,
    description=texts,
    backend=texts,
    size=st.one_of(st.none(), st.integers(0, 6)),
    ranks=rank_sets,
)
contexts = st.builds(
    LookContext,
    without_counters=rank_sets,
    group_sizes=st.dictionaries(texts, st.integers(0, 6), max_size=2),
    memberships=st.lists(st.builds(Memberships, ranks, st.integers(0, 6), st.lists(groups, max_size=2).map(tuple))).map(
        lambda given: {one.rank: one for one in given}
    ),
    may_wait=rank_sets,
)
watchdog_lines = st.builds(
    WatchdogLine,
    kind=st.sampled_from(WatchdogKind),
    rank=st.one_of(st.none(), ranks),
    artifact=texts,
    number=st.integers(1, 10**9),
    text=texts,
    at=st.one_of(st.none(), st.integers(0, START)),
    op=texts,
    seq=st.one_of(st.none(), st.integers(-1, 10**6)),
    group_id=texts,
    group_desc=texts,
    group_shared=st.booleans(),
    rank_sure=st.booleans(),
    timeout_ms=st.one_of(st.none(), st.integers(0, 10**9)),
    last_enqueued=st.one_of(st.none(), st.integers(-1, 10**6)),
    behind=rank_sets,
)
file_contexts = st.builds(
    LookContext,
    may_wait=st.just(RankSet()),
    unreadable=st.dictionaries(ranks, texts, max_size=2),
    mixed=rank_sets,
    watchdog=st.lists(watchdog_lines, max_size=3).map(tuple),
    heard=rank_sets,
)


@st.composite
def looks(draw: st.DrawFn, look_id: int) -> list[events.Event]:
    step = st.one_of(
        replies.map(lambda one: events.ReplyArrived(look_id, one)),
        replies.map(events.LateReply),
        replies.map(events.AskedReply),
        st.builds(events.StuckChanged, ranks, st.lists(texts, max_size=2).map(tuple)),
        targets,
        rank_sets.map(lambda asked: events.LookStarted(look_id, START + look_id, asked)),
    )
    closed = events.LookClosed(
        look_id,
        draw(st.integers(START, START + 1000 * SECOND)),
        draw(st.booleans()),
        tuple(draw(st.lists(texts, max_size=2))),
        draw(st.booleans()),
        context=draw(contexts),
    )
    begun = events.LookStarted(look_id, START + look_id, draw(rank_sets))
    after = st.one_of(replies.map(events.LateReply), st.builds(events.StuckChanged, ranks, st.just(("ping",))))
    return [begun, *draw(st.lists(step, max_size=6)), closed, *draw(st.lists(after, max_size=2))]


def comparable(event: events.Event) -> events.Event:
    if isinstance(event, events.ReplyArrived | events.LateReply | events.AskedReply):
        return replace(event, reply=replace(event.reply, body=with_content(event.reply.body)))
    return event


@given(target=targets, first=looks(1), second=looks(2))
def test_looks_are_as_they_were(
    target: events.TargetOpened, first: list[events.Event], second: list[events.Event]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xpudbg"
        written(path, [target, *first, *second])
        bundle = open_bundle(path)
        assert (bundle.notes, bundle.cut, bundle.verify()) == ((), False, ())
        back: list[events.Event] = []
        for look in bundle.looks:
            read = look.read()
            assert read.notes == ()
            assert read.closed is not None
            back += [comparable(one) for one in (read.started, *read.steps, read.closed, *read.after)]
        assert back == [comparable(one) for one in (*first, *second)]
        assert bundle.looks[0].read().opened == target
        newest = [one for one in (target, *first) if isinstance(one, events.TargetOpened)][-1]
        assert bundle.looks[1].read().opened == newest
        bundle.close()


@given(context=file_contexts, file=texts.filter(bool))
def test_what_files_said_beside_their_contents_is_as_it_was(context: LookContext, file: str) -> None:
    target = events.TargetOpened("a", 2, (RankAddress(0, "", "", "", file=file),))
    closed = events.LookClosed(1, START, context=context)
    script: list[events.Event] = [target, events.LookStarted(1, START, RankSet([0])), closed]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xpudbg"
        written(path, script)
        bundle = open_bundle(path)
        read = bundle.looks[0].read()
        bundle.close()
    assert read.opened == target
    assert read.closed is not None
    assert read.closed.context == context


@given(error=any_text, note=any_text, label=any_text)
def test_texts_from_ranks_come_back_plain(error: str, note: str, label: str) -> None:
    reply = RankReply(0, "ping", "", Outcome.TIMEOUT, None, Body(0, b""), error, START, 1.0)
    script: list[events.Event] = [
        replace(opened(), label=label),
        events.LookStarted(1, START, RankSet([0])),
        events.ReplyArrived(1, reply),
        events.LookClosed(1, START, notes=(note,)),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xpudbg"
        written(path, script)
        bundle = open_bundle(path)
        read = bundle.looks[0].read()
        bundle.close()
    assert read.closed is not None
    for text, was in ((read.replies[0, "ping"].error, error), (read.closed.notes[0], note), (read.opened.label, label)):
        assert text.isprintable()
        assert text == plain(was.encode("utf-8", "backslashreplace").decode())


@given(
    keys=st.frozensets(st.binary(max_size=20), max_size=5),
    values=st.lists(
        st.builds(
            StoreValue,
            key=st.binary(max_size=20),
            head=st.binary(max_size=30),
            length=st.integers(30, 1000),
            read_at=st.integers(0, START),
        ),
        max_size=4,
    ),
)
def test_the_store_is_as_it_was(keys: frozenset[bytes], values: list[StoreValue]) -> None:
    listing = StoreListing(tuple(sorted(keys)), len(keys) + 2, START, "a note")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xpudbg"
        written(path, [opened()], listing=listing, values=values)
        bundle = open_bundle(path)
        assert bundle.store() == (listing, tuple(values))
        bundle.close()
