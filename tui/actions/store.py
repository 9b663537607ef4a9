"""The actions of the store's screen; `actions.ACTIONS` has them in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...services.session import Phase
from .action import Action, Scope

if TYPE_CHECKING:
    from ...services.session import Session

__all__ = ["STORE_ACTIONS", "needs_store"]

_HERE = (Scope.STORE,)


def needs_store(session: Session) -> str:
    """Why there is no store to look at."""
    if session.store.where or session.store.listing is not None:
        return ""
    if session.post_mortem:
        return "post mortem: these files have no store"
    if session.replayed:
        return "this bundle has no store"
    if session.phase is Phase.OPEN:
        return "the target names workers, not the job's store"
    return "the target is being opened" if session.phase is Phase.OPENING else "no store is attached"


def needs_keys(session: Session) -> str:
    unknown = f"no key is known{' yet' if session.asks else ''}"
    return needs_store(session) or ("" if session.store.listing is not None else unknown)


STORE_ACTIONS: tuple[Action, ...] = (
    Action("turn_key", ("enter",), "open", "Open or close a branch; from a key to its value", _HERE, 71),
    Action("next_store_pane", ("tab",), "pane", "Between the keys and the value", _HERE, 44, title="Next pane"),
    Action("previous_store_pane", ("shift+tab",), "pane", "Between the value and the keys", _HERE),
    Action(
        "value_view",
        ("v",),
        "view",
        "Show values as text, as JSON, as hex, or each as it fits",
        _HERE,
        62,
        why_not=needs_keys,
        title="View of values",
    ),
    Action(
        "copy_key",
        ("c",),
        "copy key",
        "Send the name of the key to the terminal's clipboard",
        _HERE,
        36,
        why_not=needs_keys,
    ),
    Action(
        "export_value",
        ("e",),
        "export",
        "Write the whole value, byte by byte, to a file in the current folder",
        _HERE,
        49,
        why_not=needs_keys,
        title="Export the value",
    ),
    Action(
        "export_keys",
        ("E",),
        "export keys",
        "Write the keys as a table to a file, as shown or all, with what was read of them: CSV, JSON or Markdown",
        _HERE,
        why_not=needs_keys,
        title="Export the keys",
        takes_keys=True,
    ),
    Action("end_search", ("x",), "end search", "End the search over values that is under way", _HERE, 30),
)
