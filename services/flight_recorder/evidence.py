"""What a finding rests on, one plain line a fact, and what would show that it is wrong. Texts are unescaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Evidence
from ..ranksets import RankSet, ranks_said
from .causes import Kind
from .groups import DEFAULT_DESC
from .sizes import elements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .analysis import Analysis
    from .causes import Cause
    from .mismatch import Mismatch
    from .waits import OpenCall

__all__ = ["evidence_of", "refutation_of"]

_NAMED = 8
"""Ranks that get a line each; more of the same are counted."""


def evidence_of(now: Analysis, cause: Cause) -> tuple[Evidence, ...]:
    """The facts behind a cause."""
    lines = list(_mismatch_lines(cause.mismatch)) if cause.mismatch else []
    if cause.kind is Kind.DEADLOCK:
        for call in cause.cycle:
            lines.append(_inside(now, call))
    elif cause.call is not None and cause.mismatch is None:
        call = cause.call
        if call.inside:
            lines.append(_inside(now, call))
        if call.hidden:
            text = f"{ranks_said(call.hidden, 'is', 'are')} inside {called(now, call)} by counters; the entry is lost"
            lines.append(Evidence("flight recorder", None, text))
        if call.done:
            lines.append(Evidence("flight recorder", None, f"{ranks_said(call.done, 'has', 'have')} completed it"))
        if call.late:
            lines.append(
                Evidence(
                    "flight recorder",
                    None,
                    f"it ended after its timeout on {ranks_said(call.late)}: an abort ends stuck calls",
                )
            )
        if cause.kind is Kind.DEVICE_STUCK and not cause.culprits:
            lines.append(Evidence("flight recorder", None, "every known member has called it; nobody has completed it"))
        lines += _culprit_lines(now, call, cause)
        if call.unclear:
            they, theirs = ("it has", "its") if len(call.unclear) == 1 else ("they have", "their")
            inside = ranks_said(call.unclear, "is", "are")
            text = f"{inside} inside no call; whether {they} called it {theirs} counters do not tell"
            lines.append(Evidence("flight recorder", None, text))
        group = now.job.groups[call.group]
        if group.inferred and group.desc != DEFAULT_DESC and not call.done and not cause.culprits:
            text = f"the members of {group.label} are those who have used it: a rank that never has can't be seen in it"
            lines.append(Evidence("flight recorder", None, text))
        if group.candidates and not cause.culprits:
            belong = "belongs to it and has" if group.unseen == 1 else "belong to it and have"
            text = f"{group.unseen} of {ranks_said(group.candidates)} {belong} not joined it"
            lines.append(Evidence("flight recorder", None, text))
        if used_not := group.concluded & cause.culprits:
            text = f"{ranks_said(used_not, 'has', 'have')} never used {group.label}; other groups show that it has them"
            lines.append(Evidence("flight recorder", None, text))
        if unknown := call.absent - cause.culprits:
            lines.append(Evidence("flight recorder", None, f"nothing is known of {ranks_said(unknown)}: no dump"))
    return tuple(lines)


def _inside(now: Analysis, call: OpenCall) -> Evidence:
    return Evidence("flight recorder", None, f"{ranks_said(call.inside, 'is', 'are')} inside {called(now, call)}")


def _culprit_lines(now: Analysis, call: OpenCall, cause: Cause) -> Iterator[Evidence]:
    culprits = list(cause.culprits)
    for rank in culprits[:_NAMED]:
        dump = now.job.dump_of(rank)
        source = (dump.source if dump else "") or "flight recorder"
        yield Evidence(source, rank, _position(now, rank, call, cause.kind))
    if len(culprits) > _NAMED:
        yield Evidence("flight recorder", None, f"{len(culprits) - _NAMED} more ranks likewise")


def _position(now: Analysis, rank: int, call: OpenCall, kind: Kind) -> str:
    at = now.positions.at(rank, call.group)
    if (over := now.waits.blank.get((rank, call.group))) is not None:
        though = f", though it has called #{over} there" if over else ""
        return (
            f"its flight recorder holds nothing of {now.job.groups[call.group].label}{though}: it was off, or has lost "
            "it"
        )
    if at is None:
        why = now.job.unreadable.get(rank)
        return f"no dump: {why}" if why else "no dump"
    if kind is Kind.DEVICE_STUCK:
        return f"called it and has not completed it; completed last: {_seq(at.completed)}"
    if call.p2p:
        return f"has not called the other half; its last P2P call in the group is {_seq(at.p2p_enqueued)}"
    if at.silent:
        return "nothing recorded in this group"
    if at.enqueued is None:
        return "inside no call, and its counters in this group do not tell its position"
    said = f"last called {_seq(at.enqueued)} of this group, completed {_seq(at.completed)}"
    return f"{said} (by its counters, whose group is concluded from other ranks)" if at.borrowed else said


def _seq(number: int | None) -> str:
    return f"#{number}" if number else "none"


def _mismatch_lines(mismatch: Mismatch) -> Iterator[Evidence]:
    for pair in mismatch.pairs[:_NAMED]:
        yield Evidence(
            "flight recorder",
            None,
            f"{pair.source} -> {pair.target}: {pair.sent:,} elements sent, {pair.expected:,} expected",
        )
    if mismatch.totals:
        yield Evidence(
            "flight recorder",
            None,
            f"all ranks together send {mismatch.totals[0]:,} elements and expect {mismatch.totals[1]:,}",
        )
    with_stacks = RankSet()
    for variant in mismatch.variants:
        with_stacks |= variant.stacks
    for variant in mismatch.variants[:_NAMED]:
        said = variant.said
        given = f"in {_sizes(said.inputs)} {_dtypes(said.input_dtypes)}"
        taken = f"out {_sizes(said.outputs)} {_dtypes(said.output_dtypes)}"
        text = f"{ranks_said(variant.ranks)}: {said.operation.recorded}, {given}, {taken}"
        if with_stacks and (bare := variant.ranks - variant.stacks):
            text += f"; no stack recorded on {ranks_said(bare)}"
        yield Evidence("flight recorder", None, text)


def _dtypes(dtypes: tuple[str, ...]) -> str:
    return "/".join(dict.fromkeys(dtypes)) or "no dtype"


def _sizes(shapes: tuple[tuple[int, ...], ...]) -> str:
    said = str([list(shape) for shape in shapes[:4]])
    return said if len(shapes) <= 4 else f"{said[:-1]}, and {len(shapes) - 4} more; {elements(shapes):,} elements]"


def called(now: Analysis, call: OpenCall) -> str:
    """`all_gather #311 of tp`."""
    name = call.operation.recorded.partition(":")[2] if call.p2p else call.operation.base
    return f"{name or call.operation.recorded or 'call'} #{call.seq} of {now.job.groups[call.group].label}"


def refutation_of(now: Analysis, cause: Cause) -> str:
    """What would show that a cause is none, one sentence."""
    call = called(now, cause.call) if cause.call else "the call"
    ranks = ranks_said(cause.culprits)
    match cause.kind:
        case Kind.NOT_JOINED if not cause.culprits:
            return "A full list of the group's members, all of which have joined."
        case Kind.NOT_JOINED:
            return f"A later dump of {ranks} in which {call} has been called."
        case Kind.P2P_UNMATCHED:
            return f"A dump of {ranks} with the other half of {call}."
        case Kind.DEVICE_STUCK if not cause.culprits:
            return f"A later dump in which {call} is completed, or that of a member these dumps do not know."
        case Kind.DEVICE_STUCK:
            return f"A later dump in which {call} is completed on {ranks}."
        case Kind.NO_DUMP:
            return f"A dump of {ranks} that shows {call} called there."
        case Kind.ABORTED:
            return f"A log in which no watchdog timeout and no abort ends {call}."
        case Kind.DEADLOCK:
            return "A later look in which one of these calls is over, or a stack outside communication on a rank."
    return "A source that calls the same on all these ranks, or entries of other calls under this sequence number."
