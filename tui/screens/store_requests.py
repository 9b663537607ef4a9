"""What the store's screen asks the store for: keys, values, searches, exports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...services.store_browse.orders import EndSearch, ExportValue, ListKeys, ReadValues, SearchValues
from ...services.store_browse.values import PREVIEW_LIMIT, VIEW_LIMIT, view_text
from ..actions.store import needs_store
from ..recorder.export import export_name
from ..store.export import store_table
from ..widgets.store_tree import StoreTree
from .export_request import ask_for_export, table_choice
from .job import JobScreen

if TYPE_CHECKING:
    from ..store.view import StoreView

__all__ = ["StoreRequests"]

RELISTED = 20_000
"""Keys up to which a store is listed anew with each look, when looks come by themselves."""


class StoreRequests(JobScreen):
    """Base of the store's screen; what comes back comes through the session."""

    def main_widget(self) -> StoreTree:
        return self.query_one(StoreTree)

    @property
    def store_view(self) -> StoreView:
        return self.app.attachment.store

    @property
    def key(self) -> bytes | None:
        """The key of the cursor; None on a branch."""
        branch = self.main_widget().branch
        return branch.prefix if branch is not None and branch.leaf else None

    def read_in_view(self) -> None:
        """Ask for the values of the lines that are seen, and for more of the one under the cursor."""
        if needs_store(self.session) or self.session.store.listing is None:
            return
        view, key = self.store_view, self.key
        deep = view.to_read([key] if key is not None else [], VIEW_LIMIT)
        seen = view.to_read((one for one in self.main_widget().in_view() if one != key), PREVIEW_LIMIT)
        if deep:
            self.app.attachment.browse_store(ReadValues(deep, VIEW_LIMIT))
        if seen:
            self.app.attachment.browse_store(ReadValues(seen, PREVIEW_LIMIT))

    def list_keys(self, *, by_itself: bool = False) -> None:
        """Have the keys listed anew, unless they are being listed.

        Args:
            by_itself: no person asked for it.
        """
        if not needs_store(self.session) and self.store_view.begin_listing(by_itself=by_itself):
            self.app.attachment.browse_store(ListKeys())

    def relist_due(self) -> bool:
        """With looks that come by themselves the keys are listed anew after each."""
        listing, latest = self.session.store.listing, self.session.latest
        if self.session.store.reading or self.session.store.failure:
            return False
        if listing is None:
            return bool(self.session.store.where)
        due = self.app.attachment.refresh_s is not None and len(listing.keys) <= RELISTED
        return due and latest is not None and latest.closed_at > listing.read_at

    def do_look(self) -> None:
        super().do_look()
        if not self.session.replayed:
            self.list_keys()

    def begin_search(self) -> None:
        """Have the values read of the keys whose names fit."""
        view, listing = self.store_view, self.session.store.listing
        if listing is not None:
            view.sought = (view.search, listing)
            self.app.attachment.browse_store(SearchValues(view.search, tuple(view.named())))

    def filter_typed(self, text: str) -> None:
        self._end_search()
        self.store_view.type(text)

    def filter_kept(self) -> None:
        """A search over values begins now, not while it is typed."""
        if self.store_view.search_due():
            self.begin_search()

    def _end_search(self) -> bool:
        view, found = self.store_view, self.session.store.search
        running = view.sought is not None and (found is None or found.search != view.sought[0] or not found.done)
        view.sought = None
        if running:
            self.app.attachment.browse_store(EndSearch())
        return running

    def do_end_search(self) -> None:
        sought = self.store_view.sought
        ended = self._end_search()
        self.store_view.sought = sought  # what was found stays, and is not looked for again by itself
        self.app.say("the search has been ended" if ended else "no search is under way")

    def text_to_read(self) -> tuple[str, str]:
        key = self.key
        value = self.store_view.value(key) if key is not None else None
        return ("", "") if value is None else (view_text(value, self.store_view.view_of(value)), "store-value.txt")

    def why_no_text(self) -> str:
        return "there is no value here"

    def do_export_keys(self) -> None:
        """Ask which keys go into which file, as a table."""
        session, listing = self.session, self.session.store.listing
        assert listing is not None, "the action is greyed without keys"
        name, values = export_name(session.label, "store", "keys", listing.read_at), session.store.values
        choices = [table_choice("keys, all of them", name, store_table(listing.keys, values))]
        if self.store_view.search:
            choices.insert(0, table_choice("keys as shown", name, store_table(self.store_view.shown(), values)))
        ask_for_export(self, choices)

    def do_export_value(self) -> None:
        key = self.key
        if key is None:
            self.app.say("not now: the cursor is on no key")
            return
        self.app.attachment.browse_store(ExportValue(key, Path.cwd()))
