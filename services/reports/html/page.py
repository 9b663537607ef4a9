"""The report of a session as one HTML page: no script, nothing from elsewhere, readable in any browser and on paper.

The page is a tree of the standard library's elements (`elements`): nothing foreign can become markup, and no template
language is needed for one page. What is long is cut, and how much is left out is said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...report import document
from .elements import Element, el, written
from .rank_parts import counters_part, ranks_part, stacks_part
from .recorder_parts import collectives_part, progress_part
from .styles import STYLES
from .verdict_parts import end_part, findings_part, looks_part, notes_part, verdict_part

if TYPE_CHECKING:
    from ...session import Session

__all__ = ["POLICY", "render_html"]

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""What a browser may load for the page: nothing but its own styles."""


def render_html(session: Session, *, with_ranks: bool = False) -> str:
    """The page.

    Args:
        session: what is known; its newest closed look is reported.
        with_ranks: a row for every rank; else for those alone that stand out.
    """
    made = document(session)
    parts = [
        verdict_part(made),
        findings_part(made),
        ranks_part(session, with_ranks=with_ranks),
        progress_part(session),
        collectives_part(session),
        stacks_part(session),
        counters_part(session),
        looks_part(made),
        notes_part(made),
        end_part(made, session),
    ]
    title = f"xpudbg: {made['verdict']}, {made['target'] or 'no target'}"
    return written(el("html", "", _head(title), el("body", "", el("main", "", *parts)), lang="en"))


def _head(title: str) -> Element:
    style = Element("style")
    style.text = STYLES  # ours, and the one text that is not escaped
    return el(
        "head",
        "",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=POLICY),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", "", title, limit=200),
        style,
    )
