"""How a person looks at the store: what is searched for, which keys are left, which values are still to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.filters.terms import as_far_as_good
from ...services.store_browse.key_tree import KeyBranch, in_order, key_tree
from ...services.store_browse.searching import StoreSearch, keys_named, parse_search
from ...services.store_browse.values import best_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ...services.session import Session
    from ...services.store_browse.events import StoreListing, StoreSearched
    from ...services.store_browse.shown import StoreShown
    from ...services.store_browse.values import StoreValue, View

__all__ = ["StoreView"]

READ_ANEW = 64 * 1024
"""Bytes of the longest value that is read anew when the keys were listed anew by themselves."""
ORDERED = 20_000
"""Keys up to which `n` goes from line to line; among more it goes in the order of their bytes."""


class StoreView:
    """Of one session; the screen reads it and changes it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.text = ""
        """What is typed in the filter line."""
        self.error = ""
        """What is wrong with it."""
        self.search = StoreSearch()
        self.chosen: View | None = None
        """The view of values that a person chose; the one that fits each when None."""
        self.gone_to: tuple[bytes, ...] = ()
        """Keys or branches to put the cursor on, the best first, when the tree is shown next."""
        self.sought: tuple[StoreSearch, StoreListing] | None = None
        """The search that was begun last, and over which keys."""
        self._out: dict[bytes, int] = {}
        """Values on their way: bytes asked for, by key."""
        self._named: tuple[StoreListing, StoreSearch, Sequence[bytes]] | None = None
        self._tree: tuple[Sequence[bytes], KeyBranch] | None = None
        self._ordered: tuple[KeyBranch, Sequence[bytes]] | None = None
        self._told = 0
        self._wanted: int | None = None
        """How many listings there will be when that comes which a person wants."""
        self._wanted_at = 0
        self._listing_since: tuple[StoreShown, int] | None = None
        """When the keys were last asked for: of which store, and how many answers had come."""

    # keys -----------------------------------------------------------------------------------------------------

    def type(self, text: str) -> None:
        """Take what is typed in the filter line."""
        self.text = text.strip()
        self.search, self.error = as_far_as_good(text, parse_search)

    @property
    def total(self) -> int:
        listing = self._session.store.listing
        return len(listing.keys) if listing is not None else 0

    def named(self) -> Sequence[bytes]:
        """The keys whose names fit."""
        listing = self._session.store.listing
        if listing is None:
            return ()
        if not self.search:
            return listing.keys
        if self._named is None or self._named[0] is not listing or self._named[1] != self.search:
            self._named = (listing, self.search, keys_named(listing.keys, self.search))
        return self._named[2]

    @property
    def found(self) -> StoreSearched | None:
        """How far the search over values is that is typed now; None when there is none."""
        found = self._session.store.search
        return found if found is not None and found.search == self.search else None

    def shown(self) -> Sequence[bytes]:
        """The keys that are left; of a search over values those that were found so far."""
        found = self.found
        return found.hits if found is not None else self.named()

    def tree(self) -> KeyBranch:
        """The tree of `shown`, the same one as long as these are the same keys."""
        keys = self.shown()
        if self._tree is None or (self._tree[0] is not keys and self._tree[0] != keys):
            self._tree = (keys, key_tree(keys))
        return self._tree[1]

    def neighbour(self, branch: KeyBranch | None, step: int) -> bytes | None:
        """The key `step` lines on from a line, open or not, going round at the ends; None when there is no key."""
        tree = self.tree()
        if not len(tree):
            return None
        if self._ordered is None or self._ordered[0] is not tree:
            self._ordered = (tree, in_order(tree) if len(tree) <= ORDERED else tree.keys)
        keys = self._ordered[1]
        if branch is None:
            return keys[0]
        if branch.leaf and branch.prefix in keys:
            return keys[(keys.index(branch.prefix) + step) % len(keys)]
        below = next((at for at, key in enumerate(keys) if key.startswith(branch.prefix)), None)
        if below is None:  # the line is of keys that are gone: it has not been painted anew yet
            return keys[0]
        return keys[below if step > 0 else (below - 1) % len(keys)]

    def search_due(self) -> bool:
        """Whether the values have to be read for the search, which has not begun over the keys there are."""
        listing = self._session.store.listing
        return self.search.reads_values and listing is not None and self.sought != (self.search, listing)

    # values ---------------------------------------------------------------------------------------------------

    def value(self, key: bytes) -> StoreValue | None:
        return self._session.store.values.get(key)

    def view_of(self, value: StoreValue) -> View:
        return self.chosen or best_view(value)

    def is_kept(self, value: StoreValue) -> bool:
        """Whether a value stays as it was read, though the keys have been listed anew since: it is long, and no person
        wanted that."""
        listing = self._session.store.listing
        older = listing is not None and value.read_at < listing.read_at
        return older and value.length > READ_ANEW and value.read_at >= self._wanted_since()

    def _wanted_since(self) -> int:
        """When the keys were listed last because a person wanted it, ns since the epoch."""
        store = self._session.store
        if self._wanted is not None and store.answers >= self._wanted:
            self._wanted = None
            self._wanted_at = store.listing.read_at if store.listing is not None else 0
        return self._wanted_at

    def to_read(self, keys: Iterable[bytes], limit: int) -> tuple[bytes, ...]:
        """The keys whose values are not here, not since the keys were listed, or not as far as `limit` bytes; they
        count as asked for from now on. Long values are read anew only where a person had the keys listed."""
        listing = self._session.store.listing
        if listing is None:
            return ()
        wanted = []
        for key in keys:
            value = self.value(key)
            if value is not None and (value.read_at >= listing.read_at or self.is_kept(value)):
                whole = value.whole or not value.readable
                if whole or len(value.head) >= self._out.get(key, 0):
                    self._out.pop(key, None)
                if whole or len(value.head) >= limit:
                    continue
            if self._out.get(key, 0) < limit:
                self._out[key] = limit
                wanted.append(key)
        return tuple(wanted)

    def begin_listing(self, *, by_itself: bool = False) -> bool:
        """The keys are to be listed: what is on its way is asked for again after it. False when they are being listed
        already.

        Args:
            by_itself: no person wants it; long values that are here stay as they are.
        """
        store = self._session.store
        if self._listing_since is None or self._listing_since[0] is not store:
            self._listing_since, self._told = None, 0  # another target, or the same one opened again
            self._wanted, self._wanted_at = None, 0
        self._wanted_since()  # of the listing before, as long as it is the newest
        if not by_itself:
            self._wanted = store.answers + 1
        if self._listing_since is not None and self._listing_since[1] == store.answers:
            return False
        self._listing_since = (store, store.answers)
        self._out.clear()
        return True

    def notices(self) -> list[str]:
        """What was said since this was last asked."""
        store = self._session.store
        new = store.said - self._told
        self._told = store.said
        return store.notices[-new:] if new > 0 else []
