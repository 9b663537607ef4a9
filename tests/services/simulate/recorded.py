"""Recorded answers of a real job, and their shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["headers", "shape", "text"]

_FOLDER = Path(__file__).parents[2] / "data" / "recorded"


def text(name: str) -> str:
    """A recorded answer by file name."""
    return (_FOLDER / name).read_text()


def headers(handler: str) -> dict[str, Any]:
    """Status and headers of a recorded answer."""
    found: dict[str, Any] = json.loads(text("headers.json"))[handler]
    return found


def shape(value: Any) -> Any:
    """What a JSON value consists of: its keys and types, without its values; a list is the shapes in it."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(inner), sort_keys=True) for inner in value})
    return type(value).__name__
