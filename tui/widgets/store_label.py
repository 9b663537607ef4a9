"""One line of the tree of keys: name, number of keys or size, what it is for or how the value begins. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ...services.sizes import size_text
from ...services.store_browse.purposes import branch_purpose
from ...services.store_browse.values import key_text, value_preview
from ..wording import count
from .text import cell_len, fit, plain

if TYPE_CHECKING:
    from rich.style import Style

    from ...services.store_browse.key_tree import KeyBranch
    from ...services.store_browse.values import StoreValue

__all__ = ["NO_NAME", "StoreStyles", "store_label"]

NO_NAME = "(empty name)"
"""Stands for a key of no bytes."""

SIZE = 10
"""Terminal cells of the column of sizes."""


@dataclass(frozen=True, slots=True)
class StoreStyles:
    """How the parts are painted; the cursor's line has one style for all."""

    usual: Style
    branch: Style
    muted: Style
    trouble: Style


def store_label(branch: KeyBranch, value: StoreValue | None, width: int, name_width: int, styles: StoreStyles) -> Text:
    """The line, exactly `width` terminal cells wide.

    Args:
        value: of a leaf, when it has been read.
        name_width: terminal cells for the name.
    """
    name = key_text(branch.label) or NO_NAME
    if branch.leaf:
        size, said, style = _leaf(value, styles)
    else:
        size, said, style = _keys(len(branch)), branch_purpose(branch.first, branch.last), styles.muted
    if cell_len(name) > name_width and cell_len(name) + 2 + SIZE <= width and not said:
        name_width = cell_len(name)
    label = Text(no_wrap=True, end="")
    label.append(fit(name, name_width), styles.usual if branch.leaf else styles.branch)
    label.append(" " + fit(size, SIZE - 1, "right") + "  ", styles.muted)
    label.append(fit(plain(said), max(width - name_width - SIZE - 2, 0)), style)
    return label


def _keys(number: int) -> str:
    said = count(number, "key")
    return said if len(said) < SIZE else f"{number:,}"


def _leaf(value: StoreValue | None, styles: StoreStyles) -> tuple[str, str, Style]:
    if value is None:
        return "…", "", styles.muted
    if not value.readable:
        return "gone" if value.gone else "?", value_preview(value), styles.trouble
    return size_text(value.length), value_preview(value), styles.muted
