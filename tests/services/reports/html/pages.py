"""Pages read back as a browser would, and sessions to make them of."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING

from tests.tui.recorder_scripts import recorder_job, stuck
from xpudbg.services.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xpudbg.services.events import Event

__all__ = ["VOID", "Page", "hung", "session_of"]

VOID = frozenset(("meta", "br", "hr", "img", "link", "input"))


class Page(HTMLParser):
    """Tags with their attributes, and the text of each element that was asked for."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[tuple[str, str]] = []
        """Innermost element and text."""
        self.stray: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1] == tag:
            self.open.pop()
        else:
            self.stray.append(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        self.stray.append(f"comment {data}")

    def handle_pi(self, data: str) -> None:
        self.stray.append(f"instruction {data}")

    def unknown_decl(self, data: str) -> None:
        self.stray.append(f"declaration {data}")

    def all_text(self) -> str:
        return "".join(text for where, text in self.texts if where != "style")

    def of(self, tag: str) -> list[dict[str, str | None]]:
        """Attributes of each element of a kind."""
        return [attributes for name, attributes in self.tags if name == tag]


def session_of(script: Iterable[Event]) -> Session:
    made = Session()
    for event in script:
        made.apply(event)
    return made


def hung() -> Session:
    """Eight ranks, the fifth of which does not come."""
    return session_of(recorder_job(stuck()))
