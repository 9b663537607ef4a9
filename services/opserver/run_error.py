"""A run that is refused or failed in a way the server knows."""

from __future__ import annotations

__all__ = ["LONGEST_TEXT", "RunError"]

LONGEST_TEXT = 8_000
"""Characters of an error that are sent."""


class RunError(Exception):
    """Becomes the reply `{"error": text, "missing": missing}` with this status."""

    def __init__(self, status: int, text: str, missing: str | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.text = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}... (cut)"
        self.missing = missing
