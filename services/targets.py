"""What a person types after `xpudbg`, as a Target: a job's store, worker servers, the demo, or files.

Nothing here connects to anything; files are read only to see whether they list workers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .endpoints import DEFAULT_STORE_PORT, ENDPOINT_FORMS, Endpoint, TargetError, parse_endpoint, quoted
from .worker_list import names_worker, numbered, read_worker_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .snapshot import RankAddress

__all__ = [
    "DemoTarget",
    "FilesTarget",
    "StoreTarget",
    "Target",
    "TargetError",
    "WorkersTarget",
    "parse_target",
]

FORMS_HINT = (
    "write host:port of the job's store, http://host:port of one or several workers, "
    "a file with one worker a line, a folder of flight recorder dumps, or demo"
)

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
_FILE_SUFFIXES = frozenset(
    (".bin", ".gz", ".json", ".jsonl", ".log", ".pkl", ".pickle", ".tar", ".txt", ".zip", ".zst")
)
"""A word with such an ending is meant as a file, also when it is not there."""


@dataclass(frozen=True, slots=True)
class StoreTarget:
    """A job's TCPStore."""

    host: str
    port: int

    @property
    def label(self) -> str:
        return f"store {Endpoint(self.host, self.port)}"


@dataclass(frozen=True, slots=True)
class WorkersTarget:
    """Worker servers named one by one; the ranks are distinct and ascending."""

    workers: tuple[RankAddress, ...]

    @property
    def label(self) -> str:
        first = self.workers[0]
        if len(self.workers) > 1:
            return f"{len(self.workers):,} workers from {first.registered}"
        return first.registered if first.rank == 0 else f"rank {first.rank} at {first.registered}"


@dataclass(frozen=True, slots=True)
class DemoTarget:
    """The simulated cluster."""

    ranks: int | None
    """Number of ranks, the demo's own when None."""
    scenario: str | None
    """Name of the scenario, the demo's own when None."""

    @property
    def label(self) -> str:
        size = "" if self.ranks is None else f" of {self.ranks:,} ranks"
        return f"demo{size}" if self.scenario is None else f"demo{size}: {self.scenario}"


@dataclass(frozen=True, slots=True)
class FilesTarget:
    """Files and folders with what a job left behind."""

    paths: tuple[Path, ...]

    @property
    def label(self) -> str:
        return str(self.paths[0]) if len(self.paths) == 1 else f"{len(self.paths):,} paths from {self.paths[0]}"


Target = StoreTarget | WorkersTarget | DemoTarget | FilesTarget


def parse_target(words: Sequence[str], env: Mapping[str, str]) -> Target | None:
    """The target that these words name.

    - none: the store at MASTER_ADDR and MASTER_PORT of `env`;
    - `demo`: the simulated cluster;
    - `http(s)://host:port` once or several times, each with or without `rankN=` before it (`rankN=host:port` too):
      worker servers. One without a rank has the rank after the one before it, the first has 0;
    - `host:port`, `tcp://host:port`, `[IPv6]:port`, also without the port: the job's store;
    - an existing file that lists workers, one a line in the same forms, `#` for comments: worker servers;
    - another existing file or folder, or several: files.

    A word with a slash is always a path. A word with a port is always an address (write ./host:1 for a file of that
    name). Any other word is a path if that exists, and a host name if not.

    Returns:
        The target; None when there are no words and no MASTER_ADDR.

    Raises:
        TargetError: a word is none of these, or the words don't go together.
    """
    words = [word.strip() for word in words]
    if not words:
        return _from_environment(env)
    if "" in words:
        raise TargetError("an empty word is no target", hint=FORMS_HINT)
    if words == ["demo"]:
        return DemoTarget(None, None)
    if all(names_worker(word) for word in words):
        return WorkersTarget(numbered(words, "the command line"))
    if len(words) > 1:
        return _several(words)
    return _one(words[0])


def _from_environment(env: Mapping[str, str]) -> StoreTarget | None:
    host, port = env.get("MASTER_ADDR", "").strip(), env.get("MASTER_PORT", "").strip()
    if not host:
        return None
    written = f"[{host}]" if ":" in host and not host.startswith("[") else host
    try:
        endpoint = parse_endpoint(f"{written}:{port}" if port else written, DEFAULT_STORE_PORT)
    except TargetError as error:
        raise TargetError(
            f"MASTER_ADDR and MASTER_PORT of the environment: {error}", hint="correct them, or write host:port"
        ) from error
    return StoreTarget(endpoint.host, endpoint.port)


def _several(words: Sequence[str]) -> Target:
    paths = [_as_path(word) for word in words]
    if all(_exists(path) for path in paths):
        return FilesTarget(tuple(paths))
    odd = next(
        (word for word, path in zip(words, paths, strict=True) if not names_worker(word) and not _exists(path)), None
    )
    odd = odd or next(word for word in words if not names_worker(word))
    raise TargetError(
        f"{quoted(odd)} can't stand among several words: these are workers, or files that exist",
        hint="write each worker as http://host:port or rankN=host:port; a store stands alone",
    )


def _one(word: str) -> Target:
    scheme = _URL.match(word)
    if scheme is not None:
        if scheme[1].lower() != "tcp":
            raise TargetError(f"{quoted(word)}: {scheme[1]}:// is not known here", hint=FORMS_HINT)
        return _store(word[scheme.end() :].rstrip("/"))
    path = _as_path(word)
    if "/" in word or word in (".", "..") or word.startswith("~"):
        if not _exists(path):
            raise TargetError(f"{quoted(word)}: there is no such file or folder", hint=FORMS_HINT)
        return _path(path)
    if ":" not in word and _exists(path):
        return _path(path)
    if path.suffix.lower() in _FILE_SUFFIXES:
        raise TargetError(f"{quoted(word)}: there is no such file or folder", hint=FORMS_HINT)
    return _store(word)


def _store(text: str) -> StoreTarget:
    try:
        endpoint = parse_endpoint(text, DEFAULT_STORE_PORT)
    except TargetError as error:
        general = f"{FORMS_HINT}; an IPv6 address with its port as [addr]:port"
        raise TargetError(str(error), hint=general if error.hint == ENDPOINT_FORMS else error.hint) from error
    return StoreTarget(endpoint.host, endpoint.port)


def _path(path: Path) -> Target:
    workers = read_worker_file(path)
    return FilesTarget((path,)) if workers is None else WorkersTarget(workers)


def _as_path(word: str) -> Path:
    try:
        return Path(word).expanduser()
    except (RuntimeError, ValueError):  # ~name of nobody, or a name that can't be one
        return Path(word)


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long a name, a NUL in it, a folder that may not be searched
        return False
