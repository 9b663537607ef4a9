"""The flight recorders of one look: decoded, matched, compared with the look before, and diagnosed.

`RecorderAnalyst` keeps the analysis of the look before; it is used from one thread at a time.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..flight_recorder.analysis import analyse
from ..flight_recorder.causes import Kind
from ..flight_recorder.coordinates import coordinates
from ..flight_recorder.decode import decode
from ..flight_recorder.diagnosis import SOON_S, Diagnosis, diagnose
from ..flight_recorder.dump import DumpError
from ..flight_recorder.motion import Pace
from ..flight_recorder.slow import find_slow
from ..judging.history import History
from ..profiles.recorder_groups import with_memberships
from ..progress.matrix import EMPTY, Progress, progress_of
from ..ranksets import RankSet
from ..snapshot import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ..findings import Finding
    from ..flight_recorder.analysis import Analysis
    from ..flight_recorder.dump import Dump
    from ..flight_recorder.groups import JobGroup
    from ..flight_recorder.slow import SlowRank
    from ..profiles.memberships import Memberships
    from ..snapshot import RankReply

__all__ = ["DUMP_FILE", "RecorderAnalyst", "RecorderLook", "SlowIn"]

DUMP_FILE = "dump_file"
"""Source of dumps that were read from files."""


@dataclass(frozen=True, slots=True)
class SlowIn:
    """A slow rank with the group in which it shows most plainly."""

    rank: SlowRank
    group: JobGroup


@dataclass(frozen=True, slots=True)
class RecorderLook:
    """What the flight recorders of one look say. Immutable."""

    look_id: int
    diagnoses: Mapping[str, Diagnosis] = field(default_factory=dict)
    """By handler: a job may have a recorder for NCCL and one for what runs on the CPU. Empty ones are left out."""
    unreadable: Mapping[int, str] = field(default_factory=dict)
    """Why a dump that came can't be used, by rank, one plain line."""
    slow: tuple[SlowIn, ...] = ()
    """Ranks that their groups wait for again and again."""
    coordinates: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    """Where each rank is along the dimensions of the job (tp, pp, dp, ...), as far as its groups tell."""
    progress: Progress = EMPTY
    """How far each rank is in each group."""
    logged: tuple[Finding, ...] = ()
    """What lines of NCCL's watchdog in the job's logs say (post mortem)."""

    @property
    def ranks(self) -> RankSet:
        """Ranks whose dump was read and holds something."""
        return RankSet(
            dump.rank for one in self.diagnoses.values() for dump in one.analysis.job.dumps if not dump.silent
        )

    @property
    def read(self) -> RankSet:
        """Ranks whose dump was read, with something in it or not."""
        return RankSet(dump.rank for one in self.diagnoses.values() for dump in one.analysis.job.dumps)

    @property
    def inside(self) -> RankSet:
        """Ranks that are inside a call by their recorder: its entries, or its counters where it has lost the entry."""
        waits = [one.analysis.waits for one in self.diagnoses.values()]
        return RankSet(rank for one in waits for rank in (*one.current, *one.hidden))

    @property
    def not_joined(self) -> RankSet:
        """Ranks that have not joined a call in which others wait, whether that stands or passes."""
        found = RankSet()
        for one in self.diagnoses.values():
            for finding in (*one.findings, *one.passing):
                if finding.kind is Kind.NOT_JOINED:
                    found |= finding.culprits
        return found

    @property
    def missed(self) -> RankSet | None:
        """Ranks that a call waits for, or of which it is not known; None when that can't be told."""
        if not self.moved and not self.stood:
            return None
        found = RankSet()
        for one in self.diagnoses.values():
            for call in one.analysis.waits.calls:
                if call.unseen:
                    return None
                found |= call.missing | call.absent | call.unclear | call.behind
        return found

    @property
    def moved(self) -> RankSet:
        """Ranks that have made or ended a call since the look before."""
        return RankSet(rank for rank, pace in self._paces() if pace in (Pace.MOVING, Pace.CRAWLING))

    @property
    def stood(self) -> RankSet:
        """Ranks known to have made and ended none since the look before."""
        return RankSet(rank for rank, _ in self._paces()) - self.moved

    @property
    def rested(self) -> RankSet:
        """Those of them whose newest call is older than a step of some seconds may be."""
        recent = RankSet(
            dump.rank
            for one in self.diagnoses.values()
            for dump in one.analysis.job.dumps
            if len(dump.entries)
            and dump.taken_at is not None
            and dump.taken_at - int(dump.entries.created.max()) < SOON_S * 1e9
        )
        return self.stood - recent

    def _paces(self) -> Iterator[tuple[int, Pace]]:
        for one in self.diagnoses.values():
            yield from one.paces.items()


class RecorderAnalyst:
    """Reads and judges the flight recorders of one attachment look by look."""

    def __init__(self, sources: Iterable[str]) -> None:
        """
        Args:
            sources: names of the handlers that give dumps, the one that counts most first.
        """
        self._sources = tuple(sources)
        self._history: defaultdict[str, History[Analysis]] = defaultdict(History)

    def analyse(
        self,
        look_id: int,
        taken_at: int,
        replies: Mapping[tuple[int, str], RankReply],
        world_size: int,
        ranks: RankSet,
        *,
        sizes: Mapping[str, int] | None = None,
        hosts: Mapping[int, str] | None = None,
        memberships: Mapping[int, Memberships] | None = None,
    ) -> RecorderLook:
        """The flight recorders of a look.

        Args:
            look_id: number of the look.
            taken_at: when it was taken, ns since the epoch.
            replies: the replies of the look, by rank and source.
            world_size: number of ranks of the job.
            ranks: the ranks that were asked.
            sizes: number of members of groups by name, as the store knows them (Gloo's dumps don't).
            hosts: host of each rank: ranks of one host share one clock.
            memberships: who is in which group, by the rank whose profile said so (Gloo's dumps don't).

        Raises:
            OSError: a spooled body can't be read.
        """
        diagnoses: dict[str, Diagnosis] = {}
        unreadable: dict[int, str] = {}
        for source in self._sources:
            dumps, failed = _read(replies, source)
            unreadable |= failed
            if memberships:
                dumps = with_memberships(dumps, memberships)
            if all(dump.silent for dump in dumps):
                continue
            silent = {rank: _why(replies, rank, source) for rank in ranks - RankSet(dump.rank for dump in dumps)}
            diagnoses[source] = self._judge(
                source, taken_at, dumps, world_size, silent | failed, live=True, sizes=sizes
            )
        return _look(look_id, diagnoses, unreadable, hosts)

    def judge_files(
        self,
        look_id: int,
        taken_at: int,
        dumps: Sequence[Dump],
        world_size: int,
        unreadable: Mapping[int, str],
        mixed: RankSet | None = None,
    ) -> RecorderLook:
        """The same for dumps from files, at most one for each rank.

        Args:
            look_id: number of the look.
            taken_at: of the newest dump, ns since the epoch.
            dumps: the dumps.
            world_size: number of ranks of the job.
            unreadable: ranks whose dump could not be read, and why.
            mixed: ranks of which dumps of several hosts or runs lie together.
        """
        diagnosis = self._judge(DUMP_FILE, taken_at, dumps, world_size, unreadable, live=False, mixed=mixed)
        return _look(look_id, {DUMP_FILE: diagnosis}, unreadable, None)

    def _judge(
        self,
        source: str,
        taken_at: int,
        dumps: Sequence[Dump],
        world_size: int,
        unreadable: Mapping[int, str],
        *,
        live: bool,
        sizes: Mapping[str, int] | None = None,
        mixed: RankSet | None = None,
    ) -> Diagnosis:
        now = analyse(dumps, world_size=world_size, sizes=sizes, unreadable=unreadable, files=not live)
        history = self._history[source]
        diagnosis = diagnose(now, history.before(taken_at), live=live, mixed=mixed)
        history.add(taken_at, now)
        return diagnosis


def _look(
    look_id: int, diagnoses: Mapping[str, Diagnosis], unreadable: Mapping[int, str], hosts: Mapping[int, str] | None
) -> RecorderLook:
    slow: list[SlowIn] = []
    placed: dict[int, Mapping[str, int]] = {}
    for one in diagnoses.values():
        groups = one.analysis.job.groups
        slow += [SlowIn(found, groups[found.group]) for found in find_slow(one.analysis, hosts)]
        placed = {**coordinates(groups), **placed}
    return RecorderLook(look_id, diagnoses, unreadable, tuple(slow), placed, progress_of(diagnoses, slow))


def _read(replies: Mapping[tuple[int, str], RankReply], source: str) -> tuple[list[Dump], dict[int, str]]:
    dumps: list[Dump] = []
    failed: dict[int, str] = {}
    for (rank, asked), reply in replies.items():
        if asked != source or reply.outcome is not Outcome.OK:
            continue
        try:
            dump = decode(reply.body.read(), rank)
        except DumpError as error:
            failed[rank] = f"{source}: {error}"
        else:
            dumps.append(replace(dump, source=source, taken_at=reply.ended_at))
    return dumps, failed


def _why(replies: Mapping[tuple[int, str], RankReply], rank: int, source: str) -> str:
    for name in (source, "ping"):
        reply = replies.get((rank, name))
        if reply is not None and reply.error:
            return f"{name}: {reply.error}"
    return "it was not asked"
