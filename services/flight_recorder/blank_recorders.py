"""Ranks whose recorder has nothing of a group in which they have taken part: it was off, emptied, or has lost it.

A collective such as all_reduce ends on no rank before every member has called it. That a member's dump knows nothing of
the group then says nothing about what the rank has called since. Only a recorder that lists the group and holds no
call at all is taken at its word: it was on, and has lost nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .stale import last_ends

if TYPE_CHECKING:
    from .dump import Dump
    from .groups import JobGroup
    from .job import Job
    from .match import Matched
    from .positions import Positions

__all__ = ["blank_recorders"]


def blank_recorders(job: Job, matched: Matched, positions: Positions) -> dict[tuple[int, int], int]:
    """By rank and group index: the last collective that the rank must have called, though its dump has none; 0 where
    no call is known to be over and the dump can't tell all the same."""
    silent = positions.silent(job)
    if not silent:
        return {}
    ends = last_ends(job, matched)
    found: dict[tuple[int, int], int] = {}
    for rank, number in silent:
        dump, group = job.dump_of(rank), job.groups[number]
        last = max(ends.get(number, {}).values(), default=0)
        if dump is None or _lists(dump, group):
            continue
        if last or _is_empty(dump) or _has_lost_calls(dump):
            found[rank, number] = last
    return found


def _is_empty(dump: Dump) -> bool:
    """Whether a recorder was off: it knows no group."""
    return dump.silent and not dump.configs


def _has_lost_calls(dump: Dump) -> bool:
    """Whether calls are gone from a ring and no counters stand in for them."""
    return not dump.statuses and len(dump.entries) > 0 and int(dump.entries.record_id[0]) > 0


def _lists(dump: Dump, group: JobGroup) -> bool:
    """Whether a dump holds no call of any group, and lists the members of this one."""
    return dump.silent and any(one.name == group.name and one.members for one in dump.configs)
