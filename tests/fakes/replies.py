"""Addresses and replies built by hand, as the engine would report them."""

from __future__ import annotations

from xpudbg.services.snapshot import Outcome, RankAddress, RankReply
from xpudbg.services.spool import EMPTY, Body

START = 1_700_000_000_000_000_000
"""An instant, ns since the epoch."""
SECOND = 1_000_000_000


def address(rank: int, host: str = "", *, registered: bool = True) -> RankAddress:
    """The address of a rank on a host named after it; not registered has neither URL nor host."""
    if not registered:
        return RankAddress(rank, "", "", "")
    name = host or f"node-{rank}"
    url = f"http://{name}:{4000 + rank}"
    return RankAddress(rank, url, url, name)


def reply(
    rank: int,
    source: str = "ping",
    outcome: Outcome = Outcome.OK,
    body: bytes = b"pong",
    *,
    status: int | None = 200,
    error: str = "",
    started_at: int = START,
    took_s: float = 0.002,
) -> RankReply:
    """A reply; one that is not ok has no body and no status unless given."""
    ok = outcome is Outcome.OK
    return RankReply(
        rank=rank,
        source=source,
        query="",
        outcome=outcome,
        status=status if ok or status != 200 else None,
        body=Body(len(body), body) if ok or body != b"pong" else EMPTY,
        error=error or ("" if ok else f"{outcome.value} for the test"),
        started_at=started_at,
        took_s=took_s,
        connected=outcome not in (Outcome.REFUSED, Outcome.UNREACHABLE, Outcome.NAME_UNKNOWN),
    )
