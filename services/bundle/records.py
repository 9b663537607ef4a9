"""The JSON of a bundle: what each member holds, with the limits that a reader keeps to (docs/bundle.md).

Instants are ns since the epoch, sets of ranks texts such as `0-7,12`, durations seconds. Fields that are not known are
passed over, so that an older reader takes a newer writer's additions.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from ..artifacts.watchdog import WatchdogKind  # noqa: TC001 - msgspec reads the annotations
from ..ranksets import MAX_RANK
from ..snapshot import Outcome  # noqa: TC001 - msgspec reads the annotations

__all__ = [
    "SCHEMA",
    "ClosedRecord",
    "ContextRecord",
    "FilesRecord",
    "Hash",
    "JoinedLine",
    "Line",
    "ListedRecord",
    "ManifestRecord",
    "MembershipRecord",
    "MembershipsRecord",
    "MetaRecord",
    "OpenedLine",
    "OpenedRecord",
    "RankRecord",
    "RefusedRecord",
    "ReplyLine",
    "StoreRecord",
    "StuckLine",
    "TargetRecord",
    "ValueRecord",
    "WatchdogRecord",
    "encode",
]

SCHEMA = "xpudbg.bundle/1"

Instant: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Rank: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_RANK)]
Ranks: TypeAlias = Annotated[str, msgspec.Meta(max_length=8 * 1024 * 1024)]
Hash: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64)]
Size: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**62)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
WorldSize: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MAX_RANK + 1)]
Seconds: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e9)]
Notes: TypeAlias = Annotated[list[str], msgspec.Meta(max_length=100_000)]


class MetaRecord(msgspec.Struct, kw_only=True):
    """`meta.json`, the first member, never deflated."""

    schema: Annotated[str, msgspec.Meta(max_length=64)]
    version: str
    """Of xpudbg."""
    created_at: Instant
    target: str
    """As it is shown, without secrets."""
    redacted: list[str] = []
    """Kinds of text that were replaced: hosts, paths, store."""
    post_mortem: bool = False
    """The job was known from files alone."""


class RankRecord(msgspec.Struct, omit_defaults=True):
    """Where a rank was said to be."""

    rank: Rank
    registered: str = ""
    url: str = ""
    """Without user and password."""
    host: str = ""
    error: str = ""
    shares: Rank | None = None
    file: str = ""


class RefusedRecord(msgspec.Struct, omit_defaults=True):
    """Post mortem: a file that could not be used."""

    name: str
    reason: str
    partial: bool = True
    """Whether the answer is incomplete for it."""


class TargetRecord(msgspec.Struct, omit_defaults=True):
    """A target with its ranks, as it stood open."""

    label: str
    world_size: WorldSize
    ranks: list[RankRecord]
    notes: Notes = []
    secure: str = ""
    store: str = ""
    unused: Annotated[list[RefusedRecord], msgspec.Meta(max_length=1_000_000)] = []
    asides: Notes = []


class OpenedRecord(msgspec.Struct):
    """`looks/0001/opened.json`: a look begins."""

    look: Annotated[int, msgspec.Meta(ge=1, le=2**53)]
    taken_at: Instant
    asked: Ranks
    target: TargetRecord


class ReplyLine(msgspec.Struct, tag_field="event", tag="reply", omit_defaults=True):
    """One answer of a rank, or why there was none."""

    rank: Rank
    source: str
    outcome: Outcome
    started_at: Instant
    took_s: Seconds
    size: Size = 0
    body: Hash | None = None
    """Member `bodies/<sha256>`; null where there is nothing, or it was left out."""
    status: Annotated[int, msgspec.Meta(ge=0, le=999)] | None = None
    query: str = ""
    error: str = ""
    connected: bool = True
    how: Annotated[str, msgspec.Meta(pattern="^(look|late|asked)$", max_length=5)] = "look"
    """`late`: of a look that had closed already. `asked`: a person asked for it, outside of any look."""
    file: str = ""
    """Post mortem: name of the file."""
    left_out: str = ""
    """Why the bundle does not hold its body."""


class StuckLine(msgspec.Struct, tag_field="event", tag="stuck"):
    """The requests that a rank has not answered, from now on."""

    rank: Rank
    handlers: Annotated[list[str], msgspec.Meta(max_length=1000)]


class OpenedLine(msgspec.Struct, tag_field="event", tag="opened"):
    """The target's ranks or addresses are others from now on."""

    target: TargetRecord


class JoinedLine(msgspec.Struct, tag_field="event", tag="joined"):
    """Ranks that joined the look while it was under way."""

    ranks: Ranks


Line: TypeAlias = ReplyLine | StuckLine | OpenedLine | JoinedLine
"""One line of `looks/0001/replies-0001.jsonl` or `after-0001.jsonl`."""


class MembershipRecord(msgspec.Struct, omit_defaults=True):
    """A process group as the job's profiles name it."""

    name: str
    ranks: Ranks
    description: str = ""
    backend: str = ""
    size: WorldSize | None = None


class MembershipsRecord(msgspec.Struct, omit_defaults=True):
    """All process groups that the job's profiles name, and its world size."""

    groups: Annotated[list[MembershipRecord], msgspec.Meta(max_length=100_000)]
    world_size: WorldSize | None = None


class ContextRecord(msgspec.Struct, omit_defaults=True):
    """What the analyses of the look rest on beside the replies."""

    without_counters: Ranks = ""
    group_sizes: dict[str, WorldSize] = {}
    memberships: dict[Rank, MembershipsRecord] = {}
    may_wait: Ranks | None = None


class WatchdogRecord(msgspec.Struct, omit_defaults=True):
    """A line of NCCL's watchdog in a log; `artifacts.watchdog.WatchdogLine` says what its fields mean."""

    kind: WatchdogKind
    rank: Rank | None
    artifact: str
    number: Size
    text: str
    at: Instant | None = None
    op: str = ""
    seq: Count | None = None
    group_id: str = ""
    group_desc: str = ""
    group_shared: bool = False
    group_rank: Count | None = None
    rank_sure: bool = True
    numel_in: Count | None = None
    numel_out: Count | None = None
    timeout_ms: Count | None = None
    ran_ms: Count | None = None
    last_enqueued: Count | None = None
    last_completed: Count | None = None
    behind: Ranks = ""


class FilesRecord(msgspec.Struct, omit_defaults=True):
    """Post mortem: what the files said beside their contents."""

    unreadable: dict[Rank, str] = {}
    """Why a rank's file could not be used."""
    mixed: Ranks = ""
    """Ranks of which files of several hosts or runs lay together."""
    heard: Ranks = ""
    """Ranks that wrote into a log."""
    watchdog: Annotated[list[WatchdogRecord], msgspec.Meta(max_length=1_000_000)] = []


class ClosedRecord(msgspec.Struct, omit_defaults=True):
    """`looks/0001/closed.json`: the look has ended."""

    closed_at: Instant
    cancelled: bool = False
    partial: bool = False
    analysed: bool = False
    """Whether its replies were analysed; a look that was cancelled before is not."""
    notes: Notes = []
    context: ContextRecord | None = None
    files: FilesRecord | None = None


class ValueRecord(msgspec.Struct, omit_defaults=True):
    """One value of the store; what is no UTF-8 text stands in base64."""

    key: str | None = None
    key64: bytes | None = None
    text: str | None = None
    base64: bytes | None = None
    length: Size = 0
    """Bytes of the whole value; of a long one only the beginning was read."""
    read_at: Instant = 0
    gone: bool = False
    error: str = ""


class ListedRecord(msgspec.Struct, omit_defaults=True):
    """The keys of the store."""

    read_at: Instant
    count: Size
    keys: list[str | None]
    """null stands for a key that is no UTF-8 text; these follow in their order in `keys64`."""
    keys64: list[bytes] = []
    note: str = ""


class StoreRecord(msgspec.Struct):
    """`store.json`: keys of the store, and the values that had been read."""

    listing: ListedRecord | None
    values: list[ValueRecord]


class ListedMember(msgspec.Struct):
    size: Size
    sha256: Hash


class ManifestRecord(msgspec.Struct):
    """`manifest.json`, the last member: every other one with its size and the SHA-256 of its content."""

    members: dict[str, ListedMember]


def encode(value: object) -> bytes:
    """A record, or plain values, as JSON in one line."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # lone surrogates in what a rank said
        return msgspec.json.encode(_mended(msgspec.to_builtins(value)))


def _mended(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_mended(key): _mended(part) for key, part in value.items()}
    return [_mended(part) for part in value] if isinstance(value, list) else value
