"""Looks that brought stacks: the answers of the ranks, and what the analysis made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xpudbg.services import events
from xpudbg.services.looks.recorders import RecorderLook
from xpudbg.services.looks.stacks import StackAnalyst
from xpudbg.services.ranksets import RankSet
from xpudbg.services.snapshot import Outcome, RankReply
from xpudbg.services.spool import Body

from .scripted import NOW, SECOND, look, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Frames = tuple[str, ...]
"""`function /path/file.py:12`, innermost first."""

TORCH = "/venv/lib/python3.11/site-packages/torch"
TRAIN: Frames = ("train /job/train.py:142", "<module> /job/train.py:187")
WAIT: Frames = (
    f"all_reduce {TORCH}/distributed/distributed_c10d.py:3252",
    f"wrapper {TORCH}/distributed/c10d_logger.py:83",
    "flush /job/buckets.py:57",
    "step /job/step.py:118",
    *TRAIN,
)
LOAD: Frames = ("decode /job/decode.py:40", "next_batch /job/loader.py:88", *TRAIN)
PIN: Frames = ("pin_memory /job/pin.py:9", "run /job/thread.py:5")


def traceback(*threads: Frames) -> str:
    """What dump_traceback answers; the last thread is the main one."""
    blocks = ["Current thread 0x00007f0000000001 (most recent call first):\n  <no Python frame>\n"]
    for number, frames in enumerate(threads):
        lines = [f"Thread 0x00007f000000{number:04x} (most recent call first):"]
        for frame in frames:
            function, _, place = frame.rpartition(" ")
            file, _, line = place.rpartition(":")
            lines.append(f'  File "{file}", line {line} in {function}')
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def reply(rank: int, text: str, source: str = "dump_traceback", at: int = NOW, error: str = "") -> RankReply:
    """An answer with a text; with `error`, one that failed."""
    data = text.encode("utf-8", "surrogateescape")
    outcome = Outcome.HTTP_ERROR if error else Outcome.OK
    return RankReply(rank, source, "", outcome, 500 if error else 200, Body(len(data), data), error, at - SECOND, 0.01)


def stacks(
    look_id: int,
    size: int,
    texts: Mapping[int, str],
    sick: Mapping[int, str] | None = None,
    *,
    analyst: StackAnalyst | None = None,
    at: int = NOW,
    closed: bool = True,
) -> list[events.Event]:
    """A whole look that brought a traceback of some ranks.

    Args:
        texts: traceback by rank.
        sick: class of other ranks, as in `look`.
        analyst: goes on from the look before.
    """
    said = look(look_id, size, sick, at=at, closed=False)
    replies = [reply(rank, text, at=at) for rank, text in texts.items()]
    said += [events.ReplyArrived(look_id, one) for one in replies]
    known = {(e.reply.rank, e.reply.source): e.reply for e in said if isinstance(e, events.ReplyArrived)}
    made = (analyst or StackAnalyst()).analyse(look_id, at - 4 * SECOND, known, RankSet.full(size))
    said.append(events.Analysed(look_id, made, RecorderLook(look_id=0)))
    if closed:
        said.append(events.LookClosed(look_id, at))
    return said


def stack_job(
    size: int, texts: Mapping[int, str], sick: Mapping[int, str] | None = None, *, looks: int = 2
) -> list[events.Event]:
    """A job opened and looked at, its stacks the same each time; the looks are ten seconds apart, the last at NOW."""
    analyst = StackAnalyst()
    said: list[events.Event] = [events.TargetOpening("store head-0:29500"), opened(size)]
    for number in range(looks):
        at = NOW - (looks - 1 - number) * 10 * SECOND
        said += stacks(number + 1, size, texts, sick, analyst=analyst, at=at)
    return said


def hung(size: int, loading: Iterable[int] = (), gone: Iterable[int] = ()) -> dict[int, str]:
    """Tracebacks of a job in which all wait in a collective but some that load data; none of those that are gone."""
    load, left_out = set(loading), set(gone)
    return {r: traceback(PIN, LOAD if r in load else WAIT) for r in range(size) if r not in left_out}
