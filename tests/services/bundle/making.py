"""Bundles made of events, opened and replayed."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fakes.replies import SECOND, START, address, reply
from xpudbg.services import events
from xpudbg.services.bundle import members, records
from xpudbg.services.bundle.reader import Bundle, open_bundle
from xpudbg.services.bundle.recording import BundleRecording
from xpudbg.services.bundle.redaction import Redaction
from xpudbg.services.bundle.replay import Replay
from xpudbg.services.bundle.writer import BundleWriter
from xpudbg.services.ranksets import RankSet
from xpudbg.services.report import document, render_markdown
from xpudbg.services.session import Session
from xpudbg.services.snapshot import LookContext, Outcome
from xpudbg.services.spool import Body
from xpudbg.services.store_browse.events import StoreListing
from xpudbg.services.store_browse.values import StoreValue

CREATED = START + 100 * SECOND
STACKS = "Thread 0x{rank:016x} (most recent call first):\n" + "".join(
    f'  File "/data/alice/run/part{n}.py", line {n + 1} in step_{n}\n' for n in range(200)
)


def plain_zip(members_of: Iterable[tuple[str, bytes]], *, deflate: Sequence[str] = ()) -> bytes:
    """A zip with these members, as the writer lays them out."""
    made, whole = [], b""
    for name, data in members_of:
        content = data
        if name in deflate:
            packer = zlib.compressobj(9, zlib.DEFLATED, -15)
            content = packer.compress(data) + packer.flush()
        member = members.Member(
            name, name in deflate, zlib.crc32(data), len(content), len(data), members.dos_time(CREATED), len(whole)
        )
        made.append(member)
        whole += members.local_record(member) + content
    return whole + members.directory(made, len(whole))


def meta(**changes: object) -> bytes:
    """The first member of a bundle."""
    import msgspec

    given = {"schema": records.SCHEMA, "version": "1.0", "created_at": CREATED, "target": "store head-0:29500"}
    return msgspec.json.encode(given | changes)


def opened(size: int = 3, **changes: object) -> events.TargetOpened:
    given: dict[str, object] = {"notes": ("a note",), "secure": "", "store": "head-0:29500"}
    return events.TargetOpened(
        "store head-0:29500",
        size,
        tuple(address(rank) for rank in range(size)),
        **(given | changes),  # type: ignore[arg-type]
    )


def one_look(look_id: int = 1, size: int = 3, *, dead: Iterable[int] = (), closed: bool = True) -> list[events.Event]:
    """A look at ranks that answer with a stack, but the dead ones."""
    at = START + look_id * 10 * SECOND
    said: list[events.Event] = [events.LookStarted(look_id, at, RankSet.full(size))]
    for rank in range(size):
        if rank in dead:
            refused = reply(rank, outcome=Outcome.REFUSED, error="connection refused", started_at=at)
            said.append(events.ReplyArrived(look_id, refused))
            continue
        said.append(events.ReplyArrived(look_id, reply(rank, started_at=at)))
        stack = STACKS.format(rank=rank).encode()
        said.append(events.ReplyArrived(look_id, reply(rank, "dump_traceback", body=stack, started_at=at)))
    if closed:
        said.append(events.LookClosed(look_id, at + SECOND, context=LookContext(may_wait=RankSet())))
    return said


def written(
    path: Path,
    script: Iterable[events.Event],
    *,
    redact: Iterable[str] = (),
    listing: StoreListing | None = None,
    values: Iterable[StoreValue] = (),
    finish: bool = True,
    analysed: bool = True,
) -> Session:
    """A bundle of these events.

    Returns:
        The session that they make, without analyses.
    """
    from xpudbg.services.looks.recorders import RecorderLook
    from xpudbg.services.looks.stacks import StackLook

    session = Session()
    with BundleWriter(path, force=True, clock=lambda: CREATED) as writer:
        recording = BundleRecording(writer, Redaction(redact), clock=lambda: CREATED)
        for event in script:
            if analysed and isinstance(event, events.LookClosed) and not event.cancelled:
                recording.apply(events.Analysed(event.look_id, StackLook(0), RecorderLook(0)))
            session.apply(event)
            recording.apply(event)
        if finish:
            recording.finish(listing, values, document(session), render_markdown(session))
    return session


def whole(path: Path, looks: int = 2, **more: object) -> Path:
    """A complete bundle of a few looks."""
    script = [opened()]
    for look_id in range(1, looks + 1):
        script += one_look(look_id, dead={2})  # type: ignore[arg-type]
    written(path, script, **more)  # type: ignore[arg-type]
    return path


def open_bytes(path: Path, data: bytes) -> Bundle:
    path.write_bytes(data)
    return open_bundle(path)


def replayed(path: Path, ranks: RankSet | None = None) -> tuple[Session, list[events.Event]]:
    """The session that a bundle makes, and all its events.

    Args:
        ranks: those that are looked at, all when None.
    """
    session, said = Session(), list[events.Event]()

    def emit(event: events.Event) -> None:
        session.apply(event)
        said.append(event)

    async def run(executor: ThreadPoolExecutor) -> None:
        replay = Replay(path, emit=emit, analyses=executor, ranks=ranks)
        try:
            await replay.open()
            await replay.look()
        finally:
            await replay.close()

    with ThreadPoolExecutor(1) as executor:
        asyncio.run(run(executor))
    return session, said


def with_content(body: Body) -> Body:
    """The body as one in memory, to be compared."""
    data = body.read()
    return Body(len(data), data)
