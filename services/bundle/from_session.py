"""Writes looks that a session has kept into a bundle, while the session goes on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .. import events
from ..looks.record import LookRecord
from ..looks.recorders import RecorderLook
from ..looks.stacks import StackLook
from ..ranksets import RankSet
from ..report import document, render_markdown
from .errors import BundleError
from .events import BundleWritten
from .recording import BundleRecording
from .redaction import Redaction
from .writer import BundleWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from ..artifacts.artifact import Refused
    from ..session import Session
    from ..snapshot import Snapshot
    from ..store_browse.events import StoreListing
    from ..store_browse.values import StoreValue

__all__ = ["SessionFacts", "write_bundle"]


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What a bundle holds beside the looks, taken from a session at one moment. Immutable."""

    notes: tuple[str, ...]
    secure: str
    store: str
    """host:port of the job's store."""
    unused: tuple[Refused, ...]
    """Post mortem: files that could not be used."""
    asides: tuple[str, ...]
    listing: StoreListing | None
    values: tuple[StoreValue, ...]
    report: dict[str, Any]
    """`report.document`."""
    markdown: str
    unread: str = ""
    """Why the keys of the job's store are not known, one plain line; empty where they are or it has no store."""

    @classmethod
    def of(cls, session: Session) -> SessionFacts:
        """Take them, on the thread that owns the session."""
        return cls(
            session.notes,
            session.secure,
            session.store.where,
            tuple(session.unused),
            session.asides,
            session.store.listing,
            tuple(session.store.values.values()),
            document(session, with_ranks=True),
            render_markdown(session),
            _unread(session),
        )

    @classmethod
    def later(cls, session: Session, look_id: int | None) -> Callable[[], SessionFacts]:
        """What takes them on any thread, as the session is now, with the report of a look: that takes long.

        Args:
            look_id: the look; what is known now, of a look under way too, where there is none of this number.
        """
        frozen = session.frozen()
        frozen.book.pin(look_id)
        return partial(cls.of, frozen)


def write_bundle(
    path: Path,
    looks: Sequence[LookRecord | Snapshot],
    facts: SessionFacts,
    redact: Iterable[str] = (),
    told: Callable[[int, int], None] | None = None,
    *,
    force: bool = False,
) -> BundleWritten:
    """Write a complete bundle. Works on immutable values only, so it can run on any thread.

    Args:
        path: the file.
        looks: closed looks, the earliest first; they keep their bodies alive meanwhile.
        facts: what belongs to it beside.
        redact: some of `redaction.KINDS`.
        told: how many answers stand in the file, and of how many; what it raises ends the writing.
        force: put it in the place of a file that is there.

    Raises:
        FileExistsError: it is there, and `force` is not set.
        BundleError: there is no look, or more than a bundle may hold.
        OSError: it can't be written; what stands in the file can be opened all the same.
    """
    if not looks:
        raise BundleError("there is no look yet that a bundle could hold", hint="wait until the first look has closed")
    total = sum(len(_snapshot(look).replies) for look in looks)
    with BundleWriter(path, force=force) as writer:
        recording = BundleRecording(writer, Redaction(redact))
        done = 0
        for event in _events(looks, facts):
            recording.apply(event)
            if isinstance(event, events.ReplyArrived):
                done += 1
            if told is not None and (done % 64 == 0 or done == total):
                told(done, total)
        recording.finish(facts.listing, facts.values, facts.report, facts.markdown)
        left_out = (facts.unread, *recording.left_out) if facts.unread else recording.left_out
        return BundleWritten(path, writer.size, len(looks), total, left_out)


def _unread(session: Session) -> str:
    if session.store.listing is not None or not session.store.where:
        return ""
    why = "not read before (screen 7 reads them)" if session.asks else "they were not kept"
    return f"the store's keys: {why}"


def _snapshot(look: LookRecord | Snapshot) -> Snapshot:
    return look.snapshot if isinstance(look, LookRecord) else look


def _events(looks: Sequence[LookRecord | Snapshot], facts: SessionFacts) -> Iterator[events.Event]:
    """The looks as the engine told them."""
    for look in looks:  # all targets first: redaction is to know their hosts from the beginning
        yield _opened(_snapshot(look), facts)
    stuck: dict[int, tuple[str, ...]] = {}
    for kept in looks:
        look = _snapshot(kept)
        yield _opened(look, facts)
        asked = RankSet(rank for rank, state in look.ranks.items() if state.address.url)
        asked |= RankSet(rank for rank, _ in look.replies)
        yield events.LookStarted(look.id, look.taken_at, asked)
        for reply in look.replies.values():
            yield events.ReplyArrived(look.id, reply)
        for rank, state in look.ranks.items():
            if state.stuck != stuck.get(rank, ()):
                stuck[rank] = state.stuck
                yield events.StuckChanged(rank, state.stuck)
        yield from _analysed(kept)
        yield events.LookClosed(look.id, look.closed_at, look.cancelled, look.notes, look.partial, context=look.context)


def _analysed(kept: LookRecord | Snapshot) -> Iterator[events.Analysed]:
    """That the look was analysed, as far as is known."""
    if isinstance(kept, LookRecord):
        if kept.is_analysed or kept.dropped:
            yield events.Analysed(kept.snapshot.id, kept.stacks, kept.recorder, kept.recorded, kept.counters)
    elif not kept.cancelled:
        yield events.Analysed(kept.id, StackLook(look_id=0), RecorderLook(look_id=0))


def _opened(look: Snapshot, facts: SessionFacts) -> events.TargetOpened:
    addresses = tuple(state.address for _, state in sorted(look.ranks.items()))
    return events.TargetOpened(
        look.target,
        look.world_size,
        addresses,
        facts.notes,
        facts.secure,
        facts.store,
        unused=facts.unused,
        asides=facts.asides,
    )
