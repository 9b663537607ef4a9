"""Lists of workers: several words, or a text file with one a line (`http://host:port`, `rank3=host:port`, `# text`)."""

from __future__ import annotations

import re
import stat
from typing import TYPE_CHECKING

from ..ranksets import MAX_RANK
from ..snapshot import RankAddress
from .addresses import parse_worker
from .endpoints import TargetError, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["FILE_LIMIT", "LINE_LIMIT", "names_worker", "numbered", "read_worker_file"]

FILE_LIMIT = 8 * 1024 * 1024
"""Bytes of a file of workers that are read; about 100,000 addresses."""
LINE_LIMIT = 4_096
"""Characters in a line of such a file."""
_HEAD = 64 * 1024
"""Bytes by which most files are known to be no such list."""
_SAMPLE = 40
"""Lines of which at least half must be addresses in a list with a mistake in it: less is a text of another kind."""

_NAMED = re.compile(r"rank([0-9]+)\s*=\s*", re.ASCII | re.IGNORECASE)
_MEANT_AS_WORKER = re.compile(r"rank[0-9]+\s*=|https?://", re.ASCII | re.IGNORECASE)


def names_worker(text: str) -> bool:
    """Whether a text is meant as the address of a worker: it begins with `rankN=`, `http://` or `https://`."""
    return _MEANT_AS_WORKER.match(text) is not None


def numbered(texts: Iterable[str], where: str) -> tuple[RankAddress, ...]:
    """Worker addresses in ascending order of their ranks.

    A text without `rankN=` has the rank after the one before it; the first has 0.

    Args:
        texts: `http(s)://...`, `rankN=http(s)://...` or `rankN=host:port`; `host:port` too.
        where: what they stand in, for the message when there are none.

    Raises:
        TargetError: a text is no address, a rank is too high or occurs twice, or there are none.
    """
    found: dict[int, RankAddress] = {}
    following = 0
    for text in texts:
        named = _NAMED.match(text)
        if named is not None and len(named[1]) > 9:
            raise TargetError(f"{quoted(text)}: the highest rank is {MAX_RANK}", hint="write rankN=http://host:port")
        rank = int(named[1]) if named else following
        if rank > MAX_RANK:
            raise TargetError(f"{quoted(text)}: the highest rank is {MAX_RANK}", hint="write rankN=http://host:port")
        worker = parse_worker(text[named.end() :] if named else text)
        if rank in found:
            raise TargetError(
                f"rank {rank} is named twice: {found[rank].registered} and {worker.shown}",
                hint="write rankN= before each address, or before none",
            )
        found[rank] = RankAddress(rank, worker.shown, worker.asked, worker.endpoint.host)
        following = rank + 1
    if not found:
        raise TargetError(
            f"{where} names no worker", hint="write one address a line: http://host:port, rank3=host:port"
        )
    return tuple(found[rank] for rank in sorted(found))


def read_worker_file(path: Path) -> tuple[RankAddress, ...] | None:
    """The workers that a file lists, or None when it is a folder or another file.

    A file lists workers when its first line that is neither blank nor a comment begins with `http://`, `https://` or
    `rankN=`, or is `host:port`; then every line must be an address. A text that begins so and holds few more of them
    is another file: a log.

    Raises:
        TargetError: the file can't be read, is too large, or a line of it is no address; the message names the line.
    """
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            return None
        if not stat.S_ISREG(kind):
            raise TargetError(f"{quoted(str(path))} is neither a file nor a folder", hint="give a regular file")
        with path.open("rb") as file:
            data = file.read(_HEAD)
            if len(data) == _HEAD and _is_another(data):
                return None
            data += file.read(FILE_LIMIT + 1 - len(data))
    except OSError as error:
        raise TargetError(
            f"{quoted(str(path))} can't be read: {error.strerror or error}", hint="check its permissions"
        ) from error
    lines = _meaningful(data[:FILE_LIMIT])
    if not lines:
        if data.strip():
            raise TargetError(f"{quoted(str(path))} holds comments only", hint="write one address a line")
        return None
    if not _is_worker(lines[0][1]) or _is_text(lines):
        return None
    if len(data) > FILE_LIMIT:
        raise TargetError(
            f"{quoted(str(path))} is larger than {FILE_LIMIT >> 20} MiB", hint="a list of workers is not that long"
        )
    return _parsed(path, lines)


def _meaningful(data: bytes) -> list[tuple[int, str]]:
    """Numbers and texts of the lines that are neither blank nor comments; a line that is no text ends them."""
    lines: list[tuple[int, str]] = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").splitlines(), start=1):
        text = raw[:LINE_LIMIT].decode("utf-8", errors="replace").partition(" #")[0].strip()
        if text and not text.startswith("#"):
            lines.append((number, text if len(raw) <= LINE_LIMIT else text + "…"))
    return lines


def _is_another(head: bytes) -> bool:
    """Whether the first lines of a large file tell that it lists no workers."""
    if b"\0" in head:
        return True
    lines = _meaningful(head.rpartition(b"\n")[0] or head)
    return bool(lines) and (not _is_worker(lines[0][1]) or _is_text(lines))


def _is_text(lines: list[tuple[int, str]]) -> bool:
    some = lines[:_SAMPLE]
    return len(some) > 2 and 2 * sum(_parses(text) for _, text in some) < len(some)


def _parses(text: str) -> bool:
    named = _NAMED.match(text)
    try:
        parse_worker(text[named.end() :] if named else text)
    except TargetError:
        return False
    return True


def _is_worker(text: str) -> bool:
    return names_worker(text) or _parses(text)


def _parsed(path: Path, lines: list[tuple[int, str]]) -> tuple[RankAddress, ...]:
    reached = 0

    def texts() -> Iterable[str]:
        nonlocal reached
        for number, text in lines:
            reached = number
            yield text

    try:
        return numbered(texts(), str(path))
    except TargetError as error:
        raise TargetError(f"line {reached} of {quoted(str(path))}: {error}", hint=error.hint) from error
