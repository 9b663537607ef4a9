"""All artifacts of a target, read and put together; what could not be used is told."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..flight_recorder.dump_looks import is_one_run, newest_first
from ..ranksets import RankSet, ranks_said
from ..spool import INLINE_LIMIT
from .artifact import Refused
from .log_clashes import without_clashes
from .rank_names import rank_in_name
from .reading import read
from .recognise import ArtifactKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from concurrent.futures import Executor

    from ..bundle.as_evidence import BundleEvidence
    from ..flight_recorder.dump import Dump
    from ..spool import Body, Spool
    from ..store_browse.events import StoreListing
    from ..store_browse.values import StoreValue
    from .artifact import Artifact, Evidence
    from .intake import Intake
    from .periodic_store import StoreText
    from .reading import ArtifactRead
    from .watchdog import WatchdogLine

__all__ = ["Gathered", "gather", "key_of", "traces_by_rank"]

_FOLDERS_NAMED = 6
_LOG_NAMES = (".log", ".out", ".err", ".log.gz")


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """What the files of a target say."""

    dumps: tuple[Dump, ...] = ()
    """Flight recorder dumps by rank, then time: several of one rank are looks, or come from several hosts."""
    bodies: Mapping[tuple[int, str, int], Body] = field(default_factory=dict)
    """Of the dumps, by `key_of`."""
    evidence: tuple[Evidence, ...] = ()
    watchdog: tuple[WatchdogLine, ...] = ()
    heard: RankSet = field(default_factory=RankSet)
    """Ranks that wrote into a log."""
    store: StoreText | None = None
    """The newest listing of the job's store."""
    store_at: int = 0
    """When it was written, ns since the epoch."""
    bundled_store: tuple[StoreListing, tuple[StoreValue, ...]] | None = None
    """The store's keys as the newest bundle has them."""
    hosts: Mapping[int, str] = field(default_factory=dict)
    """Of ranks, as bundles say them."""
    traces: tuple[Artifact, ...] = ()
    bundles: tuple[Artifact, ...] = ()
    """Their looks are among `dumps` and `evidence`."""
    world_size: int = 0
    """As torch's periodic dumps tell it; 0 where they don't."""
    unreadable: Mapping[int, str] = field(default_factory=dict)
    """Ranks of which no dump could be read, with the reason of the first."""
    mixed: RankSet = field(default_factory=RankSet)
    """Ranks of which dumps of several hosts or runs lie together: which belong to the others is not sure."""
    refused: tuple[Refused, ...] = ()
    silent: tuple[Refused, ...] = ()
    """Files that were read and say nothing of any rank, with why."""
    notes: tuple[str, ...] = ()
    """What limits what is said, one plain line each."""
    asides: tuple[str, ...] = ()
    """What is worth knowing and limits nothing, one plain line each."""

    @property
    def failed(self) -> tuple[Refused, ...]:
        """What belongs to the job and could not be used."""
        return tuple(one for one in self.refused if one.partial)

    @property
    def left_aside(self) -> tuple[Refused, ...]:
        """Other files that lie beside it."""
        return tuple(one for one in self.refused if not one.partial)

    @property
    def partial(self) -> bool:
        """Whether something of the job is not judged: files that failed, or all but the newest of several runs."""
        return bool(self.failed or self.mixed)

    @property
    def empty(self) -> bool:
        """Whether nothing in it says anything about a job."""
        told = self.dumps or self.evidence or self.watchdog or self.store or self.traces or self.bundles
        return not (told or self.heard)


def gather(
    intake: Intake, spool: Spool, executor: Executor | None = None, told: Callable[[int, int], None] | None = None
) -> Gathered:
    """Read all artifacts; those that fail are told, the others count all the same.

    Args:
        intake: what was found.
        spool: takes large bodies.
        executor: reads the artifacts where they lie; here, one after the other, when None.
        told: takes how many have been read, and of how many.

    Raises:
        OSError: the spool is full.
    """
    count = len(intake.artifacts)
    results = map(read, intake.artifacts) if executor is None else executor.map(read, intake.artifacts)
    reads: list[ArtifactRead] = []
    bundled: list[tuple[str, BundleEvidence]] = []
    for one in results:
        if one.kind is ArtifactKind.BUNDLE and one.refused is None:
            one = _unbundled(one, bundled, spool)
        reads.append(_spooled(one, spool))
        if told is not None:
            told(len(reads), count)
    return _joined(reads, bundled, intake)


def _unbundled(one: ArtifactRead, bundled: list[tuple[str, BundleEvidence]], spool: Spool) -> ArtifactRead:
    """Read a bundle; it is refused where nothing can be read of it."""
    from ..bundle.as_evidence import read_as_evidence  # few jobs have one
    from ..bundle.errors import BundleError

    name = one.artifact.name
    try:
        found = read_as_evidence(one.artifact, spool)
    except BundleError as error:
        return replace(one, refused=Refused(name, f"a bundle that can't be read: {error}"))
    except OSError as error:
        return replace(one, refused=Refused(name, f"a bundle that can't be read: {error.strerror or error}"))
    bundled.append((name, found))
    return one


def _joined(reads: Sequence[ArtifactRead], bundled: Sequence[tuple[str, BundleEvidence]], intake: Intake) -> Gathered:
    with_bodies = [(one.dump, one.artifact.body) for one in reads if one.dump is not None]
    with_bodies += [pair for _, found in bundled for pair in found.dumps]
    dumps = sorted((dump for dump, _ in with_bodies), key=lambda dump: (dump.rank, dump.taken_at or 0, dump.host))
    logs = without_clashes([one.log for one in reads if one.log is not None])
    periodic = [one.periodic for one in reads if one.periodic is not None]
    stores = [(one.taken_at, one.store) for one in periodic if one.store is not None]
    store_at, store = max(stores, key=lambda one: one[0], default=(0, None))
    refused = (*intake.refused, *(one.refused for one in reads if one.refused is not None))
    refused += tuple(Refused(one.artifact.name, f"{one.cut}; what came is read") for one in reads if one.cut)
    strange, others = _other_jobs(reads, bundled)
    refused += tuple(Refused(name, trouble) for name, found in bundled for trouble in found.trouble)
    stored = [found.store for _, found in bundled if found.store is not None]
    notes = [f"{one.artifact.name}: {note}" for one in reads for note in one.notes]
    folders = _in_several_folders(reads)
    return Gathered(
        dumps=tuple(dumps),
        bodies={key_of(dump): body for dump, body in with_bodies},
        evidence=tuple(
            evidence
            for source in (
                *(one.evidence for one in reads),
                *(one.evidence for one in periodic),
                *(log.evidence for log in logs),
                *(found.evidence for _, found in bundled),
            )
            for evidence in source
        ),
        watchdog=tuple(line for log in logs for line in log.watchdog),
        heard=RankSet(rank for log in logs for rank in log.heard) | _quiet_logs(reads),
        store=store,
        store_at=store_at,
        bundled_store=max(stored, key=lambda one: one[0].read_at, default=None),
        hosts={rank: host for _, found in bundled for rank, host in found.hosts.items()},
        traces=_of_kind(reads, ArtifactKind.TRACE),
        bundles=_of_kind(reads, ArtifactKind.BUNDLE),
        world_size=max(
            (*(one.world_size or 0 for one in periodic), *(found.world_size for _, found in bundled)), default=0
        ),
        unreadable=_unreadable(reads, dumps),
        mixed=others | RankSet(rank for rank, known in newest_first(dumps).items() if not is_one_run(known)),
        refused=refused,
        silent=tuple(Refused(one.artifact.name, why, partial=False) for one in reads if (why := _silence(one))),
        notes=(*strange, *_folders_said(folders), *_hosts_of_one_rank(dumps), *_runs_of_one_rank(dumps), *notes),
        asides=(*intake.notes, *(f"{name}: {line}" for name, found in bundled for line in found.said)),
    )


def _other_jobs(
    reads: Iterable[ArtifactRead], bundled: Iterable[tuple[str, BundleEvidence]]
) -> tuple[tuple[str, ...], RankSet]:
    """Bundles of jobs that have fewer ranks than the files beside them know, and the ranks that are known from them."""
    beside = RankSet(one.dump.rank for one in reads if one.dump is not None)
    beside |= RankSet(told.rank for one in reads for told in one.evidence)
    notes, ranks = [], RankSet()
    for name, found in bundled:
        if found.world_size and (beside.last or 0) >= found.world_size:
            notes.append(
                f"{name} is of a job of {found.world_size:,} ranks, and there are files of rank {beside.last}: "
                "two jobs lie together"
            )
            ranks |= RankSet(dump.rank for dump, _ in found.dumps) | RankSet(told.rank for told in found.evidence)
    return tuple(notes), ranks


def key_of(dump: Dump) -> tuple[int, str, int]:
    """What tells one dump of a target from the others: rank, file and time."""
    return dump.rank, dump.source, dump.taken_at or 0


def _silence(one: ArtifactRead) -> str:
    """Why a file that was read says nothing of any rank; empty where it says something, or was refused."""
    if one.refused is not None:
        return ""
    if one.log is not None:
        told = one.log.evidence or one.log.watchdog or one.log.heard
        return "" if told else next(iter(one.notes), "a log in which no rank says anything")
    periodic = one.periodic
    if periodic is None or periodic.evidence or periodic.store is not None:
        return ""
    if one.kind is ArtifactKind.PERIODIC_RECORDER and periodic.recorders:
        return "tables of the flight recorder as text are not judged: give its dumps (nccl_trace_rank_N)"
    if one.kind is ArtifactKind.PERIODIC_HEALTH and not one.notes:
        return "no rank of the job has torchcomms, whose health checks it would hold"
    return next(iter(one.notes), "no rank has an answer in it")


def _quiet_logs(reads: Iterable[ArtifactRead]) -> RankSet:
    """Ranks with a log in which nothing is found: that their watchdog wrote nothing tells something."""
    return RankSet(
        one.rank
        for one in reads
        if one.kind is ArtifactKind.UNKNOWN
        and one.rank is not None
        and one.artifact.body.size
        and one.artifact.file_name.lower().endswith(_LOG_NAMES)
    )


def traces_by_rank(traces: Iterable[Artifact]) -> dict[int, Artifact]:
    """Profiler traces by the rank in their names; where none says it, in their order."""
    named: dict[int, Artifact] = {}
    rest: list[Artifact] = []
    for one in traces:
        said = rank_in_name(one.file_name)
        if said is None or said[0] in named:
            rest.append(one)
        else:
            named[said[0]] = one
    if not named:  # where some say it, the others are of ranks that nobody knows
        named = dict(enumerate(rest))
    return named


def _of_kind(reads: Iterable[ArtifactRead], kind: ArtifactKind) -> tuple[Artifact, ...]:
    return tuple(one.artifact for one in reads if one.kind is kind and one.refused is None)


def _spooled(one: ArtifactRead, spool: Spool) -> ArtifactRead:
    """The same with large bodies in the spool."""
    if one.evidence:
        return replace(one, evidence=_evidence_spooled(one.evidence, spool))
    if one.log is not None:
        return replace(one, log=replace(one.log, evidence=_evidence_spooled(one.log.evidence, spool)))
    if one.periodic is not None:
        return replace(one, periodic=replace(one.periodic, evidence=_evidence_spooled(one.periodic.evidence, spool)))
    return one


def _evidence_spooled(evidence: Iterable[Evidence], spool: Spool) -> tuple[Evidence, ...]:
    return tuple(
        replace(one, body=spool.put(one.body.read())) if one.body.size > INLINE_LIMIT else one for one in evidence
    )


def _unreadable(reads: Iterable[ArtifactRead], dumps: Iterable[Dump]) -> dict[int, str]:
    readable = {dump.rank for dump in dumps}
    unreadable: dict[int, str] = {}
    for one in reads:
        failed = one.refused
        if failed is None or not failed.partial or one.kind is not ArtifactKind.RECORDER:
            continue
        if one.rank is not None and one.rank not in readable:
            unreadable.setdefault(one.rank, failed.reason)
    return unreadable


def _in_several_folders(reads: Iterable[ArtifactRead]) -> dict[int, set[str]]:
    """Ranks whose dumps lie in several folders, with these: of one job at several times, or of several jobs."""
    folders: dict[int, set[str]] = defaultdict(set)
    for one in reads:
        if one.dump is not None:
            folders[one.dump.rank].add(one.artifact.name.rpartition("/")[0])
    return {rank: names for rank, names in folders.items() if len(names) > 1}


def _folders_said(folders: Mapping[int, set[str]]) -> tuple[str, ...]:
    if not folders:
        return ()
    names = sorted(set().union(*folders.values()))
    shown = ", ".join(name or "." for name in names[:_FOLDERS_NAMED]) + (", ..." if len(names) > _FOLDERS_NAMED else "")
    return (
        f"{ranks_said(RankSet(folders), 'has', 'have')} dumps in {len(names):,} folders ({shown}): taken as looks of "
        "one job, the newest last; if they are several jobs, open one folder, or say report --summary for a line each",
    )


def _hosts_of_one_rank(dumps: Iterable[Dump]) -> tuple[str, ...]:
    hosts: dict[int, set[str]] = defaultdict(set)
    for dump in dumps:
        hosts[dump.rank].add(dump.host)
    return tuple(
        f"rank {rank} has dumps from {len(named)} hosts: {', '.join(sorted(map(repr, named)))}; the newest is judged"
        for rank, named in sorted(hosts.items())
        if len(named) > 1
    )


def _runs_of_one_rank(dumps: Iterable[Dump]) -> tuple[str, ...]:
    mixed = RankSet(
        rank
        for rank, known in newest_first(dumps).items()
        if len({dump.host for dump in known}) == 1 and not is_one_run(known)
    )
    if not mixed:
        return ()
    word = "rank" if len(mixed) == 1 else "ranks"
    return (f"{word} {mixed}: dumps of several runs lie together; the newest is judged",)
