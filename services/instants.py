"""Instants as JSON has them, and what is to be made of those of files."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["APART_NS", "utc_text"]

APART_NS = 15 * 3600 * 10**9
"""How far the times of two files have to be apart to tell for certain which is older: a time in a name says no zone and
is read as UTC, which can be off by 14 hours."""


def utc_text(ns: int) -> str:
    """ISO 8601 in UTC with milliseconds, of ns since the epoch."""
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
