"""Torch's periodic text dumps cut into what each rank answered (torch 2.13, `start_debug_server(dump_dir=...)`).

A file is `PARTIAL DATA: 2/4 workers responded` with a reason for each rank that failed, where any has, and then for
each rank `=== Rank 0: http://host:port/handler/name? ===` with its answer below, or `Error: 408` in its place. An
answer is text of a rank and may imitate such a head: nothing in it moves another rank's answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..plain_text import plain

__all__ = ["Part", "Parts", "read_head", "split_parts"]

_MARK = re.compile(rb"^=== Rank (\d{1,7}): (\S{0,800}) ===\r?$", re.MULTILINE)
_ADDRESS = re.compile(
    rb"(?:https?://(?P<host>\[[0-9A-Fa-f:.%]+\]|[^/:?]*)(?::\d{1,5})?)?[^?]*/handler/(?P<handler>\w+)\?.*"
)
_HEAD = re.compile(rb"PARTIAL DATA: (\d{1,7})/(\d{1,7}) workers responded\r?(?:\n|$)")
_REASON = re.compile(rb"  Rank (\d{1,7}): ?(.*)", re.DOTALL)
_ERROR = re.compile(rb"Error: (\d{3})\s*")
_STATUS = {
    404: "not there: the rank has no such handler",
    408: "no answer in time",
    502: "the request failed",
    503: "could not be reached",
}
"""What torch's page means by the statuses that it makes up itself; 500 is the rank's own."""
_SAID = 400
"""Characters of a reason that are kept."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one rank answered."""

    rank: int
    host: str
    """From the address; empty when it has none."""
    body: bytes
    """Empty when there is only an error."""
    status: int = 200
    error: str = ""
    """Why there is no answer, one plain line."""
    said: str = ""
    """The rank's own words for it, or torch's, as they came, cut."""


@dataclass(frozen=True, slots=True)
class Parts:
    """One file cut into parts."""

    parts: tuple[Part, ...]
    """By rank, none twice."""
    expected: int | None
    """Ranks that torch asked, where the file says it: only one in which some failed does."""
    notes: tuple[str, ...] = ()
    """What is odd about the file, one plain line each."""


def read_head(data: bytes) -> tuple[dict[int, str], int | None, int]:
    """Why ranks did not answer, how many were asked, and where the rest of the file begins.

    Reasons are as they came, cut; a file without such a head gives none, None and 0.
    """
    head = _HEAD.match(data)
    if head is None:
        return {}, None, 0
    expected = int(head[2])
    reasons: dict[int, list[str]] = {}
    at, last = head.end(), -1
    while at < len(data):
        stop = data.find(b"\n", at)
        line = data[at : stop if stop >= 0 else len(data)].rstrip(b"\r")
        if line.startswith((b"=== ", b"--- ")):
            break
        at = stop + 1 if stop >= 0 else len(data)
        found = _REASON.match(line)
        # Reasons of several lines go on until the next rank's.
        if found is not None and last < int(found[1]) < expected:
            last = int(found[1])
            reasons[last] = [_text(found[2])]
        elif last >= 0 and len(reasons[last]) < 8 and line.strip():
            reasons[last].append(_text(line))
    return {rank: " ".join(said).strip()[:_SAID] for rank, said in reasons.items()}, expected, at


def split_parts(data: bytes, handler: str) -> Parts:
    """The answers of all ranks in a file.

    A line counts as the head of a rank's part only when it names the handler and the rank that is due. Where one rank's
    text imitates the head of another it can't be told whose text is whose: these ranks get an error in place of a text.

    Args:
        data: the file.
        handler: the handler that was asked, `dump_traceback`.
    """
    reasons, expected, start = read_head(data)
    wanted = handler.encode()
    marks: dict[int, tuple[re.Match[bytes], str]] = {}
    ends: dict[int, int] = {}
    doubtful: set[int] = set()
    due = 0
    for mark in _MARK.finditer(data, start):
        rank = int(mark[1])
        address = _ADDRESS.fullmatch(mark[2]) if rank <= due else None
        if address is None or address["handler"] != wanted or (expected is not None and rank >= expected):
            continue
        if rank < due:
            doubtful.update(range(max(rank - 1, 0), due))
        elif due:
            ends[due - 1] = mark.start()
        marks[rank] = mark, plain(_text(address["host"] or b"").strip("[]"), 255)
        due = rank + 1
    parts = tuple(
        _part(rank, host, _text_of(data, mark.end() + 1, ends.get(rank)), reasons, doubtful=rank in doubtful)
        for rank, (mark, host) in sorted(marks.items())
    )
    return Parts(parts, expected, tuple(_odd(parts, expected, doubtful)))


def _text_of(data: bytes, start: int, stop: int | None) -> bytes:
    """A rank's text without the line break that parts it from the next head."""
    return data[start:] if stop is None else data[start:stop].removesuffix(b"\n").removesuffix(b"\r")


def _part(rank: int, host: str, text: bytes, reasons: dict[int, str], *, doubtful: bool) -> Part:
    if doubtful:
        return Part(rank, host, b"", error="its text can't be told from that of another rank, which imitates its head")
    failed = _ERROR.fullmatch(text)
    if failed is None:
        return Part(rank, host, text)
    status = int(failed[1])
    said = reasons.get(rank, "")
    means = _STATUS.get(status, "the rank answered with an error")
    error = f"{means} (HTTP {status})" + (f": {plain(said, _SAID)}" if said else "")
    return Part(rank, host, b"", status, error, said)


def _odd(parts: tuple[Part, ...], expected: int | None, doubtful: set[int]) -> list[str]:
    said = []
    if expected is not None and len(parts) != expected:
        said.append(f"torch asked {expected:,} ranks and the file has parts of {len(parts):,}: it is cut")
    if doubtful:
        said.append(f"a text imitates the head of another rank's part: {len(doubtful):,} parts are left out")
    return said


def _text(data: bytes) -> str:
    return data[: 4 * _SAID].decode("utf-8", errors="backslashreplace")
