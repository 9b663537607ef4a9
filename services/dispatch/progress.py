"""How far an op run has come: immutable, told to whoever started it. The last word is the result or the error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

__all__ = [
    "Busy",
    "Connecting",
    "Downloading",
    "Progress",
    "Reconnecting",
    "Running",
    "Syncing",
    "Tell",
    "Uploading",
]


@dataclass(frozen=True, slots=True)
class Connecting:
    """An attempt begins; the connection may be a kept one."""

    attempt: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class Syncing:
    """Source files are on their way to the server."""

    files: tuple[str, ...]
    """Paths as the server gets them."""
    size: int
    """Bytes of them."""


@dataclass(frozen=True, slots=True)
class Uploading:
    """The request is on its way to the server."""

    sent: int
    """Bytes handed to the system."""
    total: int


@dataclass(frozen=True, slots=True)
class Running:
    """The request is out; the server queues and runs it."""


@dataclass(frozen=True, slots=True)
class Downloading:
    """The answer is on its way here."""

    received: int
    """Bytes."""
    total: int | None
    """None where the server does not say."""


@dataclass(frozen=True, slots=True)
class Busy:
    """The server's run gate is full; the op did not run and is sent again after a wait."""

    refused: int
    """How often, in this run."""
    allowed: int
    """How often it is sent again at most."""
    wait_s: float


@dataclass(frozen=True, slots=True)
class Reconnecting:
    """The connection failed; the request is sent again after a wait."""

    failed: int
    allowed: int
    wait_s: float
    reason: str


Progress: TypeAlias = Connecting | Syncing | Uploading | Running | Downloading | Busy | Reconnecting
Tell: TypeAlias = Callable[[Progress], None]
