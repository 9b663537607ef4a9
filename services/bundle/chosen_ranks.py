"""A bundled look as if only some of the ranks had been looked at (--ranks)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .. import events
from ..ranksets import RankSet, ranks_said

if TYPE_CHECKING:
    from ..snapshot import LookContext
    from .looks import LookRead

__all__ = ["not_there", "restricted"]


def restricted(read: LookRead, wanted: RankSet) -> LookRead:
    """The look with the addresses, answers and facts of these ranks alone; the world size stays.

    Args:
        wanted: those of --ranks; ones that the bundle does not hold are named in a note of the target.
    """
    closed = read.closed
    if closed is not None and closed.context is not None:
        closed = replace(closed, context=_context(closed.context, wanted))
    return replace(
        read,
        opened=_target(read.opened, wanted),
        started=replace(read.started, ranks=read.started.ranks & wanted),
        steps=tuple(kept for step in read.steps if (kept := _step(step, wanted)) is not None),
        closed=closed,
        after=tuple(kept for step in read.after if (kept := _step(step, wanted)) is not None),
        files={rank: name for rank, name in read.files.items() if rank in wanted},
    )


def not_there(wanted: RankSet, known: RankSet) -> str:
    """That the bundle does not hold some ranks of --ranks."""
    return f"--ranks {wanted}: the bundle has {f'ranks {known} only' if known else 'no rank'}"


def _target(opened: events.TargetOpened, wanted: RankSet) -> events.TargetOpened:
    known = RankSet(address.rank for address in opened.addresses)
    notes = [*opened.notes]
    if beyond := wanted - known:
        notes.append(not_there(beyond, known))
    if len(known & wanted) < len(known):
        shown = f"only {ranks_said(known & wanted, 'is', 'are')}" if known & wanted else "none is"
        notes.append(f"of the job's {opened.world_size:,} ranks {shown} shown (--ranks)")
    addresses = tuple(address for address in opened.addresses if address.rank in wanted)
    return replace(opened, addresses=addresses, notes=tuple(notes))


def _step(step: events.Event, wanted: RankSet) -> events.Event | None:
    """What is left of an event; None when it is of another rank."""
    match step:
        case events.TargetOpened():
            return _target(step, wanted)
        case events.LookStarted():
            return replace(step, ranks=step.ranks & wanted)
        case events.ReplyArrived() | events.AskedReply() | events.LateReply():
            return step if step.reply.rank in wanted else None
        case events.StuckChanged():
            return step if step.rank in wanted else None
    return step


def _context(context: LookContext, wanted: RankSet) -> LookContext:
    return replace(
        context,
        without_counters=context.without_counters & wanted,
        memberships={rank: one for rank, one in context.memberships.items() if rank in wanted},
        unreadable={rank: why for rank, why in context.unreadable.items() if rank in wanted},
        mixed=context.mixed & wanted,
        watchdog=tuple(line for line in context.watchdog if line.rank is None or line.rank in wanted),
        heard=context.heard & wanted,
    )
