"""What the stacks screen asks others for: py-spy on ranks, source files, the pager, files to export to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.message import Message

from ...services.cluster.probes import PYSPY, py_spy
from ...services.ranksets import RankSet
from ...services.stacks.source_lines import SourceError, read_source
from ..stacks.raw_texts import SOURCES, TEXT_LIMIT, about, newest, text_of
from ..terminal.editor import edit_source
from ..terminal.outside_program import OutsideError
from ..widgets.painted import styled
from ..widgets.raw_text import RawText
from ..widgets.stack_table import StackTable
from ..widgets.text import fit
from ..wording import count
from .export_request import ask_for_export
from .job import JobScreen
from .question import QuestionScreen
from .stack_choices import stack_choice

if TYPE_CHECKING:
    from ...services.cluster.probes import Probe
    from ...services.stacks.model import Frame
    from ...services.stacks.source_lines import SourceExcerpt
    from ...services.stacks.tree import MergedStacks
    from ..stacks.view import StackView

__all__ = ["StackRequests"]

SOURCES_KEPT = 256
MANY = 64
"""Ranks from which on py-spy asks first."""


class SourceRead(Message):
    """The source lines of a frame, or why there are none."""

    def __init__(self, frame: Frame, source: SourceExcerpt | str) -> None:
        super().__init__()
        self.frame = frame
        self.source = source


class StackRequests(JobScreen):
    """Base of the stacks screen; what comes back comes as a message."""

    def __init__(self) -> None:
        super().__init__()
        self.raw_source = ""
        """The source whose text is shown, empty when the stack is."""
        self._sources: dict[Frame, SourceExcerpt | str] = {}
        self._reading: Frame | None = None

    @property
    def stack_view(self) -> StackView:
        return self.app.view.stacks

    @property
    def ranks_shown(self) -> RankSet:
        """The ranks that the filter leaves."""
        return self.app.view.shown() if self.app.view.filter else self.session.all_ranks

    @property
    def part(self) -> MergedStacks:
        """The stacks that the filter leaves."""
        return self.stack_view.part(self.app.view.filter, self.ranks_shown)

    def show_frame(self) -> None:
        """Bring what is said of the frame under the cursor up to date."""
        raise NotImplementedError

    # raw text -------------------------------------------------------------------------------------------------

    def show_raw(self) -> None:
        """Bring the raw text up to date, where it is shown."""
        rank, source = self.session.selected, self.raw_source
        self.set_class(bool(source), "-raw")
        if not source or rank is None:
            return
        asked_at = self.app.attachment.asking.get((rank, source))
        title = styled(about(self.session, rank, source, self.app.clock(), asked_at))
        answer = newest(self.session, rank, source)
        self.query_one(RawText).show(title, lambda: self.raw_text(rank, TEXT_LIMIT), (rank, source), answer)

    def do_raw(self) -> None:
        """The stack, the traceback as it came, py-spy's text, and round again."""
        order = ("", *SOURCES)
        self._show_source(order[(order.index(self.raw_source) + 1) % len(order)])

    def gone_into(self) -> tuple[str, ...]:
        return (f"{self.raw_source} of rank {self.session.selected}",) if self.raw_source else ()

    def do_back(self) -> None:
        """Esc: raw text gives way to the stack before anything else goes."""
        if self.raw_source:
            self._show_source("")
        else:
            super().do_back()

    def _show_source(self, source: str) -> None:
        in_rank = self.focused in (self.query_one(StackTable), self.query_one(RawText).log_widget)
        self.raw_source = source
        self.show_raw()
        if in_rank:
            self.call_after_refresh(self._to_rank_pane)

    def _to_rank_pane(self) -> None:
        self.set_focus(self.query_one(RawText).log_widget if self.raw_source else self.query_one(StackTable))

    # source lines ---------------------------------------------------------------------------------------------

    def source(self, frame: Frame) -> SourceExcerpt | str | None:
        """The source lines of a frame; None while they are being read, beside the screen: a disk may be slow."""
        if frame in self._sources:
            return self._sources[frame]
        if frame != self._reading:
            self._reading = frame
            self.run_worker(
                lambda: self.post_message(SourceRead(frame, _read(frame))), group="source", exclusive=True, thread=True
            )
        return None

    def on_source_read(self, message: SourceRead) -> None:
        if len(self._sources) >= SOURCES_KEPT:
            self._sources.clear()
        self._sources[message.frame] = message.source
        if message.frame == self._reading:
            self._reading = None
        self.show_frame()

    # py-spy ---------------------------------------------------------------------------------------------------

    def do_py_spy(self) -> None:
        self._ask(py_spy(), "py-spy, without pausing the process")

    def do_py_spy_subprocesses(self) -> None:
        self._ask(py_spy(subprocesses=True), "py-spy with child processes, without pausing them")

    def do_py_spy_native(self) -> None:
        self._ask(py_spy(native=True), "py-spy with C and C++ frames, which pauses the process", pauses=True)

    def _ask(self, probe: Probe, what: str, *, pauses: bool = False) -> None:
        wanted = self.session.marked or RankSet([self.session.selected] if self.session.selected is not None else [])
        asking = self.app.attachment.asking
        live = self.session.live.ranks
        ranks = RankSet(rank for rank in wanted if rank in live and live[rank].address.url)
        ranks -= RankSet(rank for rank, source in asking if source == probe.source)
        if not ranks:
            self.app.say("not now: no address is known, or py-spy has not answered yet")
            return
        named = f"{count(len(ranks), 'rank')} ({fit(str(ranks), min(len(str(ranks)), 60))})"

        def go(agreed: bool | None) -> None:
            if agreed:
                self.app.attachment.ask(ranks, probe)
                self.app.say(f"asked {named} for {what}")
                if self.session.selected in ranks:
                    self.raw_source = PYSPY.source
                self.show_all()

        if not pauses and len(ranks) < MANY:
            go(True)
            return
        effect = (
            "Each process stands still while it is read: some 10 ms, or seconds where there are many frames without "
            "symbols. It takes the GIL of nobody and changes nothing."
            if pauses
            else "The processes are not paused; each rank starts py-spy once."
        )
        self.app.push_screen(QuestionScreen("py-spy", f"Ask {named} for {what}?\n\n{effect}"), go)

    def tell_answers(self) -> None:
        """Say what has come of what was asked for."""
        answers = self.app.attachment.answered(PYSPY.source)
        good = RankSet(reply.rank for reply in answers if not reply.error)
        if good:
            self.app.say(
                f"py-spy has answered for {count(len(good), 'rank')}: {fit(str(good), min(len(str(good)), 40))}"
            )
        failed = [reply for reply in answers if reply.error]
        if failed:
            more = f" (and {len(failed) - 1} more)" if len(failed) > 1 else ""
            self.app.say(f"py-spy on rank {failed[0].rank}{more}: {failed[0].error}")

    # text and files -------------------------------------------------------------------------------------------

    def raw_text(self, rank: int, limit: int | None = None) -> str:
        """The text that is shown, else the traceback, as far as `limit` bytes; a sentence when it is gone."""
        try:
            return text_of(self.session, rank, self.raw_source or SOURCES[0], limit)
        except OSError as error:
            return f"The text is no longer there: {error.strerror}"

    def text_to_read(self) -> tuple[str, str]:
        rank = self.session.selected
        return ("", "") if rank is None else (self.raw_text(rank), f"rank-{rank}-{self.raw_source or SOURCES[0]}.txt")

    def frame_here(self) -> Frame | None:
        """The frame that the cursor of the pane with the keys is on."""
        raise NotImplementedError

    def do_editor(self) -> None:
        """The source of the frame, where this machine has it; the text where a text is shown."""
        frame = None if self.raw_source else self.frame_here()
        if frame is None:
            super().do_editor()
        else:
            self.run_worker(self._edit_source(frame), group="editor", exclusive=True)

    async def _edit_source(self, frame: Frame) -> None:
        """The file is looked at beside the screen: a disk may be slow."""
        found = await asyncio.to_thread(_read, frame)
        if isinstance(found, str):
            self.app.say(f"no source to open: {found}")
            return
        try:
            edit_source(self.app, found.path, found.line, self.app.env)
        except OutsideError as error:
            self.app.say(str(error))

    def do_export(self) -> None:
        self._export("speedscope", "collapsed")

    def do_export_collapsed(self) -> None:
        self._export("collapsed", "speedscope")

    def _export(self, *styles: str) -> None:
        """Ask what of what is shown goes into which file."""
        part, view, target = self.part, self.stack_view, self.session.label
        look = next((look for look in self.session.looks if look.id == view.stacks.look_id), None)
        at = look.taken_at if look is not None else self.app.clock()
        ask_for_export(self, [stack_choice(part, target, view.merged_threads, at, style) for style in styles])


def _read(frame: Frame) -> SourceExcerpt | str:
    try:
        return read_source(frame)
    except SourceError as error:
        return str(error)
