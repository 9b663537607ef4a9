"""Instants as JSON has them."""

from __future__ import annotations

from datetime import UTC, datetime

__all__ = ["utc_text"]


def utc_text(ns: int) -> str:
    """ISO 8601 in UTC with milliseconds, of ns since the epoch."""
    return datetime.fromtimestamp(ns / 1e9, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
