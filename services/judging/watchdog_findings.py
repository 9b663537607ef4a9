"""Findings from what NCCL's watchdog left in the logs of a job, for a job of which nothing else is there.

The watchdog of a rank knows its own rank alone. Put side by side, the lines of several ranks tell who has not made the
call in which the others timed out; where they don't, nobody is accused. A flight recorder knows more and goes before.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from ..artifacts.watchdog import WatchdogKind
from ..findings import Confidence, Evidence, Finding, Group, Severity
from ..flight_recorder.causes import Kind
from ..ranksets import RankSet, ranks_said
from ..recorder_tables.moments import span_text
from .watchdog_groups import one_episode, timed_out_groups

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..artifacts.watchdog import WatchdogLine
    from .watchdog_groups import TimedOutGroup

__all__ = ["SOURCE", "watchdog_findings"]

SOURCE = "watchdog"
"""Of the evidence."""
_EVIDENCE = 8
"""Lines of one finding that are quoted."""
_ALIKE = 2
"""Timeouts that say the same on many ranks and are quoted beside what tells ranks apart."""
_SAME_SIZE = frozenset(("ALLREDUCE",))
"""Operations to which all ranks bring as many elements."""
_ROOTED = frozenset(("BROADCAST", "REDUCE", "GATHER", "SCATTER", "_BROADCAST_OOP", "_REDUCE_OOP"))
"""Operations that may end on one rank while others still wait."""

_READ_LOG = "Read the log around the watchdog's timeout: what happened before it is the cause."
_READ_LOGS_OF = "Read the ends of these ranks' logs before the timeout; dumps of the flight recorder would tell more."


def watchdog_findings(
    lines: Iterable[WatchdogLine],
    heard: RankSet,
    world_size: int,
    name_ranks: Callable[[RankSet], str] = ranks_said,
) -> tuple[Finding, ...]:
    """What the watchdog's lines say, first causes first.

    Args:
        lines: of all logs.
        heard: ranks that have a log at all, or lines in one.
        world_size: ranks of the job, 0 when that is not known.
        name_ranks: writes a rank set, with its hosts where they are known.
    """
    known = [line for line in one_episode(lines) if line.rank is not None]
    heard = heard | RankSet(line.rank for line in known if line.rank is not None)
    groups = timed_out_groups(known)
    if not groups:
        return tuple(_without_timeout(known, name_ranks))
    told = _Told(known, groups, heard, RankSet.full(world_size) if world_size else heard, name_ranks)
    found = [told.of(group) for group in groups]
    accusing = [finding for finding in found if finding.culprits]
    if accusing:
        # Who waits elsewhere waits behind these, as far as the lines tell.
        return tuple(accusing)
    telling = [finding for finding in found if finding.kind != Kind.ABORTED.value]
    if telling or len(groups) == 1:
        return tuple(telling or found)
    return (told.of_all(),)


class _Told:
    """The lines of one episode side by side."""

    def __init__(
        self,
        lines: Sequence[WatchdogLine],
        groups: Sequence[TimedOutGroup],
        heard: RankSet,
        world: RankSet,
        name_ranks: Callable[[RankSet], str],
    ) -> None:
        self._lines = lines
        self._groups = groups
        self._heard = heard
        self._world = world
        self._named = name_ranks
        self._speaking = RankSet(line.rank for line in lines if line.rank is not None)

    def of(self, group: TimedOutGroup) -> Finding:
        """The finding about one group."""
        if group.comparable:
            mismatch = self._mismatch(group)
            if mismatch is not None:
                return mismatch
            if group.behind:
                return self._behind(group)
            if group.done and group.timeouts:
                return self._not_completed(group)
        quiet = self._quiet(group)
        return self._possible(group, quiet) if quiet else self._nobody(group)

    def of_all(self) -> Finding:
        """Several groups timed out and nothing tells ranks apart."""
        waits = "; ".join(self._waited(group) for group in self._groups[:3])
        more = f"; so did others in {len(self._groups) - 3} more groups" if len(self._groups) > 3 else ""
        return self._made(
            self._groups[0],
            Kind.ABORTED,
            Confidence.LIKELY,
            text=f"{_capital(waits)}{more}. The lines don't tell who held them up{self._not_heard()}.",
            waiting=RankSet(rank for group in self._groups for rank in group.timeouts),
        )

    def _mismatch(self, group: TimedOutGroup) -> Finding | None:
        """Ranks that call different operations, or sizes that have to be equal, by one number."""
        sized = all(line.numel_in is not None for line in group.timeouts.values())
        said = {rank: _variant(line) if sized else line.op for rank, line in group.timeouts.items()}
        counted = Counter(said.values()).most_common()
        if len(counted) < 2:
            return None
        usual, many = counted[0]
        odd = RankSet(rank for rank, variant in said.items() if variant != usual)
        culprits = odd if 2 * many > len(said) and many > 1 else RankSet()
        parts = [
            f"{ranks_said(RankSet(rank for rank, one in said.items() if one == variant), 'calls', 'call')} {variant}"
            for variant, _ in counted[:3]
        ]
        place = f"#{group.seq} of {_group_said(group)}"
        who = f"{_capital(self._named(culprits))} {_verb(culprits, 'calls', 'call')} something else than the others in"
        disagree = "The ranks don't agree on"
        return self._made(
            group,
            Kind.MISMATCH,
            Confidence.LIKELY,
            culprits,
            text=f"{who if culprits else disagree} {place}: {'; '.join(parts)}.",
            advice="Compare the code paths of these ranks before the call: a condition that differs between ranks.",
            refutation="The lines are of different attempts of the job, or of different groups of one name.",
            lines=[group.timeouts[rank] for rank in (*culprits, *(RankSet(said) - culprits))],
        )

    def _behind(self, group: TimedOutGroup) -> Finding:
        """Ranks that have not made the call in which others timed out."""
        behind, inside = group.behind, group.inside
        elsewhere = RankSet(rank for other in self._groups if other.id != group.id for rank in other.timeouts)
        culprits = behind - elsewhere
        waits = _capital(self._waited(group))
        shown = [group.enqueued[rank][1] for rank in (*culprits, *(behind - culprits))]
        if not culprits:
            return self._made(
                group,
                Kind.ABORTED,
                Confidence.LIKELY,
                text=f"{waits}. {_capital(self._named(behind))} {_verb(behind, 'has', 'have')} not made that call and "
                f"{_verb(behind, 'waits itself', 'wait themselves')} in another group.",
                lines=shown,
            )
        if len(culprits) > len(inside):
            return self._made(
                group,
                Kind.NOT_JOINED,
                Confidence.POSSIBLE,
                text=f"{waits}. {_capital(self._named(culprits))} {_verb(culprits, 'has', 'have')} not made that call: "
                f"these are late, or {self._named(inside)} {_verb(inside, 'makes', 'make')} one call too many.",
                advice=_READ_LOGS_OF,
                lines=shown,
            )
        last = sorted({group.enqueued[rank][0] for rank in culprits})
        at = f"#{last[0]}" if last[0] >= 0 else "none"
        if len(last) > 1:
            at = f"#{last[0]} to #{last[-1]}"
        one = len(culprits) == 1
        # The others have ended the call before, so these must have made it. A rank that is further behind has counted
        # something else (P2P calls have numbers of their own), or a rooted call let the others run ahead.
        right_before = last[0] == group.seq - 1 or (last[-1] < 0 and group.seq <= 1)
        return self._made(
            group,
            Kind.NOT_JOINED,
            Confidence.LIKELY if right_before and len(culprits) < len(inside) else Confidence.POSSIBLE,
            culprits,
            text=f"{_capital(self._named(culprits))} {'has' if one else 'have'} not joined {_call_said(group)}; "
            f"{'its' if one else 'their'} last call there is {at}. {waits}.",
            advice=_READ_LOGS_OF,
            refutation="A dump of the flight recorder shows that these ranks had made the call.",
            lines=shown,
        )

    def _not_completed(self, group: TimedOutGroup) -> Finding:
        """Ranks for which a call has not ended that has ended for others."""
        culprits, done = RankSet(group.timeouts), group.done
        rooted = any(line.op in _ROOTED for line in group.timeouts.values())
        named = culprits if len(culprits) < len(done) and not rooted else RankSet()
        has, ended = _verb(culprits, "has", "have"), _verb(done, "has", "have")
        return self._made(
            group,
            Kind.DEVICE_STUCK,
            Confidence.POSSIBLE,  # a P2P call may have given the others their number
            named,
            text=f"{_capital(self._named(culprits))} {has} joined {_call_said(group)} and not completed it until the "
            f"watchdog's timeout, while {self._named(done)} {ended}.",
            advice="Look at the device of these ranks: Xid and link errors in the kernel log, clocks, ECC.",
            refutation="A dump of the flight recorder shows the call open on all ranks.",
            lines=[*group.timeouts.values(), *(group.completed[rank][1] for rank in done)],
        )

    def _quiet(self, group: TimedOutGroup) -> RankSet:
        """Ranks that have a log without a line of the watchdog while all others timed out in one call."""
        if (group.id and not group.default) or group.later or len({_variant(x) for x in group.timeouts.values()}) > 1:
            return RankSet()
        quiet = (self._heard & self._world) - self._speaking
        others = self._world - quiet
        return quiet if others <= group.inside and 2 * len(quiet) < len(self._world) else RankSet()

    def _possible(self, group: TimedOutGroup, quiet: RankSet) -> Finding:
        has, waits = _verb(quiet, "has", "have"), _capital(self._waited(group))
        return self._made(
            group,
            Kind.NOT_JOINED,
            Confidence.POSSIBLE,
            quiet,
            text=f"{_capital(self._named(quiet))} may not have joined {_call_said(group)}: "
            f"{_verb(quiet, 'it', 'they')} {has} a log without a word of the watchdog. {waits}.",
            advice=_READ_LOGS_OF,
            refutation="A dump of the flight recorder shows that these ranks had made the call, or their log is cut.",
        )

    def _nobody(self, group: TimedOutGroup) -> Finding:
        return self._made(
            group,
            Kind.ABORTED,
            Confidence.LIKELY,
            text=f"{_capital(self._waited(group))}. The lines don't tell who held it up{self._not_heard()}.",
        )

    def _not_heard(self) -> str:
        absent = self._world - self._heard
        if not absent:
            return ""
        return f": nothing is known of {self._named(absent)}"

    def _waited(self, group: TimedOutGroup) -> str:
        """`ranks 0-6 waited 10 m 00 s in ALLREDUCE #311 of the default group until the watchdog's timeout`."""
        ranks = RankSet(group.timeouts)
        ran = max((line.ran_ms or line.timeout_ms or 0 for line in group.timeouts.values()), default=0)
        return f"{self._named(ranks)} waited {_span(ran)} in {_call_said(group)} until the watchdog's timeout"

    def _made(
        self,
        group: TimedOutGroup,
        kind: Kind,
        confidence: Confidence,
        culprits: RankSet | None = None,
        *,
        text: str,
        advice: str = _READ_LOG,
        refutation: str = "A dump of the flight recorder or the log of another rank tells who came too late.",
        waiting: RankSet | None = None,
        lines: Sequence[WatchdogLine] = (),
    ) -> Finding:
        culprits = RankSet() if culprits is None else culprits
        shown = [*lines, *[line for line in group.timeouts.values() if line not in lines][:_ALIKE]]
        more = [line for line in self._lines if line.rank in culprits and line.kind in _ODD and line not in shown]
        first = next(iter(group.timeouts.values()))
        unsure = not all(line.rank_sure for line in group.timeouts.values())
        if unsure and confidence is not Confidence.POSSIBLE:
            confidence = Confidence.POSSIBLE if culprits else confidence
        return Finding(
            kind=kind.value,
            severity=Severity.CRITICAL if confidence is not Confidence.POSSIBLE else Severity.WARNING,
            confidence=confidence,
            culprits=culprits,
            text=text,
            advice=advice,
            refutation=refutation,
            evidence=tuple(_evidence(line) for line in (*more, *shown)[:_EVIDENCE]),
            waiting=(group.inside if waiting is None else waiting) - culprits,
            group=Group(group.id, group.desc, group.ranks) if group.shared else None,
            op=first.op or None,
            seq=group.seq,
        )


_ODD = frozenset((WatchdogKind.STUCK, WatchdogKind.GIL, WatchdogKind.ERROR))


def _without_timeout(lines: Sequence[WatchdogLine], name_ranks: Callable[[RankSet], str]) -> list[Finding]:
    """What remains where nothing timed out: a watchdog that stands still, an error of NCCL."""
    made = []
    stuck = [line for line in lines if line.kind is WatchdogKind.STUCK]
    if stuck:
        ranks = RankSet(line.rank for line in stuck if line.rank is not None)
        longest = max(line.ran_ms or 0 for line in stuck)
        made.append(
            Finding(
                kind=Kind.DEVICE_STUCK.value,
                severity=Severity.WARNING,
                confidence=Confidence.POSSIBLE,
                culprits=ranks,
                text=f"The watchdog of {name_ranks(ranks)} has stood still for {_span(longest)}: a call of CUDA or "
                "NCCL does not return, or a thread holds the GIL.",
                advice="py-spy dump --native on these ranks shows the call; look at their devices in the kernel log.",
                refutation="The watchdog goes on later in the log.",
                evidence=tuple(_evidence(line) for line in stuck[:_EVIDENCE]),
            )
        )
    errors = [line for line in lines if line.kind is WatchdogKind.ERROR]
    if errors:
        ranks = RankSet(line.rank for line in errors if line.rank is not None)
        made.append(
            Finding(
                kind=Kind.ABORTED.value,
                severity=Severity.CRITICAL,
                confidence=Confidence.LIKELY,
                culprits=RankSet(),
                text=f"NCCL reported an error to {name_ranks(ranks)} in {errors[0].op} #{errors[0].seq}.",
                advice=_READ_LOG,
                refutation="The job went on after it.",
                evidence=tuple(_evidence(line) for line in errors[:_EVIDENCE]),
                waiting=ranks,
                op=errors[0].op or None,
                seq=errors[0].seq,
            )
        )
    return made


def _evidence(line: WatchdogLine) -> Evidence:
    return Evidence(SOURCE, line.rank, f"{line.artifact}:{line.number}: {line.text}")


def _variant(line: WatchdogLine) -> str:
    """What a rank called, as far as all ranks have to call the same."""
    if line.op in _SAME_SIZE and line.numel_in is not None:
        return f"{line.op} of {line.numel_in:,} elements"
    return line.op


def _call_said(group: TimedOutGroup) -> str:
    ops = sorted({line.op for line in group.timeouts.values() if line.op})
    return f"{'/'.join(ops[:2]) or 'a call'} #{group.seq} of {_group_said(group)}"


def _group_said(group: TimedOutGroup) -> str:
    if group.default:
        return "the default group"
    if not group.id:
        return "a group that the lines don't name"
    return f"{group.desc} (group {group.id})" if group.desc else f"group {group.id}"


def _span(milliseconds: int) -> str:
    seconds = milliseconds / 1_000
    return f"{seconds:.0f} s" if seconds < 119.5 else span_text(seconds)


def _verb(ranks: RankSet, one: str, many: str) -> str:
    return one if len(ranks) == 1 else many


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
