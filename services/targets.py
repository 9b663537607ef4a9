"""What a person types after `xpudbg`, as a Target: a job's store, worker servers, the demo, or files.

Nothing here connects to anything; files are read only to see whether they list workers.
"""

from __future__ import annotations

import glob
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .addressing.endpoints import DEFAULT_STORE_PORT, ENDPOINT_FORMS, Endpoint, TargetError, parse_endpoint, quoted
from .addressing.worker_list import names_worker, numbered, read_worker_file
from .flight_recorder.file_names import read_name

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
    "a file with one worker a line, files and folders of what a job left (dumps, stacks, logs, traces, archives of "
    "them, a bundle), or demo"
)
NO_FILE_HINT = (
    "give the folder, file or archive (tar, tgz, zip, gz) of what a job left, or * for several; "
    "a folder is gone through with -r"
)
MOST_MATCHES = 100_000
"""Files that a pattern may stand for."""

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://", re.ASCII)
_FILE_SUFFIXES = frozenset(
    (
        *(
            ".bin",
            ".dump",
            ".err",
            ".html",
            ".json",
            ".jsonl",
            ".log",
            ".out",
            ".pkl",
            ".pickle",
            ".trace",
            ".txt",
        ),
        *(".bz2", ".gz", ".tar", ".tbz2", ".tgz", ".txz", ".xpudbg", ".xz", ".zip", ".zst"),
    )
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
    - another existing file or folder, or several: files. Of several some may be gone;
    - a pattern with `*`, `?` or `[`, where no file is called so: the files that it matches.

    A word with a slash is always a path. A word with a port is always an address (write ./host:1 for a file of that
    name). Any other word is a path if that exists or it is named as files are, and a host name if not.

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
    addresses = any(names_worker(word) or _URL.match(word) for word in words)
    paths = [path for word in words for path in (_matches(word) or (_as_path(word),))] if not addresses else []
    if any(_exists(path) for path in paths) and all(_exists(path) or _named_as_file(str(path)) for path in paths):
        return FilesTarget(tuple(dict.fromkeys(paths)))
    if not addresses and all(_named_as_file(word) for word in words):
        raise _no_file(words[0])
    odd = next((word for word in words if not names_worker(word) and not _exists(_as_path(word))), None)
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
    if _exists(path) and (":" not in word or _named_as_file(word)):
        return _path(path)
    matches = _matches(word)
    if matches:
        return _path(matches[0]) if len(matches) == 1 else FilesTarget(matches)
    if _named_as_file(word):
        raise _no_file(word)
    return _store(word)


def _named_as_file(word: str) -> bool:
    """Whether a word can only be meant as a path, whether that exists or not."""
    if "/" in word or word in (".", "..") or word.startswith("~"):
        return True
    if Path(word).suffix.lower() in _FILE_SUFFIXES:
        return True
    named = read_name(word) if ":" not in word else None
    return named is not None and named.plain and "_" in word  # no host has such a name


def _matches(word: str) -> tuple[Path, ...]:
    """The files that a pattern stands for, by name; none where it is no pattern, or matches nothing."""
    path = _as_path(word)
    if not glob.has_magic(word) or word.startswith("[") or _exists(path):
        return ()
    found = []
    for name in glob.iglob(str(path)):
        found.append(name)
        if len(found) > MOST_MATCHES:
            raise TargetError(
                f"{quoted(word)} matches more than {MOST_MATCHES:,} files", hint="give the folder instead"
            )
    return tuple(Path(name) for name in sorted(found))


def _no_file(word: str) -> TargetError:
    """What is said of a path that is not there."""
    path = _as_path(word)
    if glob.has_magic(word):
        return TargetError(f"{quoted(word)} matches no file", hint=NO_FILE_HINT)
    near = f"{quoted(str(path.parent))} exists; " if "/" in word and _exists(path.parent) else ""
    return TargetError(f"{quoted(word)}: there is no such file or folder", hint=near + NO_FILE_HINT)


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
