"""Findings of the flight recorder: their sentences are made here, for `verdict.judge`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..findings import Confidence, Evidence, Finding, Group, Severity, VerdictValue
from ..flight_recorder.causes import Kind
from ..flight_recorder.mismatch import What
from ..flight_recorder.motion import Pace
from ..looks.recorders import DUMP_FILE
from ..ranksets import RankSet, ranks_said
from ..recorder_tables.moments import span_text
from .witness import UNSEEN

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..flight_recorder.diagnosis import FlightFinding, Step
    from ..flight_recorder.groups import JobGroup
    from ..flight_recorder.mismatch import Variant
    from ..looks.recorders import RecorderLook, SlowIn
    from .witness import Witness

SLOW_RANK = "slow_rank"
"""Kind of the finding: the others wait for this rank in call after call. It never accuses."""

__all__ = ["RECORDER_VALUES", "SLOW_RANK", "call_named", "group_named", "recorder_findings", "sentence_of", "unaccused"]

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
_ADVICE_ON_FILES = (
    "Read the ends of these ranks' logs. If the job still hangs, attach to it: stacks show where they are."
)
"""Of a rank that has not joined, where there is nobody to ask."""
_ASK_THEM = "Look at these ranks too: without --ranks, or by their addresses."
_NOBODY = RankSet()


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
        told = [one for one in diagnosis.findings if not beside.excuses(one)]
        told += [one for one in diagnosis.passing if beside.backs(one)]
        weighed = [beside.weighed(one) for one in told]
        for one, beyond in (unaccused(one, beside, source) for one in weighed):
            shown_by = beside.shown_by(one.culprits)
            made.append(_finding(one, name_ranks, live=live, shown_by=shown_by, beyond=beyond))
        made += [
            _calmed(_finding(one, name_ranks, live=live), "Compiling, imports and checkpoints take long in every job.")
            for one in diagnosis.findings
            if beside.excuses(one)
        ]
        made += [
            _passing(_finding(one, name_ranks, live=live), one)
            for one in diagnosis.passing
            if one.pace is Pace.FROZEN and not one.everybody_inside and not beside.backs(one)
        ]
    return [*made, *(_slow(one, name_ranks) for one in look.slow)]


def unaccused(one: FlightFinding, beside: Witness, source: str) -> tuple[FlightFinding, RankSet]:
    """A finding without those culprits that nobody has asked, and these: that there is no dump of them says nothing.

    Args:
        beside: knows the ranks looked at.
        source: the recorder; of dump files nobody is asked.
    """
    if one.kind is not Kind.NO_DUMP or source == DUMP_FILE:
        return one, RankSet()
    beyond = beside.not_asked(one.culprits)
    if not beyond:
        return one, beyond
    confidence = Confidence.POSSIBLE if beyond == one.culprits else one.confidence
    return replace(one, culprits=one.culprits - beyond, confidence=confidence), beyond


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
    return _calmed(finding, why)


def _calmed(finding: Finding, why: str) -> Finding:
    """A finding that accuses nobody, with the reason."""
    return replace(finding, severity=Severity.INFO, confidence=Confidence.POSSIBLE, text=f"{finding.text} {why}")


def group_named(group: JobGroup | None) -> str:
    """What people call a group (`JobGroup.label`), where there is one."""
    return "an unknown group" if group is None else group.label


def call_named(one: FlightFinding) -> str:
    """`all_gather #311 of tp`."""
    return f"{one.base or one.op or 'call'} #{one.seq} of {group_named(one.group)}"


def sentence_of(
    one: FlightFinding, name_ranks: Callable[[RankSet], str], shown_by: str = "stack", beyond: RankSet = _NOBODY
) -> str:
    """A finding in one sentence, and what waits behind it.

    Args:
        shown_by: what tells that its culprits wait themselves, where they do.
        beyond: ranks that may be culprits and were not asked, see `unaccused`.
    """
    unasked = f"{ranks_said(beyond, 'is', 'are')} not among the ranks looked at"
    if beyond and not one.culprits:
        return f"Who holds up {call_named(one)} is not to be seen: {unasked}; {_waits(one, name_ranks)}."
    said = _sentence(one, name_ranks) + _behind(one) + _waits_itself(one, shown_by)
    return f"{said} But {unasked}." if beyond else said


def _finding(
    one: FlightFinding,
    name_ranks: Callable[[RankSet], str],
    *,
    live: bool,
    shown_by: str = "stack",
    beyond: RankSet = _NOBODY,
) -> Finding:
    group = one.group
    advice = _ADVICE[one.kind] if live or one.kind is not Kind.NOT_JOINED else _ADVICE_ON_FILES
    return Finding(
        kind=one.kind.value,
        severity=one.severity,
        confidence=one.confidence,
        culprits=one.culprits,
        waiting=one.waiting,
        group=None if group is None else Group(group.name, group.desc, group.members),
        op=one.op,
        seq=one.seq,
        text=sentence_of(one, name_ranks, shown_by, beyond),
        advice=_ASK_THEM if beyond and not one.culprits else advice,
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
        case Kind.NO_DUMP if one.blank and not one.culprits:
            of = f"the flight {'recorder' if len(one.blank) == 1 else 'recorders'} of {name_ranks(one.blank)}"
            has = "holds" if len(one.blank) == 1 else "hold"
            waits = _waits(one, name_ranks)
            return f"Who holds up {call} is not to be seen: {of} {has} nothing of that group; {waits}."
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
    differs = {
        What.SIZE: f"in {_shapes(said.inputs)} out {_shapes(said.outputs)}",
        What.DTYPE: f"in {'/'.join(said.input_dtypes) or 'none'} out {'/'.join(said.output_dtypes) or 'none'}",
    }.get(what, said.operation.base)
    return f"{ranks_said(variant.ranks)} {differs}"


def _shapes(shapes: Sequence[Sequence[int]]) -> str:
    text = " ".join(str(list(shape)) for shape in shapes[:2]) or "none"
    return text if len(shapes) <= 2 else f"{text} and {len(shapes) - 2} more"


def _step(step: Step) -> str:
    op = step.op.partition(":")[2] or step.op
    said = ranks_said(step.inside, "waits", "wait")
    return f"{said} in {op} #{step.seq} of {group_named(step.group)} for {step.waits_for}"


def _waits(one: FlightFinding, name_ranks: Callable[[RankSet], str]) -> str:
    if not one.waiting:
        return "nobody waits in it"
    since = f" for {_span(one.waited_s)}" if one.waited_s is not None and one.waited_s >= 1 else ""
    verb = "waits" if len(one.waiting) == 1 else "wait"
    return f"{name_ranks(one.waiting)} {verb}{since}"


def _span(seconds: float) -> str:
    """`98 s`, `28 m 20 s`, `4 h 07 m`."""
    return f"{seconds:.0f} s" if seconds < 119.5 else span_text(seconds)


def _behind(one: FlightFinding) -> str:
    if not one.groups_behind:
        return ""
    words = "other group waits" if one.groups_behind == 1 else "other groups wait"
    return f" {one.groups_behind} {words} behind it."


def _waits_itself(one: FlightFinding, shown_by: str) -> str:
    if not one.waits_itself:
        return ""
    if len(one.culprits) == 1:
        return f" By its {shown_by} it waits in communication itself."
    return f" By their {shown_by}s they wait in communication themselves."


def _timing(one: FlightFinding) -> list[Evidence]:
    if one.timeout_s is None or one.waited_s is None:
        return []
    left = one.timeout_s - one.waited_s
    if left <= 0:
        return []
    return [Evidence("flight recorder", None, f"its timeout of {_span(one.timeout_s)} strikes in {_span(left)}")]
