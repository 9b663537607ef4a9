"""One rank's flight recorder dump as a value, and why bytes were none."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from ..ranksets import MAX_RANK, RankSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .columns import Entries

__all__ = ["Dump", "DumpError", "Format", "GroupConfig", "GroupStatus", "parse_members", "parse_version"]


class DumpError(ValueError):
    """Bytes that are no readable dump; the message is one plain line saying why."""


class Format(StrEnum):
    """The form in which a dump came, told by its content."""

    JSON = "json"
    PICKLE = "pickle"


@dataclass(frozen=True, slots=True)
class GroupConfig:
    """A group as one rank's dump describes it."""

    name: str
    desc: str
    members: RankSet | None
    """Global ranks as the dump says them; None where it says none (Gloo)."""


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """Counters of one local group. They survive the ring. None = never, or not kept (timing off)."""

    enqueued: int | None
    started: int | None
    completed: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Dump:
    """What one rank recorded."""

    rank: int
    entries: Entries
    format: Format
    version: tuple[int, ...]
    """(2, 10) for "2.10"; empty for the oldest format, which has none."""
    configs: tuple[GroupConfig, ...] = ()
    statuses: Mapping[int, GroupStatus] = field(default_factory=dict)
    """By pg_id, the local creation index."""
    library: str = ""
    """Version of NCCL or whatever carried the calls."""
    source: str = ""
    """Handler name or file name it came from."""
    host: str = ""
    taken_at: int | None = None
    """When it was taken on our clock or by its file, ns since the epoch."""
    notes: tuple[str, ...] = ()
    """What is worth knowing about this dump, one plain line each (old format, read slowly)."""

    @property
    def silent(self) -> bool:
        """Nothing recorded at all: no entries and no counters."""
        return not len(self.entries) and not self.statuses


_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9})*", re.ASCII)
_MEMBERS: msgspec.json.Decoder[list[int]] = msgspec.json.Decoder(list[int])


def parse_version(text: str) -> tuple[int, ...]:
    """`2.10` as (2, 10), so that versions compare as numbers; empty when it is no version."""
    return tuple(map(int, text.split("."))) if _VERSION.fullmatch(text) else ()


@lru_cache(maxsize=65_536)
def parse_members(text: str) -> RankSet | None:
    """The ranks of `[0, 1]`; None for an empty list and for what is no list of ranks."""
    try:
        ranks = _MEMBERS.decode(text)
    except (msgspec.DecodeError, UnicodeError):
        return None
    if not ranks or min(ranks) < 0 or max(ranks) > MAX_RANK:
        return None
    return RankSet(ranks)
