"""Findings and evidence from stacks: their sentences are made here, for `verdict.judge`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Finding, Severity
from ..ranksets import RankSet
from ..stacks.activity import Activity
from ..stacks.boring import elide
from ..stacks.ownership import user_frame
from ..stacks.stuck import Doubt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..looks.stacks import StackLook
    from ..stacks.model import Frame, ThreadStack
    from ..stacks.stuck import StuckRanks, Waiting

__all__ = ["STUCK_STACK", "gil_holder", "place_of", "stack_evidence", "stack_findings"]

STUCK_STACK = "stuck_stack"
"""Kind of the finding: others wait inside torch.distributed, these ranks are elsewhere."""
FRAMES_SHOWN = 3
"""Frames of a stack that stand in a line of evidence."""

_ACTIVITIES = {
    Activity.DEBUGGER: "stands at a breakpoint",
    Activity.CHECKPOINT: "saves or loads a checkpoint",
    Activity.DATA_LOADING: "loads data",
    Activity.COMPILING: "compiles",
    Activity.IMPORTING: "imports a module",
    Activity.SUBPROCESS: "waits for a process of its own",
    Activity.NETWORK: "waits for the network",
    Activity.THREAD_WAIT: "waits for a thread of its own",
}
_DOUBTS = {
    Doubt.PROGRESS_UNKNOWN: "only stacks tell that the others stand still, and a slow job looks the same at each look",
    Doubt.WAITS_HIDDEN: "the others wait in C++ or through a thread, which their stacks only allow for",
    Doubt.MOST_OUTSIDE: "more ranks are outside than wait, so the ones that wait may be the odd ones",
    Doubt.LINES_CHANGE: "it works: its own lines changed between the looks",
    Doubt.HELPER_INSIDE: "another thread of it is inside torch.distributed",
    Doubt.ONE_LOOK: "there is only one look, and a job that moves looks the same",
}


def stack_findings(look: StackLook, name_ranks: Callable[[RankSet], str]) -> list[Finding]:
    """What the stacks of the newest look say against ranks; nothing for an idle or a moving job.

    Args:
        look: the analysed look.
        name_ranks: writes a rank set with its hosts.
    """
    found = [_stuck(one, look, name_ranks) for one in look.stuck.stuck]
    if not found:
        only = all(standing.looks == 1 for standing in look.standings.values())
        found = [_receiving(one, name_ranks, one_look=only) for one in look.stuck.receiving]
    return found


def place_of(frames: Sequence[Frame]) -> str:
    """Where a stack is, for a sentence: the innermost frame of the user's code, else the innermost of all."""
    frame = user_frame(frames) or (frames[0] if frames else None)
    return "no Python frame" if frame is None else _written(frame)


def stack_evidence(look: StackLook, rank: int) -> Evidence | None:
    """The stack of a rank in one line, or why there is none; None when neither is known."""
    thread = gil_holder(look, rank) or look.main(rank)
    if thread is None or not thread.frames:
        return Evidence("stacks", rank, look.missing[rank]) if rank in look.missing else None
    frames = elide(thread.frames).frames[:FRAMES_SHOWN]
    called = " < ".join(_written(frame) for frame in frames)
    held = "holds the GIL in " if thread.holds_gil else "is in "
    return Evidence(_source(look, rank), rank, held + called)


def gil_holder(look: StackLook, rank: int) -> ThreadStack | None:
    """The thread that py-spy saw holding the GIL of a rank."""
    dump = look.dumps.get(rank)
    return None if dump is None else next((thread for thread in dump.threads if thread.holds_gil), None)


def _stuck(one: StuckRanks, look: StackLook, name_ranks: Callable[[RankSet], str]) -> Finding:
    waiting = look.stuck.waiting_ranks
    verb = "is" if len(one.ranks) == 1 else "are"
    does = _ACTIVITIES.get(one.activity, "")
    doing = f" ({does})" if does else ""
    named, place = name_ranks(one.ranks), place_of(one.frames)
    likely = one.confidence is not Confidence.POSSIBLE
    reasons = [_DOUBTS[doubt] for doubt in Doubt if doubt in one.doubts]
    refutation = "It enters the call by itself, or the others go on without it."
    if reasons:
        refutation += f" Not surer because {'; '.join(reasons)}."
    if one.c_unseen:
        refutation += " Its stack shows Python only: py-spy with native frames may show a wait below."
    evidence = [stack_evidence(look, rank) for rank in list(one.ranks)[:4]]
    only = Doubt.ONE_LOOK in one.doubts
    evidence += [_waiting_evidence(call, one_look=only) for call in look.stuck.waiting[:4]]
    return Finding(
        kind=STUCK_STACK,
        severity=Severity.INFO if only else Severity.CRITICAL if likely else Severity.WARNING,
        confidence=one.confidence,
        culprits=one.ranks,
        waiting=waiting,
        op=look.stuck.waiting[0].function if look.stuck.waiting else None,
        text=f"{named[0].upper()}{named[1:]} {verb} in {place}{doing} while {_calls(look.stuck.waiting)}.",
        advice="Read what the code does there; its whole stack is on the stacks screen.",
        refutation=refutation,
        evidence=tuple(item for item in evidence if item is not None),
    )


def _receiving(call: Waiting, name_ranks: Callable[[RankSet], str], *, one_look: bool) -> Finding:
    named = name_ranks(call.ranks)
    verb = "waits" if len(call.ranks) == 1 else "wait"
    site = f" at {_written(call.site)}" if call.site is not None else ""
    return Finding(
        kind=STUCK_STACK,
        severity=Severity.INFO,
        confidence=Confidence.POSSIBLE,
        culprits=RankSet(),
        waiting=call.ranks,
        op=call.function,
        text=f"{named[0].upper()}{named[1:]} {verb} in {call.function}{site}; who should send is not known.",
        advice="Gloo records neither send nor recv: look in the code for the rank that should send, and at its stack.",
        refutation="The message arrives by the next look.",
        evidence=(_waiting_evidence(call, one_look=one_look),),
    )


def _calls(waiting: Sequence[Waiting]) -> str:
    """`3 others wait in all_reduce (train.py:42)`, the largest group first."""
    first = waiting[0]
    total = sum(len(call.ranks) for call in waiting)
    site = f" at {_written(first.site)}" if first.site is not None else ""
    others = f"{total} other waits" if total == 1 else f"{total} others wait"
    more = "" if len(waiting) == 1 else f" and {len(waiting) - 1} more calls"
    return f"{others} in {first.function}{site}{more}"


def _waiting_evidence(call: Waiting, *, one_look: bool) -> Evidence:
    site = f" at {_written(call.site)}" if call.site is not None else ""
    word = "rank" if len(call.ranks) == 1 else "ranks"
    seen = "at the only look" if one_look else "unchanged over two looks"
    return Evidence("stacks", None, f"{word} {call.ranks} in {call.function}{site}, {seen}")


def _source(look: StackLook, rank: int) -> str:
    return "pyspy_dump" if look.dumps[rank].source.value == "pyspy" else "dump_traceback"


def _written(frame: Frame) -> str:
    """`fetch (data/loader.py:88)`: the file with its folder is enough to know it by."""
    place = frame.location.replace("\\", "/")
    short = "/".join(place.rsplit("/", 2)[-2:])
    return f"{frame.name} ({short})" if short else frame.name
