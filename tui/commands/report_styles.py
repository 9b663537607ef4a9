"""How a report is written, by the name of its form or by the ending of its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["STYLES", "style_of"]

STYLES = ("text", "json", "markdown", "html")
"""The keys of `report.FORMATS`."""
_ENDINGS = {".json": "json", ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html"}


def style_of(file: Path | None) -> str:
    """The form that goes with a file's ending; text for all others and for standard output."""
    return "text" if file is None else _ENDINGS.get(file.suffix.lower(), "text")
