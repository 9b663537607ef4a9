"""What a profiling name says: `nccl:send 0->3` is a send of group-local rank 0 to 3. Any backend, any operation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

__all__ = ["Kind", "Operation", "Rule", "operation"]


class Kind(StrEnum):
    """What kind of call an entry records."""

    COLLECTIVE = "collective"
    SEND = "send"
    RECV = "recv"
    BATCH_END = "batch_end"
    """Closes a coalesced group: the entries before it with the same sequence number belong to it."""


class Rule(StrEnum):
    """How the sizes of one collective relate between ranks."""

    SAME = "same"
    """Every rank gives as many elements as any other, and gets as many: all_reduce, reduce."""
    BROADCAST = "broadcast"
    """As SAME, with sizes and dtypes only on some ranks."""
    ALL_GATHER = "all_gather"
    """The output has the inputs of all ranks."""
    REDUCE_SCATTER = "reduce_scatter"
    """The input has the outputs of all ranks."""
    GATHER = "gather"
    """All give the same; outputs only on the root."""
    SCATTER = "scatter"
    """All get the same; inputs only on the root."""
    ALL_TO_ALL = "all_to_all"
    """What one sends to another is what that one gets from it; nothing else is fixed."""
    NONE = "none"
    """Nothing is known or demanded."""


@dataclass(frozen=True, slots=True)
class Operation:
    """A parsed profiling name."""

    recorded: str
    backend: str
    base: str
    """Name without backend, `_` in front, and without the ranks of a send or recv."""
    kind: Kind
    rule: Rule
    source: int | None = None
    """Group-local ranks of a send or recv; None when the name lacks them."""
    target: int | None = None
    rooted: bool = False
    """One rank may be done before the others have joined (broadcast, reduce, gather, scatter)."""

    @property
    def needs_all(self) -> bool:
        """No rank can be done with it before every member has called it (of an all_to_all it may want nothing)."""
        rule = _RULES.get(self.base, Rule.NONE) if self.kind is Kind.BATCH_END else self.rule
        return not self.rooted and (self.base == "barrier" or rule in _NEEDS_ALL)


_RULES = {
    "all_reduce": Rule.SAME,
    "allreduce": Rule.SAME,
    "allreduce_coalesced": Rule.SAME,
    "all_reduce_coalesced": Rule.SAME,
    "reduce": Rule.SAME,
    "reduce_oop": Rule.SAME,
    "broadcast": Rule.BROADCAST,
    "broadcast_oop": Rule.BROADCAST,
    "all_gather": Rule.ALL_GATHER,
    "allgather": Rule.ALL_GATHER,
    "all_gather_base": Rule.ALL_GATHER,
    "allgather_base": Rule.ALL_GATHER,
    "all_gather_single": Rule.ALL_GATHER,
    "all_gather_into_tensor": Rule.ALL_GATHER,
    "all_gather_into_tensor_coalesced": Rule.ALL_GATHER,
    "reduce_scatter": Rule.REDUCE_SCATTER,
    "reduce_scatter_base": Rule.REDUCE_SCATTER,
    "reduce_scatter_single": Rule.REDUCE_SCATTER,
    "reduce_scatter_tensor": Rule.REDUCE_SCATTER,
    "reduce_scatter_tensor_coalesced": Rule.REDUCE_SCATTER,
    "gather": Rule.GATHER,
    "scatter": Rule.SCATTER,
    "all_to_all": Rule.ALL_TO_ALL,
    "alltoall": Rule.ALL_TO_ALL,
    "all_to_all_single": Rule.ALL_TO_ALL,
    "all_to_all_v_single": Rule.ALL_TO_ALL,
    "alltoall_base": Rule.ALL_TO_ALL,
    "all_to_all_base": Rule.ALL_TO_ALL,
}
_NEEDS_ALL = {Rule.SAME, Rule.ALL_GATHER, Rule.REDUCE_SCATTER}
_ROOTED = {"broadcast", "broadcast_oop", "reduce", "reduce_oop", "gather", "scatter"}
_SEND = re.compile(r"i?send(?:\s+(\d{1,7})\s*->\s*(\d{1,7}))?(?:\s.*)?", re.ASCII | re.DOTALL)
_RECV = re.compile(r"i?recv(?:_any_source|anysource)?(?:\s+(\d{1,7})\s*<-\s*(\d{1,7}))?(?:\s.*)?", re.ASCII | re.DOTALL)
_BATCH = re.compile(r"coalesced|(?:ALLGATHER|REDUCE_SCATTER|ALLREDUCE|ALLTOALL|BROADCAST|[A-Z_]+)_coalesced", re.ASCII)
_BATCH_NAMES = {
    "ALLGATHER_coalesced": "all_gather",
    "REDUCE_SCATTER_coalesced": "reduce_scatter",
    "ALLREDUCE_coalesced": "all_reduce",
    "BROADCAST_coalesced": "broadcast",
}


@lru_cache(maxsize=65_536)
def operation(recorded: str) -> Operation:
    """What this name says. A name of no known form is a collective about whose sizes nothing is known."""
    backend, colon, name = recorded.partition(":")
    if not colon:
        backend, name = "", recorded
    if send := _SEND.fullmatch(name):
        source, target = (None, None) if send[1] is None else (int(send[1]), int(send[2]))
        return Operation(recorded, backend, "send", Kind.SEND, Rule.NONE, source, target)
    if recv := _RECV.fullmatch(name):
        target, source = (None, None) if recv[1] is None else (int(recv[1]), int(recv[2]))
        return Operation(recorded, backend, "recv", Kind.RECV, Rule.NONE, source, target)
    if _BATCH.fullmatch(name):
        return Operation(recorded, backend, _BATCH_NAMES.get(name, name), Kind.BATCH_END, Rule.NONE)
    base = name.lstrip("_")
    return Operation(recorded, backend, base, Kind.COLLECTIVE, _RULES.get(base, Rule.NONE), rooted=base in _ROOTED)
