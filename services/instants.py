"""Instants in words, always in UTC, and what is to be made of those of files."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["APART_NS", "stamp_text", "utc_moment", "utc_seconds", "utc_text"]

APART_NS = 15 * 3600 * 10**9
"""How far the times of two files have to be apart to tell for certain which is older: a time in a name says no zone and
is read as UTC, which can be off by 14 hours."""


def utc_moment(ns: int) -> datetime:
    """An instant, ns since the epoch, cut to its second."""
    return datetime.fromtimestamp(ns // 1_000_000_000, UTC)


def utc_text(ns: int) -> str:
    """`2026-11-30T19:04:06.123Z`, of ns since the epoch: ISO 8601, as our JSON has it."""
    return f"{utc_moment(ns):%Y-%m-%dT%H:%M:%S}.{ns // 1_000_000 % 1000:03d}Z"


def utc_seconds(ns: int) -> str:
    """`2026-11-30T19:04:06Z`, of ns since the epoch."""
    return f"{utc_moment(ns):%Y-%m-%dT%H:%M:%SZ}"


def stamp_text(ns: int) -> str:
    """`20261130T190406Z`, of ns since the epoch: for the names of files."""
    return f"{utc_moment(ns):%Y%m%dT%H%M%SZ}"
