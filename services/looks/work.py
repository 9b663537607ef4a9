"""What older looks need of the engine: their analyses made again, their bodies moved out of the memory."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from .. import events
from ..ranksets import RankSet
from .analysis import LookAnalyst, LookFindings, LookMaterial

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Executor

    from ..snapshot import RankReply, Snapshot
    from ..spool import Spool

__all__ = ["LookWork", "analysed_again", "material_of", "packed"]


def material_of(look: Snapshot) -> LookMaterial:
    """What the analyses of a closed look work on."""
    return LookMaterial(
        look_id=look.id,
        taken_at=look.taken_at,
        replies=look.replies,
        world_size=look.world_size,
        ranks=RankSet(rank for rank, state in look.ranks.items() if state.address.url),
        hosts={rank: state.host for rank, state in look.ranks.items()},
        context=look.context,
    )


def analysed_again(look: Snapshot, before: Snapshot | None) -> LookFindings:
    """The analyses of a look, made of its replies and those of the look before. What went on over more looks (since
    when a rank stands still) is not known any more.

    Raises:
        OSError: a body can't be read.
    """
    analyst = LookAnalyst()
    try:
        if before is not None:
            analyst.analyse(material_of(before))
        return analyst.analyse(material_of(look))
    finally:
        analyst.close()


def packed(look: Snapshot, spool: Spool) -> dict[tuple[int, str], RankReply]:
    """The replies of a look, their bodies in one file.

    Raises:
        OSError: they can't be written.
    """
    replies = list(look.replies.items())
    bodies = spool.pack(reply.body for _, reply in replies)
    return {
        key: reply if body is reply.body else replace(reply, body=body)
        for (key, reply), body in zip(replies, bodies, strict=True)
    }


class LookWork:
    """Lives on the engine's event loop. Of the analyses asked for only the newest matter: who goes through looks
    quickly wants those of the look arrived at."""

    def __init__(
        self,
        emit: Callable[[events.Event], None],
        analyses: Executor,
        spool: Spool,
        failed: Callable[[str, BaseException], None],
    ) -> None:
        """
        Args:
            emit: takes every event.
            analyses: runs the heavy analyses, one at a time.
            spool: where bodies go.
            failed: takes defects of xpudbg itself.
        """
        self._emit = emit
        self._analyses = analyses
        self._spool = spool
        self._failed = failed
        self._wanted: tuple[Snapshot, Snapshot | None] | None = None
        self._analysing: asyncio.Task[None] | None = None
        self._packing: set[asyncio.Task[None]] = set()

    def analyse_again(self, look: Snapshot, before: Snapshot | None) -> None:
        """AnalysedAgain follows, unless another look is asked for before this one's turn."""
        self._wanted = (look, before)
        if self._analysing is None or self._analysing.done():
            self._analysing = asyncio.get_running_loop().create_task(self._analyse(), name="analysing again")

    def pack(self, look: Snapshot) -> None:
        """LookPacked follows; nothing where the disk has no room."""
        task = asyncio.get_running_loop().create_task(self._pack(look), name="packing")
        self._packing.add(task)
        task.add_done_callback(self._packing.discard)

    async def close(self) -> None:
        """End what is under way."""
        tasks = [task for task in (self._analysing, *self._packing) if task is not None and not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _analyse(self) -> None:
        loop = asyncio.get_running_loop()
        while self._wanted is not None:
            (look, before), self._wanted = self._wanted, None
            try:
                found = await loop.run_in_executor(self._analyses, analysed_again, look, before)
            except OSError as error:
                failure = f"a reply is no longer there ({error.strerror or error})"
                self._emit(events.AnalysedAgain(look.id, look.taken_at, None, failure))
            except Exception as error:
                self._failed(f"analysing look {look.id} again", error)
                self._emit(events.AnalysedAgain(look.id, look.taken_at, None, "xpudbg itself failed on it"))
            else:
                self._emit(events.AnalysedAgain(look.id, look.taken_at, found))

    async def _pack(self, look: Snapshot) -> None:
        loop = asyncio.get_running_loop()
        replies = look.replies
        try:
            replies = await loop.run_in_executor(None, packed, look, self._spool)
        except OSError:  # its bodies stay in memory, where the looks' bound holds
            pass
        except Exception as error:
            self._failed(f"packing look {look.id}", error)
        self._emit(events.LookPacked(look.id, look.taken_at, replies))
