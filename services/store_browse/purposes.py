"""What a key of a store is for, where its name tells (observed on torch 2.13, its launcher and its barriers)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["branch_purpose", "key_purpose"]


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: re.Pattern[bytes]
    every: str
    """What all keys of the kind are."""
    one: str
    """What one of them is; `{0}` is the pattern's first group."""


def _rule(pattern: bytes, every: str, one: str) -> _Rule:
    return _Rule(re.compile(rb"(?:.*/)?" + pattern, re.DOTALL), every, one)


_RULES = (
    _rule(rb"debug_server/rank(\d{1,9})", "addresses of debug servers", "address of rank {0}'s debug server"),
    _rule(
        rb"torchelastic/assigned_ranks/(\d{1,9})",
        "launcher: ranks of each node",
        "launcher: first rank and world size of node {0}, then the same within its role",
    ),
    _rule(rb"torchelastic/role_info/(\d{1,9})", "launcher: processes of each node", "launcher: processes of node {0}"),
    _rule(rb"torchelastic/agent/terminal_state.*", "launcher: barrier at the end", "launcher: barrier at the end"),
    _rule(rb"torchelastic/.*", "launcher", "launcher (torchelastic)"),
    _Rule(
        re.compile(rb"torch\.rendezvous\..*/MASTER_(ADDR|PORT)", re.DOTALL),
        "launcher: where the job's own store is",
        "launcher: MASTER_{0}, where the job's own store is",
    ),
    _Rule(
        re.compile(rb"torch\.rendezvous\.(.*)", re.DOTALL),
        "launcher: rendezvous",
        "launcher: state of the rendezvous, a pickle (never loaded here)",
    ),
    _rule(rb"MASTER_(ADDR|PORT)", "where the job's own store is", "MASTER_{0}: where the job's own store is"),
    _rule(rb"store_based_barrier_key:(.*):last_worker", "barriers while groups are made", "set by the last rank of it"),
    _rule(
        rb"store_based_barrier_key:(.*)",
        "barriers while groups are made",
        "barrier while group {0} is made: how many ranks have come",
    ),
    _rule(rb".*/num_members", "barrier over the store", "barrier: how many have come"),
    _rule(rb".*/last_member", "barrier over the store", "barrier: set by the last that came"),
    _rule(rb".*/TRAC(?:E|ING_GATE)", "barrier over the store", "barrier: who has come, when it times out"),
    _Rule(
        re.compile(rb"(?:.*/)?default_pg/\d+//cpu//\d+/(\d{1,9})", re.DOTALL),
        "Gloo rendezvous of the default group",
        "Gloo rendezvous: where rank {0} is reached in the default group",
    ),
    _Rule(
        re.compile(rb"(?:.*/)?default_pg/\d+//([^/]{1,200})//cpu//\d+/\d{1,9}", re.DOTALL),
        "Gloo rendezvous of a group",
        "Gloo rendezvous: where a member of group {0} is reached",
    ),
    _Rule(
        re.compile(rb"(?:.*/)?default_pg/\d+//(?:[^/]{1,200}//)?cuda//(\d{1,9})", re.DOTALL),
        "NCCL rendezvous",
        "NCCL rendezvous: unique id of communicator {0} of its group",
    ),
    _Rule(
        re.compile(rb"(?:.*/)?default_pg/\d+//(?:[^/]{1,200}//)?cuda//(\d+:\d+)", re.DOTALL),
        "NCCL rendezvous",
        "NCCL rendezvous: unique id of the communicator of the pair {0}",
    ),
    _Rule(
        re.compile(rb"(?:.*/)?((?:exception|timeout)_dump)", re.DOTALL),
        "signals of NCCL's watchdog",
        "signal of a watchdog that made all ranks dump their flight recorder",
    ),
    _Rule(re.compile(rb"(?:.*/)?default_pg/.*", re.DOTALL), "of a process group", "of a process group"),
)
_NAME_LIMIT = 4_096
"""Bytes of a key that the rules look at; no key that they know is longer."""


@lru_cache(maxsize=4_096)
def _match(key: bytes) -> tuple[_Rule, str] | None:
    if len(key) > _NAME_LIMIT:
        return None
    for rule in _RULES:
        match = rule.pattern.fullmatch(key)
        if match is not None:
            named = match[1].decode("utf-8", "backslashreplace") if match.re.groups else ""
            return rule, rule.one.replace("{0}", named)
    return None


def key_purpose(key: bytes) -> str:
    """What the key is for; empty where its name does not tell. Text of the key may stand in it: not plain yet."""
    found = _match(key)
    return found[1] if found is not None else ""


def branch_purpose(first: bytes, last: bytes) -> str:
    """What the keys from `first` to `last` (in sorted order) are for, when both are of one kind; else empty."""
    one, other = _match(first), _match(last)
    return one[0].every if one is not None and other is not None and one[0].every == other[0].every else ""
