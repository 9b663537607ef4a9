"""Elements of a page as a tree of the standard library's, which escapes what it writes.

A page is never put together from strings: text goes in as text and comes out as text, whatever it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, tostring

from ...plain_text import LINE_LIMIT, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["CELL_LIMIT", "Child", "Element", "el", "ranks_text", "table", "written"]

Child = Element | str | None
"""None is left out."""
CELL_LIMIT = 160
"""Characters of a cell of a table."""
RANKS_LIMIT = 150
"""Characters of a rank set."""


def el(tag: str, css: str = "", /, *children: Child, limit: int = LINE_LIMIT, **attributes: str) -> Element:
    """An element. Texts are made plain: controls and bidirectional characters become visible escapes.

    Args:
        css: its class; none when empty.
        limit: characters of each text that are kept.
        attributes: `aria_label` is written `aria-label`.
    """
    made = Element(tag, {name.replace("_", "-"): plain(value) for name, value in attributes.items()})
    if css:
        made.set("class", css)
    last: Element | None = None
    for child in children:
        if isinstance(child, str):
            text = plain(child, limit)
            if last is None:
                made.text = (made.text or "") + text
            else:
                last.tail = (last.tail or "") + text
        elif child is not None:
            made.append(child)
            last = child
    return made


def table(
    titles: Sequence[str], rows: Iterable[Sequence[Child]], *, numeric: Sequence[int] = (), css: str = ""
) -> Element:
    """A table; texts of cells are cut to `CELL_LIMIT`.

    Args:
        numeric: columns that stand to the right.
    """
    head = el(
        "tr", "", *(el("th", "num" if at in numeric else "", title, scope="col") for at, title in enumerate(titles))
    )
    body = el("tbody")
    for row in rows:
        body.append(
            el(
                "tr",
                "",
                *(el("td", "num" if at in numeric else "", cell, limit=CELL_LIMIT) for at, cell in enumerate(row)),
            )
        )
    return el("div", "scroll", el("table", css, el("thead", "", head), body))


def ranks_text(ranks: object) -> str:
    """A rank set, cut where it is long."""
    text = str(ranks)
    if len(text) <= RANKS_LIMIT:
        return text
    return f"{text[:RANKS_LIMIT].rpartition(',')[0]},…"


def written(page: Element) -> str:
    """The page as HTML text."""
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html") + "\n"
