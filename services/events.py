"""What the engine tells its consumer, and what a person changes: immutable events for `Session.apply`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .bundle.events import BundleEvent
from .console.events import ConsoleEvent
from .profiles.events import ProfileEvent
from .store_browse.events import StoreEvent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .artifacts.artifact import Refused
    from .counters.look import CounterLook
    from .dispatch.errors import DispatchError
    from .dispatch.progress import Progress
    from .dispatch.run_loop import OpRun
    from .looks.analysis import LookFindings
    from .looks.recorders import RecorderLook
    from .looks.stacks import StackLook
    from .ranksets import RankSet
    from .snapshot import LookContext, RankAddress, RankReply

__all__ = [
    "Analysed",
    "AnalysedAgain",
    "AskedReply",
    "EngineFailed",
    "Event",
    "LateReply",
    "LookClosed",
    "LookPacked",
    "LookShown",
    "LookStarted",
    "OpEnded",
    "OpProgressed",
    "RankSelected",
    "RanksMarked",
    "ReplyArrived",
    "StuckChanged",
    "TargetClosed",
    "TargetFailed",
    "TargetOpened",
    "TargetOpening",
    "TargetProgress",
    "TransferProgress",
]


@dataclass(frozen=True, slots=True)
class TargetOpening:
    """The engine begins to read a target: asking the store, starting the demo."""

    label: str


@dataclass(frozen=True, slots=True)
class TargetProgress:
    """How far the reading of files is, before the first look or when they are read again."""

    done: int
    count: int
    """Files to read; 0 while they are looked for."""
    said: str = ""
    """One plain line about what is looked for or unpacked now."""


@dataclass(frozen=True, slots=True)
class TargetOpened:
    """The ranks are known. Sent again when a later look finds other ranks or addresses."""

    label: str
    world_size: int
    addresses: tuple[RankAddress, ...]
    """One for each rank that is looked at, in ascending order, those not registered included."""
    notes: tuple[str, ...] = ()
    """What a person should know about the target, one plain line each."""
    secure: str = ""
    """`insecure` when TLS certificates are not checked, else empty."""
    store: str = ""
    """host:port of the job's store; empty where the target names none."""
    replayed: str = ""
    """Where the looks come from when the job is not asked any more (a bundle), one plain line; empty for a live job."""
    unused: tuple[Refused, ...] = ()
    """Of a target of files: those that could not be used, the job's own first, then what is left aside."""
    asides: tuple[str, ...] = ()
    """What a person should know and what limits nothing, one plain line each."""
    of_files: bool = False
    """The job is known from files alone, be it that they name no rank."""


@dataclass(frozen=True, slots=True)
class TargetFailed:
    """The target could not be reached or read at all."""

    label: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class TargetClosed:
    """The engine has let go of the target."""


@dataclass(frozen=True, slots=True)
class LookStarted:
    """A look begins; sent again with the same id when ranks join it that registered meanwhile."""

    look_id: int
    taken_at: int
    """ns since the epoch."""
    ranks: RankSet
    """The ranks that this look asks."""


@dataclass(frozen=True, slots=True)
class ReplyArrived:
    """A rank has answered, or has not; the look goes on."""

    look_id: int
    reply: RankReply


@dataclass(frozen=True, slots=True)
class TransferProgress:
    """A large body is on its way."""

    look_id: int
    rank: int
    source: str
    received: int
    """Bytes so far."""


@dataclass(frozen=True, slots=True)
class AskedReply:
    """The answer to a request that a person made for one rank, outside of any look."""

    reply: RankReply


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the heavy analyses made of a look; comes before its LookClosed."""

    look_id: int
    stacks: StackLook
    recorder: RecorderLook
    recorded: StackLook | None = None
    """Stacks that the recorders of files kept of the calls that are not over."""
    counters: CounterLook | None = None
    """None for a job that is known from files."""


@dataclass(frozen=True, slots=True)
class AnalysedAgain:
    """The analyses of an older look, which had been let go of, have been made again; or why they could not be."""

    look_id: int
    taken_at: int
    """Of the look, ns since the epoch: numbers of looks begin anew with each target."""
    found: LookFindings | None
    failure: str = ""
    """One plain line; empty where they could be."""


@dataclass(frozen=True, slots=True)
class LookPacked:
    """The bodies of an older look have left the memory."""

    look_id: int
    taken_at: int
    """Of the look, ns since the epoch."""
    replies: Mapping[tuple[int, str], RankReply]
    """The same replies, their bodies in a file."""


@dataclass(frozen=True, slots=True)
class LateReply:
    """An answer to a request of an earlier look came after that look had closed."""

    reply: RankReply


@dataclass(frozen=True, slots=True)
class StuckChanged:
    """The requests that a rank has not answered."""

    rank: int
    handlers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LookClosed:
    """A look is at its end, and what came is all that belongs to it."""

    look_id: int
    closed_at: int
    """ns since the epoch."""
    cancelled: bool = False
    notes: tuple[str, ...] = ()
    partial: bool = False
    """Something that should have been read could not be."""
    more: bool = False
    """Another look follows by itself (files and bundles hold several)."""
    context: LookContext | None = None
    """What its analyses rest on; None where there were none."""


@dataclass(frozen=True, slots=True)
class OpProgressed:
    """How far an op run has come."""

    run_id: str
    progress: Progress


@dataclass(frozen=True, slots=True)
class OpEnded:
    """An op run is over: either a result or an error."""

    run_id: str
    run: OpRun | None
    error: DispatchError | None
    number: int | None = None
    """In the run history; None when it is not there."""
    history_note: str = ""
    """What is wrong with the history, one plain line; empty when nothing is."""


@dataclass(frozen=True, slots=True)
class EngineFailed:
    """A defect of xpudbg itself: the engine goes on, but what it was doing is lost."""

    doing: str
    error: str
    """Type and message of the exception."""
    trace: str
    """Traceback as text, for the log."""


@dataclass(frozen=True, slots=True)
class RankSelected:
    """A person chose a rank."""

    rank: int


@dataclass(frozen=True, slots=True)
class LookShown:
    """A person goes to a look."""

    look_id: int | None
    """None for the newest state."""


@dataclass(frozen=True, slots=True)
class RanksMarked:
    """A person changed the mark set."""

    ranks: RankSet


Event = (
    TargetOpening
    | TargetProgress
    | TargetOpened
    | TargetFailed
    | TargetClosed
    | LookStarted
    | ReplyArrived
    | TransferProgress
    | Analysed
    | AnalysedAgain
    | AskedReply
    | LateReply
    | StuckChanged
    | LookClosed
    | LookPacked
    | LookShown
    | OpProgressed
    | OpEnded
    | EngineFailed
    | RankSelected
    | RanksMarked
    | BundleEvent
    | ConsoleEvent
    | ProfileEvent
    | StoreEvent
)
