"""Findings of the flight recorder: their sentences are made here, for `verdict.judge`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .findings import Confidence, Evidence, Finding, Group, Severity, VerdictValue
from .flight_recorder.causes import Kind
from .flight_recorder.mismatch import What
from .flight_recorder.motion import Pace
from .ranksets import RankSet
from .recorder_look import DUMP_FILE
from .witness import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .flight_recorder.diagnosis import FlightFinding, Step
    from .flight_recorder.groups import JobGroup
    from .flight_recorder.mismatch import Variant
    from .recorder_look import RecorderLook, SlowIn
    from .witness import Witness

SLOW_RANK = "slow_rank"
"""Kind of the finding: the others wait for this rank in call after call. It never accuses."""

__all__ = ["RECORDER_VALUES", "SLOW_RANK", "call_named", "group_named", "recorder_findings", "sentence_of"]

RECORDER_VALUES: dict[str, VerdictValue] = {
    Kind.MISMATCH.value: VerdictValue.MISMATCH,
    Kind.DEADLOCK.value: VerdictValue.DEADLOCK,
    Kind.NOT_JOINED.value: VerdictValue.HANG,
    Kind.DEVICE_STUCK.value: VerdictValue.HANG,
    Kind.P2P_UNMATCHED.value: VerdictValue.HANG,
    Kind.NO_DUMP.value: VerdictValue.HANG,
    Kind.ABORTED.value: VerdictValue.HANG,
    SLOW_RANK: VerdictValue.SLOW,
}
"""The verdict when a finding of this kind comes first."""

_VARIANTS = 3
"""Versions of a call that a sentence spells out; the evidence has more."""

_ADVICE = {
    Kind.NOT_JOINED: "See where these ranks are in Python: their stacks, or py-spy where no traceback comes.",
    Kind.DEVICE_STUCK: "Look at the device of these ranks: Xid and link errors in the kernel log, clocks, ECC.",
    Kind.MISMATCH: "Compare the code paths of these ranks before the call: a condition that differs between ranks.",
    Kind.DEADLOCK: "Make all ranks call these groups in the same order.",
    Kind.P2P_UNMATCHED: "Look for the send or recv that is missing on the other side.",
    Kind.NO_DUMP: "Find out what became of these ranks: their logs, their hosts.",
    Kind.ABORTED: "Read the log around the watchdog's timeout: what happened before it is the cause.",
}


def recorder_findings(
    look: RecorderLook, name_ranks: Callable[[RankSet], str], beside: Witness = UNSEEN
) -> list[Finding]:
    """What the flight recorders of the newest look say.

    Args:
        look: the analysed look.
        name_ranks: writes a rank set with its hosts.
        beside: what is known of the ranks beside their recorders.
    """
    made: list[Finding] = []
    for source, diagnosis in look.diagnoses.items():
        live = source != DUMP_FILE
        told = [*diagnosis.findings, *(one for one in diagnosis.passing if beside.backs(one))]
        made += [_finding(beside.weighed(one), name_ranks, live=live) for one in told]
        made += [
            _passing(_finding(one, name_ranks, live=live), one)
            for one in diagnosis.passing
            if one.pace is Pace.FROZEN and not one.everybody_inside and not beside.backs(one)
        ]
    return [*made, *(_slow(one, name_ranks) for one in look.slow)]


def _slow(one: SlowIn, name_ranks: Callable[[RankSet], str]) -> Finding:
    found = one.rank
    named = name_ranks(RankSet([found.rank]))
    last = f"last in {found.share:.0%} of {found.calls} collectives, by {found.margin_s * 1e3:.0f} ms in the median"
    return Finding(
        kind=SLOW_RANK,
        severity=Severity.INFO,
        confidence=Confidence.LIKELY,
        culprits=RankSet([found.rank]),
        waiting=found.waiting,
        group=Group(one.group.name, one.group.desc, one.group.members),
        text=f"{named[0].upper()}{named[1:]} is slow: it comes {last} ({group_named(one.group)}).",
        advice="Profile this rank beside another one: its input, its clocks, its neighbours on the host.",
        refutation="Other ranks come last as often in later collectives.",
        evidence=(
            Evidence("flight recorder", found.rank, f"{last}; the others are {found.spread_s * 1e3:.0f} ms apart"),
        ),
    )


def _passing(finding: Finding, one: FlightFinding) -> Finding:
    """A wait that does not pass between two looks and yet is none to accuse anybody for."""
    if one.early:
        why = "The job has not run for long enough to tell a rank that hangs from a slow one."
    else:
        why = f"Gaps of {one.usual_s or 0:.0f} s recur in this job."
    return replace(finding, severity=Severity.INFO, confidence=Confidence.POSSIBLE, text=f"{finding.text} {why}")


def group_named(group: JobGroup | None) -> str:
    """What people call a group (`JobGroup.label`), where there is one."""
    return "an unknown group" if group is None else group.label


def call_named(one: FlightFinding) -> str:
    """`all_gather #311 of tp`."""
    return f"{one.base or one.op or 'call'} #{one.seq} of {group_named(one.group)}"


def sentence_of(one: FlightFinding, name_ranks: Callable[[RankSet], str]) -> str:
    """A finding in one sentence, and what waits behind it."""
    return _sentence(one, name_ranks) + _behind(one) + _waits_itself(one)


def _finding(one: FlightFinding, name_ranks: Callable[[RankSet], str], *, live: bool) -> Finding:
    group = one.group
    return Finding(
        kind=one.kind.value,
        severity=one.severity,
        confidence=one.confidence,
        culprits=one.culprits,
        waiting=one.waiting,
        group=None if group is None else Group(group.name, group.desc, group.members),
        op=one.op,
        seq=one.seq,
        text=sentence_of(one, name_ranks),
        advice=_ADVICE[one.kind],
        refutation=one.refutation,
        evidence=(*one.evidence, *(_timing(one) if live else ())),
    )


def _sentence(one: FlightFinding, name_ranks: Callable[[RankSet], str]) -> str:
    call = call_named(one)
    named = name_ranks(one.culprits) if one.culprits else "a member whose rank is not known"
    who = named[0].upper() + named[1:]
    has = "has" if len(one.culprits) <= 1 else "have"
    match one.kind:
        case Kind.NOT_JOINED:
            nothing = ", and recorded nothing at all there" if one.silent else ""
            return f"{who} {has} not joined {call}{nothing}; {_waits(one, name_ranks)}."
        case Kind.DEVICE_STUCK if one.everybody_inside:
            return (
                f"Everybody waits inside {call} and nobody has completed it: a device or the network, or a member that "
                f"no dump knows; {_waits(one, name_ranks)}."
            )
        case Kind.DEVICE_STUCK:
            return f"{who} {has} joined {call} and not completed it on the device; {_waits(one, name_ranks)}."
        case Kind.MISMATCH:
            return _mismatch(one, who, call)
        case Kind.DEADLOCK:
            return f"Deadlock: {'; '.join(_step(step) for step in one.cycle)}."
        case Kind.P2P_UNMATCHED:
            return f"{who} {has} not called the other half of {call}; {_waits(one, name_ranks)}."
        case Kind.NO_DUMP if one.aside == one.culprits:
            return (
                f"{who} left no flight recorder dump of the time of the others, and others wait in {call}; "
                f"{_waits(one, name_ranks)}."
            )
        case Kind.NO_DUMP:
            return f"{who} left no flight recorder dump, and others wait in {call}; {_waits(one, name_ranks)}."
        case Kind.ABORTED:
            return f"{call[0].upper()}{call[1:]} ended only by an abort after its timeout."


def _mismatch(one: FlightFinding, who: str, call: str) -> str:
    mismatch = one.mismatch
    if mismatch is None or len(mismatch.variants) < 2:
        return f"The ranks of {call} don't agree on what they call."
    said = "; ".join(_variant(variant, mismatch.what) for variant in mismatch.variants[:_VARIANTS])
    differs = f"they differ in {mismatch.what.value} ({said})"
    if not one.culprits:
        return f"The ranks of {call} don't agree: {differs}."
    verb = "calls" if len(one.culprits) == 1 else "call"
    return f"{who} {verb} something else than the others in {call}: {differs}."


def _variant(variant: Variant, what: What) -> str:
    said = variant.said
    word = "rank" if len(variant.ranks) == 1 else "ranks"
    differs = {
        What.SIZE: f"in {_shapes(said.inputs)} out {_shapes(said.outputs)}",
        What.DTYPE: f"in {'/'.join(said.input_dtypes) or 'none'} out {'/'.join(said.output_dtypes) or 'none'}",
    }.get(what, said.operation.base)
    return f"{word} {variant.ranks} {differs}"


def _shapes(shapes: Sequence[Sequence[int]]) -> str:
    text = " ".join(str(list(shape)) for shape in shapes[:2]) or "none"
    return text if len(shapes) <= 2 else f"{text} and {len(shapes) - 2} more"


def _step(step: Step) -> str:
    return (
        f"ranks {step.inside} wait in {step.op.partition(':')[2] or step.op} #{step.seq} of {group_named(step.group)} "
        f"for {step.waits_for}"
    )


def _waits(one: FlightFinding, name_ranks: Callable[[RankSet], str]) -> str:
    if not one.waiting:
        return "nobody waits in it"
    since = f" for {one.waited_s:.0f} s" if one.waited_s is not None and one.waited_s >= 1 else ""
    verb = "waits" if len(one.waiting) == 1 else "wait"
    return f"{name_ranks(one.waiting)} {verb}{since}"


def _behind(one: FlightFinding) -> str:
    if not one.groups_behind:
        return ""
    words = "other group waits" if one.groups_behind == 1 else "other groups wait"
    return f" {one.groups_behind} {words} behind it."


def _waits_itself(one: FlightFinding) -> str:
    if not one.waits_itself:
        return ""
    if len(one.culprits) == 1:
        return " By its stack it waits in communication itself."
    return " By their stacks they wait in communication themselves."


def _timing(one: FlightFinding) -> list[Evidence]:
    if one.timeout_s is None or one.waited_s is None:
        return []
    left = one.timeout_s - one.waited_s
    if left <= 0:
        return []
    return [Evidence("flight recorder", None, f"its timeout of {one.timeout_s:.0f} s strikes in {left:.0f} s")]
