"""Tenants: client sessions, and the folder of code each of them has sent."""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from ..plain_text import plain
from .run_error import RunError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["MOST_TENANTS", "Tenants"]

MOST_TENANTS = 1024
_LONGEST_PATH = 512


@dataclass(slots=True)
class _Tenant:
    last_seen: float
    running: int = 0


class Tenants:
    """Who is there, and their files under one folder.

    Args:
        root: an own folder of the server's.
        idle_s: seconds after which a silent tenant without a run is forgotten.
        clock: seconds, as `time.monotonic`.
    """

    def __init__(self, root: Path, idle_s: float, clock: Callable[[], float]) -> None:
        self._root = root
        self._idle_s = idle_s
        self._clock = clock
        self._known: dict[str, _Tenant] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def folder(self, name: str) -> Path:
        """Where the tenant's files are; it may not exist."""
        return self._root / name

    def seen(self, name: str) -> None:
        """Register or refresh.

        Raises:
            RunError: 503, there are too many.
        """
        if name not in self._known and len(self._known) >= MOST_TENANTS:
            raise RunError(503, f"{MOST_TENANTS} tenants are registered, the most there can be")
        self._known.setdefault(name, _Tenant(0.0)).last_seen = self._clock()

    def started(self, name: str) -> None:
        """A run of the tenant begins: it is not forgotten while it lasts."""
        self.seen(name)
        self._known[name].running += 1

    def ended(self, name: str) -> None:
        """The run has ended, whatever became of the tenant."""
        tenant = self._known.get(name)
        if tenant is not None:
            tenant.running = max(tenant.running - 1, 0)
            tenant.last_seen = self._clock()

    def forget(self, name: str) -> bool:
        """Forget a tenant and delete its files; False when it was unknown."""
        known = self._known.pop(name, None) is not None
        if known:
            shutil.rmtree(self.folder(name), ignore_errors=True)
        return known

    def expire(self) -> list[str]:
        """Forget those that have not been heard of for too long; returns them."""
        now = self._clock()
        idle = [
            name for name, tenant in self._known.items() if not tenant.running and now - tenant.last_seen > self._idle_s
        ]
        for name in idle:
            self.forget(name)
        return idle

    def write(self, name: str, files: dict[str, Any]) -> dict[str, Any]:
        """Write what a sync sends.

        Args:
            name: the tenant.
            files: by relative path: {"content": base64, "hash": sha256 of the content, or "sha256:" and it, or ""}.

        Returns:
            {"synced", "skipped", "errors": [{"path", "error"}]}; a file that fails keeps no other from being written.
        """
        counts = {"synced": 0, "skipped": 0}
        errors: list[dict[str, str]] = []
        for path, entry in files.items():
            try:
                counts[self._write_one(self.folder(name), path, entry)] += 1
            except ValueError as error:
                errors.append({"path": plain(path, 200), "error": str(error)})
            except OSError as error:
                errors.append({"path": plain(path, 200), "error": error.strerror or "it can't be written"})
        return {**counts, "errors": errors}

    def _write_one(self, folder: Path, path: str, entry: object) -> str:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path or len(path) > _LONGEST_PATH:
            raise ValueError("path traversal rejected")
        if pure.suffix != ".py":
            raise ValueError("only .py files allowed")
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
            raise ValueError("no content")
        try:
            content = base64.b64decode(entry["content"], validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("invalid base64") from None
        told = str(entry.get("hash") or "").removeprefix("sha256:").lower()
        if told and told != hashlib.sha256(content).hexdigest():
            raise ValueError("the hash is not of this content")
        target = folder / pure
        if told and target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == told:
            return "skipped"
        target.parent.mkdir(parents=True, exist_ok=True)
        beside = target.with_name(f".{secrets.token_hex(8)}")
        try:
            beside.write_bytes(content)
            os.replace(beside, target)
        finally:
            beside.unlink(missing_ok=True)
        return "synced"
