"""Calls of a rank's own handlers, which a job may register: which there are, the request, the answer as text.

What a handler does is the job's affair, so a person agrees first. The rule of one outstanding request of a handler for
each rank holds for these too: the probe has the handler's name as its source (`HandlerCall.source`).
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, urlencode

from ..json_layout import LayoutError, laid_out
from ..snapshot import Outcome
from .answers import AnswerError, read_json
from .liveness import STORE
from .probes import HANDLERS, Probe

if TYPE_CHECKING:
    from ..session import Session
    from ..snapshot import RankReply

__all__ = [
    "ANSWER_LIMIT",
    "KNOWN",
    "CallError",
    "HandlerCall",
    "answer_text",
    "handlers_of",
    "handlers_unknown",
    "parse_call",
]

ANSWER_LIMIT = 1024 * 1024
"""Bytes of an answer that are shown."""
_MAX_BYTES = 64 * 1024 * 1024
_LONGEST = 200
"""Characters of a handler's name; one that is longer is none."""
_MANY = 500
"""Handlers of one rank that are offered."""

KNOWN = {
    "ping": "answers pong",
    "wait_counter_values": "counters of what the rank waits for",
    "fr_trace_json": "flight recorder of the CPU side",
    "dump_nccl_trace_json": "flight recorder of NCCL",
    "dump_nccl_trace_pickle": "flight recorder of NCCL, as a pickle",
    "dump_traceback": "Python stacks; needs the GIL of the rank",
    "pyspy_dump": "stacks by py-spy, which pauses the process unless nonblocking=1",
    "torch_profile": "profiles the rank for duration=SECONDS; needs its GIL",
    "torchcomms_fr_trace_json": "flight recorder of torchcomms",
    "torchcomms_health_check": "torchcomms' own word about the rank",
    "torchcomms_fr_dump_file": "makes the rank write its recorder to a file",
}
"""The handlers that torch itself registers; all others are the job's own."""


class CallError(ValueError):
    """What is typed is no call of a handler; the message is one plain line."""


@dataclass(frozen=True, slots=True)
class HandlerCall:
    """One call as a person typed it."""

    name: str
    query: tuple[tuple[str, str], ...] = ()

    @property
    def shown(self) -> str:
        """`name?a=1&b=x`, as it was typed; not plain yet."""
        return self.name + ("?" + "&".join(f"{key}={value}" for key, value in self.query) if self.query else "")

    @property
    def source(self) -> str:
        """The source of its replies: the name, unless that is a word for something else that tells of a rank."""
        return self.name if self.name not in (HANDLERS.source, STORE) else f"handler {self.name}"

    @property
    def probe(self) -> Probe:
        query = "?" + urlencode(self.query, quote_via=quote) if self.query else ""
        path = f"/handler/{quote(self.name, safe='')}{query}"
        return Probe(self.source, "POST", path, stage=5, budgets=10, max_bytes=_MAX_BYTES)


def parse_call(text: str) -> HandlerCall:
    """`name`, or `name?key=value&key=value`.

    Raises:
        CallError: no name, a slash or blank in it, or a query that is none.
    """
    name, mark, query = text.strip().partition("?")
    name = name.removeprefix("/handler/")
    if not name:
        raise CallError("the name of a handler is missing")
    if len(name) > _LONGEST or re.search(r"[\s/#\x00-\x1f\x7f]", name) or name in (".", ".."):
        raise CallError("the name of a handler has no blank, no / and no #; its query comes after ?")
    if mark and not query:
        raise CallError("after ? comes key=value, several with & between them")
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query), max_num_fields=100)
    except ValueError:
        raise CallError("the query is key=value, several with & between them") from None
    return HandlerCall(name, tuple(pairs))


def handlers_of(session: Session, rank: int) -> tuple[str, ...] | None:
    """The names of a rank's handlers as it gave them last; None when it has not been heard."""
    replies = [session.asked.get((rank, HANDLERS.source))]
    if session.under_way is not None:
        replies.append(session.under_way.replies.get((rank, HANDLERS.source)))
    replies += [look.replies.get((rank, HANDLERS.source)) for look in reversed(session.looks)]
    for reply in replies:
        if reply is None:
            continue
        try:
            names = read_json(reply, list[str])
        except (AnswerError, OSError):
            continue  # an older answer may be a good one
        return tuple(sorted({name for name in names if 0 < len(name) <= _LONGEST})[:_MANY])
    return None


def handlers_unknown(session: Session, rank: int) -> str:
    """Why the newest look does not tell which handlers a rank has, one plain line; empty when it was not asked."""
    reply = session.latest.replies.get((rank, HANDLERS.source)) if session.latest is not None else None
    if reply is None:
        return ""
    try:
        read_json(reply, list[str])
    except (AnswerError, OSError) as error:
        return str(error) or reply.outcome.value
    return ""


def answer_text(reply: RankReply) -> str:
    """The answer as lines: JSON laid out, text as it came, the reason when there is none; not plain yet.

    Raises:
        OSError: a large answer is no longer on the disk.
    """
    data = reply.body.read(ANSWER_LIMIT)
    whole = reply.body.size <= ANSWER_LIMIT
    text = data.decode("utf-8", "backslashreplace")
    if whole and data.lstrip()[:1] in (b"{", b"["):
        with contextlib.suppress(LayoutError):  # it only begins like JSON, or grows too long: shown as it came
            text = laid_out(data)
    if not whole:
        text += f"\n… cut here: {reply.body.size - ANSWER_LIMIT:,} bytes more"
    if reply.outcome is not Outcome.OK or reply.error:
        return f"{reply.error or reply.outcome.value}\n\n{text}".rstrip()
    return text or "(an empty answer)"
