"""Bringing a spec's source files to the server: only what it lacks, ahead of the run, one upload for all."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from typing import TYPE_CHECKING

import msgspec

from ..plain_text import plain
from .errors import BadReplyError, DependencyMissingError, SyncRefusedError
from .progress import Syncing
from .spec_modules import SpecModules

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping
    from pathlib import Path

    from .case import SpecSource
    from .failures import ModuleMissing
    from .progress import Tell
    from .spec_modules import SourceFile
    from .tenant import Uploaded

__all__ = ["SpecSync", "sync_body", "tenant_for"]


class _FileError(msgspec.Struct):
    path: str = ""
    error: str = ""


class _SyncReply(msgspec.Struct):
    error: str = ""
    errors: list[_FileError] = msgspec.field(default_factory=list)


def tenant_for(base: str, roots: tuple[Path, ...]) -> str:
    """The tenant of specs with these roots: two specs whose files have the same paths must not overwrite each other."""
    digest = hashlib.sha256("\0".join(map(str, roots)).encode("utf-8", "surrogateescape")).hexdigest()
    return f"{base[:55]}-{digest[:8]}"


class SpecSync:
    """The source files of one run.

    Args:
        where: the endpoint, for messages.
        modules: the spec's modules.
        uploaded: what the server holds for the tenant, shared by the runs of that tenant.
        post: sends the body of one POST /v1/sync; gives status and body.
        forget: deletes the tenant on the server.
    """

    def __init__(
        self,
        where: str,
        modules: SpecModules,
        uploaded: Uploaded,
        post: Callable[[bytes], Awaitable[tuple[int, bytes]]],
        forget: Callable[[], Awaitable[None]],
    ) -> None:
        self._where = where
        self._modules = modules
        self._uploaded = uploaded
        self._post = post
        self._forget = forget
        self._sent: set[str] = set()
        """Paths that the server confirmed during this run."""
        self._asked: set[str] = set()
        self.files_sent = 0

    @classmethod
    async def open(cls, spec: SpecSource) -> SpecModules:
        """
        Raises:
            CaseError: no such spec file.
        """
        return await asyncio.to_thread(SpecModules, spec)

    async def bring(self, clock: Callable[[], float], tell: Tell) -> None:
        """Upload what is new or has changed since the server got it; nothing when there is nothing.

        A file that is gone here would live on there and be imported: then the tenant is emptied first.

        Raises:
            CaseError: a file can't be read.
            SyncRefusedError, BadReplyError, ConnectionFailedError: the server did not take them.
        """
        async with self._uploaded.lock:
            held, origins = self._uploaded.files, self._uploaded.origins
            files = await asyncio.to_thread(self._modules.files, dict(origins))
            if gone := origins.keys() - files.keys():
                await self._forget()
                held.clear()
                for path in gone:
                    del origins[path]
            lacking = [source for path, source in sorted(files.items()) if held.get(path) != source.sha256]
            if not lacking:
                return
            tell(Syncing(tuple(source.path for source in lacking), sum(len(source.content) for source in lacking)))
            status, body = await self._post(await asyncio.to_thread(sync_body, lacking))
            refused = _refused(self._where, status, body)
            for source in lacking:
                if source.path not in refused:
                    held[source.path] = source.sha256
                    origins[source.path] = source.file
                    self._sent.add(source.path)
                    self.files_sent += 1
            self._uploaded.contact = clock()
            if refused:
                shown = "; ".join(f"{plain(path, 200)}: {plain(why, 200)}" for path, why in sorted(refused.items())[:5])
                count = f"{len(refused)} of {len(lacking)} files"
                raise SyncRefusedError(f"{self._where}: the server did not take {count}: {shown}")

    async def supply(self, missing: ModuleMissing) -> None:
        """Prepare to answer a 424: add the module, or forget what the server was thought to hold.

        Raises:
            DependencyMissingError: it can't be supplied, or has been and is still missed.
        """
        name = missing.name
        path = name.replace(".", "/")
        own = {f"{path}.py", f"{path}/__init__.py"}
        if own & self._sent or name in self._asked:
            raise DependencyMissingError(
                f"{self._where}: the server still can't import {plain(name, 200)} after it was uploaded",
                missing=name,
                hint="it imports a name that is not in it, or fails while it is imported: import it here to see why",
            )
        self._asked.add(name)
        if own & self._uploaded.files.keys():
            self._uploaded.files.clear()  # the tenant expired there, or another client deleted it
            return
        await asyncio.to_thread(self._modules.add_missing, name)


def sync_body(files: list[SourceFile]) -> bytes:
    """Body of POST /v1/sync."""
    entries: Mapping[str, Mapping[str, str]] = {
        source.path: {"content": base64.b64encode(source.content).decode("ascii"), "hash": source.sha256}
        for source in files
    }
    return json.dumps({"files": entries}, separators=(",", ":")).encode("ascii")


def _refused(where: str, status: int, body: bytes) -> dict[str, str]:
    """Path to reason of the files that were not taken.

    Raises:
        SyncRefusedError: the server takes none, and says why.
        BadReplyError: not an answer to a sync.
    """
    said: _SyncReply | None
    try:
        said = msgspec.json.decode(body.decode("utf-8", "replace"), type=_SyncReply)
    except (msgspec.DecodeError, ValueError, RecursionError):
        said = None
    if said is not None and (status == 200 or (status == 400 and said.errors)):
        return {error.path: error.error for error in said.errors}
    if said is not None and said.error:
        raise SyncRefusedError(f"{where}: the server took no source files (HTTP {status}): {plain(said.error, 500)}")
    shown = plain(body[:400].decode("utf-8", "replace"), 200)
    raise BadReplyError(f"{where}: no answer to an upload of files (HTTP {status}): {shown or 'no text'}")
