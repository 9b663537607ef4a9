"""Screen 7: the keys of the job's store as a tree, the value under the cursor, a search over both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.containers import Horizontal, Vertical
from textual.content import Content

from ...services.sizes import size_text
from ...services.store_browse.purposes import branch_purpose, key_purpose
from ...services.store_browse.searching import KEYS
from ...services.store_browse.values import (
    ROW,
    VIEW_LIMIT,
    View,
    key_text,
    kind_of,
    view_text,
)
from ..actions.registry import Scope, bindings, key_of, key_of_begin
from ..actions.store import needs_store
from ..widgets.filter_bar import FilterBar
from ..widgets.painted import Painted, styled
from ..widgets.raw_text import RawText, TextLog
from ..widgets.store_label import NO_NAME
from ..widgets.store_tree import StoreTree
from ..widgets.text import plain_lines
from ..wording import age, count
from .store_requests import StoreRequests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from ...services.store_browse.key_tree import KeyBranch
    from ...services.store_browse.values import StoreValue

__all__ = ["StoreScreen"]

_VIEWS: tuple[View | None, ...] = (None, View.TEXT, View.JSON, View.HEX)
_HEX_WIDTH = 82
"""Terminal cells from which on the hex view has sixteen bytes a line."""


class StoreScreen(StoreRequests):
    """The tree at one side, the value at the other."""

    BINDINGS = bindings(Scope.STORE)
    SCOPES = (Scope.STORE, Scope.JOB, Scope.TREE)
    MODE = "store"
    FOLLOWS_LOOKS = False
    FILTERED = ("keys", KEYS.hint)

    def body(self) -> Iterator[Widget]:
        yield Painted(id="store-line")
        with Horizontal(id="store-body"):
            yield StoreTree()
            with Vertical(id="store-side"):
                yield Painted(id="store-about")
                yield RawText(id="store-value")

    # showing --------------------------------------------------------------------------------------------------

    def on_screen_resume(self) -> None:
        super().on_screen_resume()
        if self.is_ready and self.session.store.listing is None:
            self.list_keys()

    def show_ranks(self) -> None:
        view, store = self.store_view, self.session.store
        for notice in view.notices():
            self.app.say(notice)
        if self.relist_due():
            self.list_keys(by_itself=True)
        if view.search_due() and not self.query_one(FilterBar).typing:
            self.begin_search()
        tree = self.main_widget()
        tree.show(view.tree(), view.value, (store.listing, self.session.revision), open_all=bool(view.search))
        self._go_to_wanted()
        self._show_line()
        self._show_value()
        self.read_in_view()

    def _go_to_wanted(self) -> None:
        """To the key that a person has typed elsewhere."""
        wanted, self.store_view.gone_to = self.store_view.gone_to, ()
        if wanted and not any(self.main_widget().go_to(key) for key in wanted):
            self.app.say("that key is not among those shown")

    def gone_into(self) -> tuple[str, ...]:
        return ("value",) if isinstance(self.focused, TextLog) else ()

    def show_selection(self) -> None:
        """Which rank is selected changes nothing here but the cursor: to its address."""
        rank = self.session.selected
        if rank is not None:
            self.main_widget().go_to(b"debug_server/rank%d" % rank)
        self._show_value()

    def show_ages(self) -> None:
        self._show_line()
        self._show_about()

    def _show_line(self) -> None:
        words = self._line()
        self.query_one("#store-line", Painted).paint_with(lambda width: words.truncate(width, ellipsis=True))

    def _line(self) -> Content:
        store, view = self.session.store, self.store_view
        reason = needs_store(self.session)
        if reason:
            return styled(f"No store: {reason}", "$text-warning")
        words: list[str | tuple[str, str] | Content] = [styled(f"store {store.where}"), "  "]
        if store.failure:
            said = f"{'the keys could not be listed: ' if store.listing is None else 'not read again: '}{store.failure}"
            words += [styled(said, "$text-error"), "  "]
        if store.listing is not None:
            words.append(
                f"{count(len(store.listing.keys), 'key')}, read {age(self.app.clock(), store.listing.read_at)} ago"
            )
            if store.listing.note:
                words += ["  ", styled(store.listing.note, "$text-warning")]
        elif not store.failure:
            words.append(("its keys are being listed …", "$foreground-muted"))
        found = view.found
        if found is not None:
            said = f"{count(len(found.hits), 'hit')} in {found.read:,} of {found.total:,} values"
            said += "" if found.done else " …"
            said += f", of {found.cut:,} only the first 64 KiB" if found.cut else ""
            words += ["  ", (said, "$text-accent")]
            if found.error:
                words += ["  ", styled(f"ended: {found.error}", "$text-error")]
        elif view.search.reads_values:
            words += ["  ", (f"{key_of('keep_filter')} reads the values", "$text-accent")]
        return Content.assemble(*words)

    def show_filter(self) -> None:
        view = self.store_view
        self.query_one(FilterBar).show(view.text, len(view.shown()), view.total, view.error)

    # the value ------------------------------------------------------------------------------------------------

    def _show_value(self) -> None:
        self._show_about()
        key, raw = self.key, self.query_one("#store-value", RawText)
        value = self.store_view.value(key) if key is not None else None
        self.set_class(key is None, "-no-key")
        if value is None:
            raw.show(Content(""), lambda: "", key, None)
            return
        view = self.store_view.view_of(value)
        chosen = "" if self.store_view.chosen is None else f", as chosen with {key_of('value_view')}"
        title = Content.styled(f"as {view}{chosen}", "$foreground-muted")
        row = ROW if raw.size.width >= _HEX_WIDTH else ROW // 2
        raw.show(title, lambda: view_text(value, view, row), (key, view, row), value)

    def _show_about(self) -> None:
        branch = self.main_widget().branch
        now = self.app.clock()
        value = self.store_view.value(branch.prefix) if branch is not None and branch.leaf else None
        kept = value is not None and self.store_view.is_kept(value)
        said = _about(branch, value, now, kept=kept) if branch is not None else Content(self._nothing())
        self.query_one("#store-about", Painted).paint_with(lambda width: Content("\n").join(said.wrap(width)))

    def _nothing(self) -> str:
        store = self.session.store
        if store.failure and store.listing is None:
            again = f"\n\n{key_of('look')} tries again." if self.session.asks else ""
            return plain_lines(f"{store.failure}\n\n{store.hint}{again}")
        if self.store_view.search and store.listing is not None:
            return f"No key fits. {key_of_begin('back')} takes the filter away."
        return "The store has no key." if store.listing is not None else ""

    def on_store_tree_moved(self) -> None:
        if self.app.base_screen is self and self.is_ready:
            self._show_value()
            self.read_in_view()

    def on_store_tree_refused(self, message: StoreTree.Refused) -> None:
        self.app.say(message.reason)

    # actions --------------------------------------------------------------------------------------------------

    def do_turn_key(self) -> None:
        branch = self.main_widget().branch
        if isinstance(self.focused, TextLog):
            self.set_focus(self.main_widget())
        elif branch is not None and branch.leaf:
            self._to_value()
        else:
            self.main_widget().turn()

    def do_next_store_pane(self) -> None:
        if isinstance(self.focused, TextLog):
            self.set_focus(self.main_widget())
        else:
            self._to_value()

    def do_previous_store_pane(self) -> None:
        self.do_next_store_pane()

    def _to_value(self) -> None:
        if self.key is not None:
            self.set_focus(self.query_one("#store-value", RawText).log_widget)

    def do_value_view(self) -> None:
        view = self.store_view
        view.chosen = _VIEWS[(_VIEWS.index(view.chosen) + 1) % len(_VIEWS)]
        self._show_value()

    def do_back(self) -> None:
        if isinstance(self.focused, TextLog):
            self.set_focus(self.main_widget())
        elif self.store_view.text:
            self.on_filter_bar_dropped()
        else:
            self.app.go_back()

    def _match(self, step: int) -> None:
        """The next key that is left, whatever is open."""
        key = self.store_view.neighbour(self.main_widget().branch, step)
        if key is None:
            self.app.say("no key fits" if self.store_view.text else "there is no key here")
        elif not self.main_widget().go_to(key):
            self.app.say("too many lines are there; filter, or close some")

    def do_copy_key(self) -> None:
        branch = self.main_widget().branch
        if branch is not None:
            self.app.copy(key_text(branch.prefix, len(branch.prefix) * 4), "the key")

    def text_to_copy(self) -> tuple[str, str]:
        """The value as it is shown; on a branch, the names of its keys."""
        branch = self.main_widget().branch
        if branch is None:
            return "", ""
        if not branch.leaf:
            names = "\n".join(key_text(key) for key in branch.keys[branch.begin : branch.end])
            return names, f"the names of {count(len(branch), 'key')}"
        value = self.store_view.value(branch.prefix)
        if value is None:
            return "", ""
        return plain_lines(view_text(value, self.store_view.view_of(value)), VIEW_LIMIT * 8), "the value"


def _about(branch: KeyBranch, value: StoreValue | None, now: int, *, kept: bool) -> Content:
    """The whole name of a key or branch, what it is for, and what was read of it."""
    name = Content.styled(key_text(branch.prefix, 600) or NO_NAME, "bold")
    if not branch.leaf:
        purpose = branch_purpose(branch.first, branch.last)
        said = f"{count(len(branch), 'key')} begin with it{': ' if purpose else ''}{purpose}"
        return Content("\n").join((name, Content(said)))
    lines = [name]
    purpose = key_purpose(branch.prefix)
    if purpose:
        lines.append(styled(purpose, "$text-primary"))
    if value is None:
        lines.append(Content.styled("being read …", "$foreground-muted"))
    elif value.readable:
        kind = kind_of(value)
        size = size_text(value.length) + (f" ({value.length:,} bytes)" if value.length >= 1024 else "")
        said = f"{size}, {kind}{', never loaded' if kind == 'looks like a pickle' else ''}"
        anew = f"; {key_of('look')} reads it anew" if kept else ""
        lines.append(Content(f"{said}, read {age(now, value.read_at)} ago{anew}"))
    return Content("\n").join(lines)
