"""Screen 3: all stacks merged, the odd ones first; the selected rank's own stack, frame by frame, or as it came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from textual.containers import Horizontal, Vertical

from ...services import events
from ...services.ranksets import RankSet
from ...services.stacks.tree import ThreadChoice
from ..actions.registry import Scope, bindings, key_of_begin
from ..stacks.entries import EntryRows, StackEntry, entries
from ..stacks.frame_text import copied
from ..widgets.frame_pane import FrameFacts, FramePane
from ..widgets.grid_table import GridTable
from ..widgets.raw_text import RawText
from ..widgets.stack_summary import StackSummary
from ..widgets.stack_table import StackTable
from ..widgets.stack_tree import StackTree
from ..wording import age, count
from .stack_requests import StackRequests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from ...services.stacks.model import Frame

__all__ = ["StacksScreen"]


class StacksScreen(StackRequests):
    """Places and tree at one side, the selected rank at the other."""

    BINDINGS = bindings(Scope.STACKS)
    SCOPES = (Scope.STACKS, Scope.JOB, Scope.TREE)
    MODE = "stacks"

    def __init__(self) -> None:
        super().__init__()
        self._entries: list[StackEntry] = []
        self._entry: StackEntry | None = None
        """The place the cursor of their list is on."""
        self._hosts: dict[RankSet, int] = {}
        self._hosts_at = -1

    def body(self) -> Iterator[Widget]:
        yield StackSummary()
        with Horizontal(id="stacks-body"):
            with Vertical(id="stacks-places"):
                yield GridTable(id="places", table="stacks")
                yield StackTree()
            with Vertical(id="stacks-rank"):
                yield StackTable()
                yield FramePane()
                yield RawText()

    def main_widget(self) -> StackTree:
        return self.query_one(StackTree)

    @property
    def _matched(self) -> frozenset[Frame]:
        return self.stack_view.matched(self.app.view.filter)

    # showing --------------------------------------------------------------------------------------------------

    def show_ranks(self) -> None:
        self.tell_answers()
        view, part = self.stack_view, self.part
        chosen = self.app.view.filter
        searched = bool(chosen and chosen.texts)
        missing = view.stacks.missing
        without = RankSet(missing) | view.merged.without
        matches = len(self._matched) if searched else None
        self.query_one(StackSummary).show(view, part, matches, len(without & self.ranks_shown))
        calls = view.calls if view.merged_threads is ThreadChoice.MAIN else None
        self._entries = entries(
            part,
            missing,
            self.ranks_shown,
            searched=bool(self._matched),
            calls=calls,
            culprits=self.app.view.progress.culprits,
        )
        tree = self.main_widget()
        fresh = tree.branch is None
        tree.show(part.root, self._matched, self.hosts)
        self.set_class(not part.classes, "-no-stacks")
        if fresh or tree.branch is None or self.session.selected not in tree.branch.ranks:
            self._go_to_rank()
        self._show_places()
        self._show_stack()

    def show_selection(self) -> None:
        """`[` and `]`, a place come back to: the tree goes to where that rank is."""
        self._go_to_rank()
        self._show_places()
        self._show_stack()

    def show_ages(self) -> None:
        self._show_places()
        self.show_raw()

    def hosts(self, ranks: RankSet) -> int:
        """The number of hosts of some ranks."""
        table = self.session.ranks
        if self._hosts_at != len(table):
            self._hosts.clear()
            self._hosts_at = len(table)
        if ranks not in self._hosts:
            self._hosts[ranks] = len({table[rank].host for rank in ranks if rank in table})
        return self._hosts[ranks]

    def _show_places(self) -> None:
        rank = self.session.selected
        kept = self._entry is not None and rank in self._entry.ranks and self._entry in self._entries
        if not kept:
            self._entry = next((entry for entry in self._entries if rank in entry.ranks), None)
        at = self._entries.index(self._entry) if self._entry is not None else None
        view = self.stack_view
        marked = [row for row, entry in enumerate(self._entries) if entry.ranks <= self.session.marked]
        self.query_one("#places", GridTable).show(
            EntryRows(self._entries, view.merged_threads, view.standing, self.app.instant, recorded=view.are_recorded),
            np.arange(len(self._entries), dtype=np.intp),
            cursor=at,
            marked=marked,
            empty=self._nothing(),
        )

    def _nothing(self) -> str:
        if self.app.view.filter:
            return f"No stack matches the filter. {key_of_begin('back')} takes it away."
        if not self.session.ranks:
            return self.session.failure or ("Opening the target …" if self.session.label else "Nothing is attached.")
        if self.session.reading_again:
            return f"{self.session.reading_again[:1].upper()}{self.session.reading_again[1:]} …"
        if self.stack_view.stacks.look_id:
            return ""
        if self.session.post_mortem and self.session.looks:
            return "Post mortem: these files hold no stacks."
        return "The stacks come with the end of the first look."

    def _why_none(self) -> str:
        if self.stack_view.stacks.look_id:
            return "it was not there at that look"
        files = self.session.post_mortem and self.session.looks
        return "these files hold none" if files else "no look has ended yet"

    def _show_stack(self) -> None:
        """The selected rank's stack and the frame its cursor is on."""
        view, rank = self.stack_view, self.session.selected
        stacks = view.stacks
        dump = stacks.dumps.get(rank) if rank is not None else None
        shown = [one.frames for one in view.merged.classes if rank in one.ranks] if dump is not None else []
        said = ""
        if dump is None and rank is not None:
            why = stacks.missing.get(rank, self._why_none())
            said = f"No stack of rank {rank}: {why}"
        table = self.query_one(StackTable)
        table.show_rank(dump, shown, view, self._matched, said)
        self.show_frame()
        self.show_raw()

    def show_frame(self) -> None:
        """The frame under the cursor of the stack."""
        view, table = self.stack_view, self.query_one(StackTable)
        frame = table.frame
        if frame is None:
            facts = FrameFacts(None, call=self._call_said())
        else:
            having = view.index.having(frame)
            without = RankSet(view.stacks.missing) | view.merged.without
            lacking = view.merged.ranks - having
            facts = FrameFacts(frame, having, lacking, without, self.source(frame), call=self._call_said())
        self.query_one(FramePane).show(facts, self.hosts)

    def _call_said(self) -> str:
        """Which call the selected rank is inside, for how long, and how many ranks with it."""
        calls, rank = self.stack_view.calls, self.session.selected
        if rank is None or not calls:
            return ""
        together, spot = calls.together(rank), calls.spot(rank)
        words = [calls.place(rank)]
        if spot is not None and spot.created and not self.session.post_mortem:
            words.append(f"for {age(self.app.instant, spot.created)}")
        if together:
            words.append(f"{count(len(together), 'rank')} in it")
        return ", ".join(words)

    def do_call(self) -> None:
        """To the selected rank's call among the calls of the flight recorder."""
        rank = self.session.selected
        spot = self.stack_view.calls.spot(rank) if rank is not None else None
        if rank is None or spot is None:
            self.app.say(self._no_call(rank))
            return
        recorder = self.app.view.recorder
        recorder.jump_to_call(rank, spot.group, spot.seq, p2p=spot.p2p, source=spot.source)
        self.app.go_to("recorder")

    def _no_call(self, rank: int | None) -> str:
        """Why there is no call to go to."""
        calls = self.stack_view.calls
        if rank is None:
            return "no rank is selected"
        if not calls:
            return "no flight recorder has been read"
        if rank not in calls.recorded:
            return f"there is no flight recorder dump of rank {rank}"
        return f"rank {rank} is inside no call by its flight recorder"

    # going about ----------------------------------------------------------------------------------------------

    def _go_to_rank(self) -> None:
        """The tree goes to the selected rank's innermost frame."""
        rank = self.session.selected
        one = next((one for one in self.part.classes if rank in one.ranks), None)
        if one is not None:
            self.main_widget().go_to(one.frames[::-1])
            self.query_one(StackTable).go_to(one.frames[::-1])

    def _choose(self, ranks: RankSet, path: tuple[Frame, ...]) -> None:
        """Show a frame of a stack that some ranks have, of the selected one if it is among them."""
        if ranks.first is not None and self.session.selected not in ranks:
            self.app.attachment.change(events.RankSelected(ranks.first))
        self._show_places()
        self._show_stack()
        self.query_one(StackTable).go_to(path)
        self.show_frame()

    def on_stack_tree_selected(self, message: StackTree.Selected) -> None:
        self._choose(message.branch.ranks, message.branch.path)

    def on_stack_tree_refused(self, message: StackTree.Refused) -> None:
        self.app.say(message.reason)

    def on_grid_table_selected(self, message: GridTable.Selected) -> None:
        if message.table.id == "places":
            self._choose_entry(self._entries[message.row])
        else:
            self.show_frame()

    def on_grid_table_activated(self, message: GridTable.Activated) -> None:
        self.set_focus(message.table)
        self.do_open()

    def _choose_entry(self, entry: StackEntry) -> None:
        self._entry = entry
        path = entry.stack.frames[::-1] if entry.stack is not None else ()
        self.main_widget().go_to(path)
        self._choose(entry.ranks, path)

    def _match(self, step: int) -> None:
        """Without a search, the next place; with one, the next frame that is found."""
        view = self.stack_view
        if not self._matched:
            if self._entries:
                at = self._entries.index(self._entry) if self._entry in self._entries else -1 if step > 0 else 0
                self._choose_entry(self._entries[(at + step) % len(self._entries)])
            return
        hits, classes = view.hits(self.app.view.filter, self.ranks_shown), self.part.classes
        paths = [classes[number].frames[::-1][:depth] for number, depth in hits]
        here = self.query_one(StackTable).path
        at = paths.index(here) if here in paths else -1 if step > 0 else 0
        number, _depth = hits[(at + step) % len(hits)]
        path = paths[(at + step) % len(hits)]
        self.main_widget().go_to(path)
        self._choose(classes[number].ranks, path)

    def do_open(self) -> None:
        focused = self.focused
        if isinstance(focused, StackTree):
            focused.turn()
        elif isinstance(focused, StackTable):
            focused.turn()
            self.show_frame()
        elif focused is not None and focused.id == "places":
            self.set_focus(self.main_widget())

    def do_next_pane(self) -> None:
        self._to_pane(1)

    def do_previous_pane(self) -> None:
        self._to_pane(-1)

    def _to_pane(self, step: int) -> None:
        rank: Widget = self.query_one(RawText).log_widget if self.raw_source else self.query_one(StackTable)
        panes: list[Widget] = [self.query_one("#places"), self.main_widget(), rank]
        at = panes.index(self.focused) if self.focused in panes else 0
        self.set_focus(panes[(at + step) % len(panes)])

    # choices --------------------------------------------------------------------------------------------------

    def do_threads(self) -> None:
        view = self.stack_view
        view.threads = ThreadChoice.ALL if view.threads is ThreadChoice.MAIN else ThreadChoice.MAIN
        self.show_all()

    def do_boring(self) -> None:
        view = self.stack_view
        view.show_boring = not view.show_boring
        self.show_all()

    def do_mark(self) -> None:
        """Exactly the ranks of the branch, place or frame the cursor is on; once more takes the marks away."""
        ranks = self._ranks_here()
        if ranks:
            self._set_marks(RankSet() if ranks == self.session.marked else ranks)

    def _ranks_here(self) -> RankSet:
        focused, branch = self.focused, self.main_widget().branch
        if isinstance(focused, StackTree) and branch is not None:
            return branch.ranks
        if focused is not None and focused.id == "places" and self._entry is not None:
            return self._entry.ranks
        frame = self.query_one(StackTable).frame
        return self.stack_view.index.having(frame) if frame is not None else RankSet()

    def frame_here(self) -> Frame | None:
        branch = self.main_widget().branch
        if isinstance(self.focused, StackTree) and branch is not None and branch.path:
            return branch.path[-1]
        return self.query_one(StackTable).frame

    def text_to_copy(self) -> tuple[str, str]:
        """The raw text, the branch, the place or the stack, whichever has the keys; nothing of it is cut."""
        focused, branch, rank = self.focused, self.main_widget().branch, self.session.selected
        if self.raw_source and rank is not None and focused is self.query_one(RawText).log_widget:
            return self.raw_text(rank), f"{self.raw_source} of rank {rank}"
        if isinstance(focused, StackTree) and branch is not None:
            return _headed(branch.ranks, branch.path[::-1]), f"the branch of {count(len(branch.ranks), 'rank')}"
        if focused is not None and focused.id == "places" and self._entry is not None and self._entry.stack is not None:
            return _headed(self._entry.ranks, self._entry.stack.frames), "the stack of the place"
        frames = self.query_one(StackTable).whole
        return (
            (_headed(RankSet([rank]), frames), f"the stack of rank {rank}") if frames and rank is not None else ("", "")
        )


def _headed(ranks: RankSet, frames: tuple[Frame, ...]) -> str:
    return f"{count(len(ranks), 'rank')}: {ranks}\n{copied(frames)}"
