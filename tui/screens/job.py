"""What the screens of an attached job have in common: status, filter and footer lines, and the actions on ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.message import Message
from textual.screen import Screen

from ...services import events
from ...services.ranksets import RankSet
from ...services.session import Phase
from ..actions.conditions import UNCHANGING
from ..actions.registry import Scope, bindings, by_name, keys_shown
from ..incident_words import incident_parts
from ..ranks.filter import RANKS
from ..widgets.filter_bar import FilterBar
from ..widgets.footer import KeyFooter
from ..widgets.hint_line import HintLine
from ..widgets.look_strip import LookStrip
from ..widgets.painted import Painted, styled
from ..widgets.status_bar import StatusBar
from ..widgets.text import plain
from .dump_file_request import tell_dump_files
from .going_about import GoesAbout
from .handing_over import HandsOver
from .handler_request import tell_handlers
from .look_compare import compare_looks
from .look_request import ask_for_look

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.app import ComposeResult
    from textual.events import Resize
    from textual.widget import Widget

    from ...services.session import Session
    from ...services.stacks.tree import MergedStacks
    from ..app import XpudbgApp
    from ..bridge import SessionChanged
    from ..stacks.view import MergeOrder

__all__ = ["LEAST", "JobScreen"]

LEAST = (60, 18)
"""Columns and rows below which not all panes are shown."""


class Merged(Message):
    """Stacks that had to be merged first are there."""

    def __init__(self, order: MergeOrder, merged: MergedStacks) -> None:
        super().__init__()
        self.order = order
        self.merged = merged


class JobScreen(GoesAbout, HandsOver, Screen[None]):
    """Base of the numbered screens. They read the session and change it by events only."""

    app: XpudbgApp
    BINDINGS = bindings(Scope.JOB)
    AUTO_FOCUS = ""
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal"), (160, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012
    SCOPES: tuple[Scope, ...] = ()
    """Where the keys of the footer and of the help come from."""
    MODE: ClassVar[str] = ""
    FILTERED: ClassVar[tuple[str, str]] = ("ranks", RANKS.hint)
    """What the filter line filters, and what can be typed there."""
    FOLLOWS_LOOKS: ClassVar[bool] = True
    """Whether it shows the look that a person has gone to; without it always what is known now."""

    def compose(self) -> ComposeResult:
        yield StatusBar()
        yield LookStrip()
        yield Painted(id="cramped")
        yield FilterBar(*self.FILTERED)
        yield from self.body()
        yield HintLine()
        yield KeyFooter((*self.SCOPES, Scope.APP), here=self.MODE)

    def __init__(self) -> None:
        super().__init__()
        self._merging: MergeOrder | None = None

    def body(self) -> Iterator[Widget]:
        """The widgets between the lines at the top and the footer."""
        raise NotImplementedError

    def main_widget(self) -> Widget:
        """The one that has the keys."""
        raise NotImplementedError

    def show_ranks(self) -> None:
        """Bring the body up to date with the session and the view."""
        raise NotImplementedError

    def show_selection(self) -> None:
        """Another rank is selected; nothing else changed."""
        raise NotImplementedError

    def show_ages(self) -> None:
        """A second has passed."""
        raise NotImplementedError

    @property
    def session(self) -> Session:
        return self.app.session

    # what makes it repaint ------------------------------------------------------------------------------------

    @property
    def is_ready(self) -> bool:
        """Whether its widgets are there. Timers, keys and actions can come before and after, when the loop is busy."""
        return self.is_mounted and self.is_running and self.app.is_running

    def on_session_changed(self, _message: SessionChanged) -> None:
        self.show_all()

    def on_screen_resume(self) -> None:
        if not self.is_ready:
            return
        self.show_all()
        if not self.query_one(FilterBar).typing:
            self.set_focus(self.main_widget())

    def show_all(self) -> None:
        """Everything anew; what looks the same is not painted again."""
        if self.app.base_screen is not self or not self.is_ready:
            return
        self._merge(self.app.view.stacks.update())
        tell_dump_files(self)
        tell_handlers(self)
        with self.app.batch_update():
            self.show_filter()
            self.show_ranks()
            self._show_lines()

    def show_place(self) -> None:
        """Where this is, in the lines at the top and the bottom."""
        if self.is_ready and self.app.base_screen is self:
            self._show_lines()

    def show_hint(self) -> None:
        """What somebody who is new could do here, if there is something left to tell."""
        if self.app.base_screen is not self:
            return
        if self.query_one(FilterBar).typing:  # its keys would be typed, and esc means the filter
            self.query_one(HintLine).show(None)
        else:
            self.query_one(HintLine).show(self.app.hints.update(self.session, self.MODE, self.app.clock()))

    def tick(self) -> None:
        """Ages grow by a second."""
        if not self.is_ready:
            return
        self._show_lines()
        self.show_ages()

    def _show_lines(self) -> None:
        app = self.app
        follows = self.FOLLOWS_LOOKS
        self.query_one(StatusBar).show(
            self.session,
            app.clock(),
            app.attachment.refresh_s,
            incident_parts(app),
            follows=follows,
            again=app.attachment.looks_by_itself,
            steps=self.steps(),
        )
        self.query_one(LookStrip).show(self.session, app.clock(), follows=follows)
        self.show_hint()
        words = {"refresh": f"every {app.attachment.refresh_s:g} s" if app.attachment.refresh_s else "refresh off"}
        if self.session.phase is Phase.FAILED:
            words["look"] = "try again"
        elif self.session.post_mortem and not self.session.replayed:
            words["look"] = "read again"
        if app.attachment.watch is not None:
            words["watch"] = "end the watch"
        if leads := self.back_leads():
            words["back"] = f"to {leads}"
        typing = (Scope.FILTER, Scope.APP) if self.query_one(FilterBar).typing else ()
        self.query_one(KeyFooter).show(self.session, words, scopes=(*self.SCOPES, Scope.APP), typing=typing)

    def steps(self) -> list[str]:
        """Where this is: the screen with its key, then what was gone into on it, outermost first."""
        name = by_name[self.MODE].label
        return [" ".join((*keys_shown(by_name[self.MODE])[:1], name)), *map(plain, self.gone_into())]

    def gone_into(self) -> Sequence[str]:
        """What Esc takes away, a step each time, before it leads to another screen; the filter has its own line."""
        return ()

    def back_leads(self) -> str:
        """The screen that Esc leads to; empty as long as there is something else to take away, or no such screen."""
        before = self.app.place_before
        here = self.app.view.filter is not None or self.query_one(FilterBar).has_class("open") or self.gone_into()
        return "" if here or before is None else by_name[before.mode].label

    def on_resize(self, event: Resize) -> None:
        """Below the least size it says so, and gives the room there is to the main widget."""
        width, height = event.size
        self.set_class(width < LEAST[0] or height < LEAST[1], "-cramped")
        said = f"{width}x{height} is small: {LEAST[0]}x{LEAST[1]} shows more"
        self.query_one("#cramped", Painted).paint_with(lambda room: styled(said, "$text-warning").truncate(room))
        self._keys_moved()

    def on_descendant_focus(self) -> None:
        self._keys_moved()

    def on_descendant_blur(self) -> None:
        self._keys_moved()

    def _keys_moved(self) -> None:
        """In an input other keys work."""
        if self.is_ready:
            self._show_lines()

    def _merge(self, order: MergeOrder | None) -> None:
        """Merge stacks beside the screen, unless that is under way."""
        if order is None or order == self._merging:
            return
        self._merging = order
        self.run_worker(lambda: self.post_message(Merged(order, order.carry_out())), group="merge", thread=True)

    def on_merged(self, message: Merged) -> None:
        if message.order == self._merging:
            self._merging = None
        if self.app.view.stacks.take(message.order, message.merged):
            self.show_all()

    # selection and marks --------------------------------------------------------------------------------------

    def select(self, rank: int | None) -> None:
        """Make a rank the selected one, on all screens."""
        if rank is not None and rank != self.session.selected:
            self.app.attachment.change(events.RankSelected(rank))
            if self.is_ready:
                self.show_selection()

    def do_next_rank(self) -> None:
        self.select(self.session.neighbour(1))

    def do_previous_rank(self) -> None:
        self.select(self.session.neighbour(-1))

    def do_next_match(self) -> None:
        self._match(1)

    def do_previous_match(self) -> None:
        self._match(-1)

    def _match(self, step: int) -> None:
        rank = self.app.view.next_match(step)
        if rank is None:
            self.app.say("no rank matches" if self.app.view.filter else "every rank that was heard is well")
        self.select(rank)

    def do_mark(self) -> None:
        if self.session.selected is not None:
            self._set_marks(self.session.marked ^ RankSet([self.session.selected]))

    def do_unmark_all(self) -> None:
        self._set_marks(RankSet())

    def _set_marks(self, ranks: RankSet) -> None:
        self.app.attachment.change(events.RanksMarked(ranks))
        self.show_all()

    # filter ---------------------------------------------------------------------------------------------------

    def show_filter(self) -> None:
        """Bring the filter line up to date."""
        view = self.app.view
        total = len(self.session.ranks)
        shown = len(view.order()) if view.filter else total
        self.query_one(FilterBar).show(view.text, shown, total, view.error)

    def filter_typed(self, text: str) -> None:
        """The text of the filter line is another one."""
        self.app.view.set_filter(text)

    def filter_kept(self) -> None:
        """The filter is there to stay: the selected rank is one of those it shows."""
        order = self.app.view.order()
        if len(order) and self.session.selected not in order:
            self.select(int(order[0]))

    def do_filter(self) -> None:
        self.query_one(FilterBar).open()
        self.call_after_refresh(self.show_hint)

    def on_filter_bar_typed(self, message: FilterBar.Typed) -> None:
        self.filter_typed(message.text)
        self.show_all()

    def on_filter_bar_done(self) -> None:
        self.set_focus(self.main_widget())
        self.filter_kept()
        self.call_after_refresh(self.show_all)

    def on_filter_bar_dropped(self) -> None:
        self.filter_typed("")
        self.set_focus(self.main_widget())
        self.call_after_refresh(self.show_all)

    def do_back(self) -> None:
        """Esc: first the filter goes, then one place back."""
        if self.app.view.text:
            self.on_filter_bar_dropped()
        else:
            self.app.go_back()

    # looks --------------------------------------------------------------------------------------------------

    def do_look(self) -> None:
        session, again = self.session, "looking again"
        if session.phase is Phase.OPEN and session.replayed:
            again = UNCHANGING
        elif session.phase is Phase.OPEN and session.post_mortem:
            again = "the files are read again"
        if session.shown is not None:
            self.app.attachment.show_look(None)
            self.app.say(f"{again}; back from the older look to the newest")
            self.show_all()
        elif session.post_mortem:
            self.app.say(f"{again}; what is newer than before becomes a look of its own")
        if again is not UNCHANGING:
            self.app.attachment.look()

    def show_look(self, look_id: int | None) -> None:
        """Show a look, on all screens; None for what is known now."""
        self.app.attachment.show_look(look_id)
        self.show_all()

    def do_previous_look(self) -> None:
        self._step_look(-1)

    def do_next_look(self) -> None:
        self._step_look(1)

    def _step_look(self, step: int) -> None:
        if self.app.attachment.step_look(step):
            self.show_all()
        else:
            self.app.say("this is the newest look" if step > 0 else "this is the oldest look that is kept")

    def do_first_look(self) -> None:
        self.show_look(self.session.looks[0].id)

    def do_newest_look(self) -> None:
        self.show_look(None)

    def do_compare_looks(self) -> None:
        if (comparison := compare_looks(self.session)) is not None:
            self.app.push_screen(comparison)

    def do_to_look(self) -> None:
        ask_for_look(self)

    def on_look_strip_chosen(self, message: LookStrip.Chosen) -> None:
        self.show_look(message.look_id)

    def do_cancel_look(self) -> None:
        self.app.attachment.cancel_look()

    def do_refresh(self) -> None:
        self.app.attachment.next_interval()
        self._show_lines()
