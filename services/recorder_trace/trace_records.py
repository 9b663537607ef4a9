"""Events of a trace as they are written (Chrome's "Trace Event Format", the object form). Times in microseconds."""

from __future__ import annotations

import msgspec

__all__ = ["CallArguments", "FlowEnd", "FlowStart", "Slice", "TrackFact", "named", "sorted_as"]


class CallArguments(msgspec.Struct, omit_defaults=True, gc=False):
    """What is known of a rank's part in a call."""

    group: str
    op: str
    """As recorded."""
    state: str
    """As the tables of the flight recorder say it."""
    collective_seq_id: int = 0
    p2p_seq_id: int = 0
    inputs: str = ""
    """Sizes, dtypes and bytes: `[1024, 4096] bf16 8 MiB`."""
    outputs: str = ""
    entries: int = 1
    """Recorded entries that it is made of."""
    pending: bool = False
    """Not over when the dump was taken: the slice ends there."""
    end_recorded: bool = True
    """False where it is over, and nobody recorded when: the slice is a mark."""
    queued_us: float | None = None
    """From the call to its start on the device."""
    device_us: float | None = None
    """From its start on the device to its end."""
    after_first_us: float | None = None
    """How long after the first rank of the call."""
    created_ns: str = ""
    """On the rank's own clock, ns since the epoch; a text, since viewers' numbers are too coarse."""


class Slice(msgspec.Struct, omit_defaults=True, gc=False, tag_field="ph", tag="X"):
    """One part of a call."""

    pid: int
    tid: int
    ts: float
    dur: float
    name: str
    cat: str
    args: msgspec.Raw
    cname: str | None = None
    """A colour of chrome://tracing."""


class FlowStart(msgspec.Struct, gc=False, tag_field="ph", tag="s"):
    """The first rank to come to a call."""

    pid: int
    tid: int
    ts: float
    id: int
    name: str = "joined last"
    cat: str = "arrival"


class FlowEnd(msgspec.Struct, gc=False, tag_field="ph", tag="f"):
    """The last rank to come to it."""

    pid: int
    tid: int
    ts: float
    id: int
    name: str = "joined last"
    cat: str = "arrival"
    bp: str = "e"


class _Name(msgspec.Struct, omit_defaults=True):
    name: str | None = None
    labels: str | None = None
    sort_index: int | None = None


class TrackFact(msgspec.Struct, gc=False, tag_field="ph", tag="M"):
    """What a process or thread is called, and where it stands."""

    pid: int
    tid: int
    name: str
    args: _Name


def named(pid: int, tid: int | None, name: str, labels: str = "") -> list[TrackFact]:
    """The name of a process (`tid` None) or of a track; processes may have labels."""
    made = [TrackFact(pid, tid or 0, "process_name" if tid is None else "thread_name", _Name(name=name))]
    if labels:
        made.append(TrackFact(pid, 0, "process_labels", _Name(labels=labels)))
    return made


def sorted_as(pid: int, tid: int | None, place: int) -> TrackFact:
    """Where a process or a track stands among the others."""
    kind = "process_sort_index" if tid is None else "thread_sort_index"
    return TrackFact(pid, tid or 0, kind, _Name(sort_index=place))
