"""What an artifact is, told by its content; its name gives rank, host and time, and decides only where content can't.

Nothing is decoded, loaded or unpickled to find out: the first 256 KiB are looked at, and the whole of a text that shows
nothing there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ..flight_recorder.file_names import read_name, read_time
from ..plain_text import plain
from ..stacks.pyspy_errors import starts_error
from . import text_signs
from .bundle_sign import is_bundle_head
from .content import ContentReader
from .json_outline import outer_keys
from .rank_names import rank_in_name

if TYPE_CHECKING:
    from .artifact import Artifact

__all__ = ["HEAD", "ArtifactKind", "Recognised", "recognise", "recognise_head"]

HEAD = 256 * 1024
"""Bytes of the content that are looked at first."""
_MORE = 8 << 20
"""Bytes looked at where a periodic dump begins with all the ranks that did not answer."""
_OVERLAP = 256
"""Bytes of the piece before in which a sign may begin."""
_LINES = 4_000


class ArtifactKind(StrEnum):
    """What a file is; the value is what a person is told."""

    RECORDER = "flight recorder dump"
    STACKS = "stacks of one rank"
    PERIODIC_STACKS = "periodic dump of stacks"
    PERIODIC_PYSPY = "periodic dump of py-spy"
    PERIODIC_COUNTERS = "periodic dump of wait counters"
    PERIODIC_RECORDER = "periodic dump of flight recorder tables"
    PERIODIC_STORE = "periodic dump of the store"
    PERIODIC_HEALTH = "periodic dump of health checks"
    COUNTERS = "wait counters of one rank"
    LOG = "log of a job"
    TRACE = "profiler trace"
    BUNDLE = "incident bundle"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Recognised:
    """What an artifact is taken for."""

    kind: ArtifactKind
    reason: str
    """Why, or why it can't be used; one plain line."""
    usable: bool = True
    partial: bool = False
    """For what can't be used: whether the answer is incomplete without it."""
    rank: int | None = None
    """As its name says; None where it says none, or the kind has many ranks."""
    host: str = ""
    taken_at: int | None = None
    """By a time stamp in its name, ns since the epoch."""


_PERIODIC_HANDLERS = {
    b"dump_traceback": ArtifactKind.PERIODIC_STACKS,
    b"pyspy_dump": ArtifactKind.PERIODIC_PYSPY,
    b"wait_counter_values": ArtifactKind.PERIODIC_COUNTERS,
    b"torchcomms_health_check": ArtifactKind.PERIODIC_HEALTH,
}
_PERIODIC_NAMES = {
    "stacks": ArtifactKind.PERIODIC_STACKS,
    "pyspy_dump": ArtifactKind.PERIODIC_PYSPY,
    "wait_counters": ArtifactKind.PERIODIC_COUNTERS,
    "fr_trace": ArtifactKind.PERIODIC_RECORDER,
    "torchcomms_fr_trace": ArtifactKind.PERIODIC_RECORDER,
    "tcpstore": ArtifactKind.PERIODIC_STORE,
    "torchcomms_health_check": ArtifactKind.PERIODIC_HEALTH,
}
_PERIODIC_NAME = re.compile(r"(\w+?)_\d{8}_\d{6}\.txt(?:\.gz)?", re.ASCII)
_TEXT_NAME = re.compile(r"\.(?:txt|log|out|err|stdout|stderr|stacks?|html?)(?:\.gz)?$", re.IGNORECASE)
_NEEDS_RANK = {ArtifactKind.STACKS, ArtifactKind.COUNTERS}

_PACKED = (
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x04\x22\x4d\x18", "compressed with lz4"),
    (b"\x1f\x9d", "compressed with compress"),
    (b"LZIP", "compressed with lzip"),
    (b"\xfd7zXZ\x00", "compressed with xz"),
    (b"BZh", "compressed with bzip2"),
    (b"PK\x03\x04", "a zip archive"),
    (b"PK\x05\x06", "a zip archive with nothing in it"),
)
_BOM = b"\xef\xbb\xbf"
_PICKLE = re.compile(rb"\x80[\x00-\x05]", re.DOTALL)
_OLD_PICKLE = re.compile(rb"\([dl]p?\d*\n|c[\w.]+\n[\w.]+\n|\(i[\w.]+\n[\w.]+\n")
_CHECKPOINT = re.compile(rb"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19\.", re.DOTALL)
"""How torch.save began its files before they were zips."""
_PICKLED_DUMP = re.compile(rb"pg_config|pg_status|profiling_name|entries|record_id")
_HTML = re.compile(rb"\s*(?:<!doctype html|<html|<head|<body)", re.IGNORECASE)
_RECORDER_KEYS = {b"entries", b"pg_config", b"pg_status"}
_ENTRY_KEYS = {b"record_id", b"profiling_name", b"collective_seq_id", b"pg_id", b"process_group"}
_TRACE_KEYS = {b"traceEvents", b"schemaVersion", b"deviceProperties", b"distributedInfo", b"displayTimeUnit"}
_COUNTER_KEYS = {b"active_count", b"total_calls", b"total_time_us", b"max_time_us"}


def recognise(artifact: Artifact) -> Recognised:
    """What an artifact is. Never raises for what stands in it; one that can't be read is UNKNOWN with the reason."""
    name = artifact.file_name
    try:
        head, whole = _start(artifact, HEAD)
        found = recognise_head(name, head, whole=whole)
        if not whole and found.kind is ArtifactKind.UNKNOWN:
            if text_signs.PARTIAL_DATA.match(head):
                head, _ = _start(artifact, _MORE)
                found = recognise_head(name, head, whole=True)
            elif b"\0" not in head and not head.startswith(tuple(magic for magic, _ in _PACKED)):
                found = _log_further_on(artifact) or found
    except OSError as error:
        return Recognised(
            ArtifactKind.UNKNOWN, f"cannot be read: {error.strerror or error}", usable=False, partial=True
        )
    return found


def recognise_head(name: str, head: bytes, *, whole: bool) -> Recognised:
    """What content that begins with `head` is.

    Args:
        name: the last part of the artifact's name.
        head: gzip undone.
        whole: there is no more behind it.
    """
    named = _by_content(head, whole=whole) or _by_name_and_content(name, head)
    if named is None:
        return _unknown(name, head)
    kind, reason = named
    return _named(Recognised(kind, reason), name)


def _start(artifact: Artifact, count: int) -> tuple[bytes, bool]:
    reader = ContentReader(artifact, count)
    data = b"".join(reader)
    return data, len(data) < count or not reader.cut


def _log_further_on(artifact: Artifact) -> Recognised | None:
    """A log whose first part says nothing: its lines of interest often stand near the end."""
    before = b""
    for piece in ContentReader(artifact):
        if text_signs.LOG_SIGN.search(before + piece):
            return _named(
                Recognised(ArtifactKind.LOG, "stacks or lines of NCCL's watchdog in a text"), artifact.file_name
            )
        before = piece[-_OVERLAP:]
    return None


# by content ------------------------------------------------------------------------------------------------------


def _by_content(head: bytes, *, whole: bool) -> tuple[ArtifactKind, str] | None:
    if is_bundle_head(head):
        return ArtifactKind.BUNDLE, "a zip that begins with a bundle's meta.json"
    text = head.removeprefix(_BOM).lstrip()
    if text[:1] in (b"{", b"["):
        found = _json(text)
        if found is not None:
            return found
    text = text.strip(b"\0")  # what a log has where it was emptied while it was written
    if b"\0" in text:
        return None
    return _text(text, whole=whole)


def _json(text: bytes) -> tuple[ArtifactKind, str] | None:
    is_list = text[:1] == b"["
    for depth, key in outer_keys(text):
        if depth == 1 and is_list and key == b"ph":
            return ArtifactKind.TRACE, "a list of trace events"
        if depth == 1 and is_list and key in _ENTRY_KEYS:
            return ArtifactKind.RECORDER, "a list of flight recorder entries"
        if depth == 1 and not is_list and key in _RECORDER_KEYS:
            return ArtifactKind.RECORDER, f"JSON with {key.decode()}"
        if depth == 1 and not is_list and key in _TRACE_KEYS:
            return ArtifactKind.TRACE, f"JSON with {key.decode()}"
        if not is_list and ((depth == 1 and key.startswith(b"pytorch.wait_counter.")) or key in _COUNTER_KEYS):
            return ArtifactKind.COUNTERS, "JSON of wait counters"
    return None


def _text(text: bytes, *, whole: bool) -> tuple[ArtifactKind, str] | None:
    if text_signs.PARTIAL_DATA.match(text) or text.startswith(b"=== "):
        handler = text_signs.periodic_handler(text)
        kind = _PERIODIC_HANDLERS.get(handler) if handler is not None else None
        if kind is not None:
            return kind, "parts of all ranks as torch's debug server writes them"
        if text_signs.PERIODIC_TABLES.search(text):
            return ArtifactKind.PERIODIC_RECORDER, "tables as torch's debug server writes them"
    lines = [line.rstrip(b"\r") for line in text.split(b"\n", _LINES)[:_LINES]]
    if not whole and len(lines) > 1:
        lines.pop()
    said = [line for line in lines if line.strip()]
    if not said:
        return None
    if text_signs.starts_stacks(said[0]) and text_signs.share_of_stacks(said) >= 0.8:
        return ArtifactKind.STACKS, "stacks from the first line on"
    if text_signs.LOG_SIGN.search(text):
        return ArtifactKind.LOG, "stacks or lines of NCCL's watchdog in a text"
    if text_signs.store_lines(said[:50]) >= 0.8:
        return ArtifactKind.PERIODIC_STORE, "keys and values of a store"
    return None


# by name, where the content leaves it open -------------------------------------------------------------------------


def _by_name_and_content(name: str, head: bytes) -> tuple[ArtifactKind, str] | None:
    periodic = _PERIODIC_NAME.fullmatch(name)
    kind = _PERIODIC_NAMES.get(periodic[1]) if periodic else None
    text = head.removeprefix(_BOM).lstrip()
    by_name = kind is ArtifactKind.PERIODIC_STORE or not text or text_signs.PARTIAL_DATA.match(text)
    if kind is not None and by_name and b"\0" not in head:
        return kind, "named as torch's debug server names it"
    if _CHECKPOINT.match(head):
        return None
    dump = read_name(name)
    if _PICKLE.match(head) or _OLD_PICKLE.match(head):
        if dump is not None or _PICKLED_DUMP.search(head):
            return ArtifactKind.RECORDER, "a pickle"
        return None
    if "wait_counter" in name and text.rstrip() == b"{}":
        return ArtifactKind.COUNTERS, "no wait counters"
    if _TEXT_NAME.search(name) and rank_in_name(name) is not None:
        first = text.split(b"\n", 1)[0].decode("utf-8", "replace")
        if not text or (len(head) < HEAD and starts_error(first)):
            return ArtifactKind.STACKS, "an answer without stacks, by its name of a rank"
    elif dump is not None and dump.plain:
        return ArtifactKind.RECORDER, "named as a flight recorder dump"  # what is wrong with it is for decode to say
    return None


def _unknown(name: str, head: bytes) -> Recognised:
    text = head.removeprefix(_BOM).lstrip()
    of_rank = rank_in_name(name) is not None
    packed = next((said for magic, said in _PACKED if head.startswith(magic)), None)
    if packed is not None:
        return Recognised(ArtifactKind.UNKNOWN, f"{packed}; unpack it first", usable=False, partial=True)
    if not text:
        reason = "empty" if not head else "nothing but blanks"
    elif _CHECKPOINT.match(head):
        reason = "a checkpoint of torch.save; not read"
    elif _PICKLE.match(head) or _OLD_PICKLE.match(head):
        reason = "a pickle that is no flight recorder dump by its name or beginning; not loaded"
    elif _HTML.match(head):
        reason = "an HTML page"
    elif b"\0" in head:
        reason = "binary data of an unknown kind"
    elif text[:1] in (b"{", b"["):
        keys = dict.fromkeys(key.decode("utf-8", "replace") for depth, key in outer_keys(text) if depth == 1)
        listed = plain(", ".join(list(keys)[:6]), 100)
        reason = f"JSON that is none of what a job leaves (it has {listed})" if keys else "JSON without any names"
    elif "rank" in name.lower() or _TEXT_NAME.search(name):
        reason = "a text without stacks and without lines of NCCL's watchdog"
    else:
        first = text.split(b"\n", 1)[0].decode("utf-8", "replace").strip()
        reason = f'nothing that a job leaves: it begins with "{plain(first, 80)}"'
    return _named(Recognised(ArtifactKind.UNKNOWN, reason, usable=False, partial=of_rank), name)


def _named(found: Recognised, name: str) -> Recognised:
    """The same with what the name says; not usable where a rank is needed and the name has none."""
    taken_at = read_time(name)
    if found.kind is ArtifactKind.RECORDER:
        dump = read_name(name)
        if dump is not None:
            return replace(found, rank=dump.rank, host=dump.host, taken_at=dump.taken_at)
        return replace(found, taken_at=taken_at)
    named = rank_in_name(name)
    rank, host = named if named is not None else (None, "")
    if found.kind in _NEEDS_RANK and rank is None:
        ending = "json" if found.kind is ArtifactKind.COUNTERS else "txt"
        reason = f"{found.kind}, but its name does not say of which: rename it to rank_N.{ending}"
        return replace(found, reason=reason, usable=False, partial=True, taken_at=taken_at)
    return replace(found, rank=rank, host=host, taken_at=taken_at)
