"""What goes into a bundle, and where to: then it is written beside the screens."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from ...services.bundle.from_session import SessionFacts
from ...services.bundle.orders import WriteBundle
from ...services.bundle.redaction import HOSTS, PATHS, STORE
from ...services.watch.rotation import SUFFIX, free_name, why_of
from ..suggesters.paths import PathSuggester
from ..widgets.toggle import Toggle
from ..wording import count
from .form_request import FormRequest, RefusedError, field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from textual.widget import Widget

    from ...services.looks.record import LookRecord
    from ...services.session import Session
    from .job import JobScreen

__all__ = ["BundleRequest", "ask_for_bundle", "looks_of"]

_TEXT = (
    "All that the ranks said goes into one new file, which opens as the job does (xpudbg FILE). Writing it goes on "
    "beside the screens. Names that are switched on below are replaced in it."
)
_WORDS = {HOSTS: "hosts", PATHS: "paths", STORE: "values of the store"}
ALL, SHOWN = "all", "shown"


@dataclass(frozen=True, slots=True)
class _Wanted:
    path: Path
    looks: tuple[LookRecord, ...]
    redacted: frozenset[str]


def ask_for_bundle(screen: JobScreen) -> None:
    """Ask what and where to; then have it written."""
    app, session = screen.app, screen.session
    here = {path.name for path in Path().glob(f"xpudbg-*{SUFFIX}")}
    name = free_name(app.clock(), why_of(session.verdict.value.value), here)

    def go(wanted: _Wanted | None) -> None:
        if wanted is None:
            return
        facts = SessionFacts.later(session, wanted.looks[-1].snapshot.id)
        app.attachment.bundle(WriteBundle(wanted.path, wanted.looks, facts, wanted.redacted))
        app.say(f"writing {count(len(wanted.looks), 'look')} into {wanted.path}")

    app.push_screen(BundleRequest(session, name), go)


def looks_of(session: Session, text: str) -> tuple[LookRecord, ...] | str:
    """The looks that are meant, oldest first; or what is wrong, one plain line.

    Args:
        text: `all`, `shown`, or how many of the newest.
    """
    records = tuple(session.book.records)
    if text == ALL:
        return records
    if text == SHOWN:
        return (session.shown or records[-1],)
    if text.isascii() and text.isdigit() and 0 < len(text) < 10 and int(text):
        return records[-int(text) :]
    return f"write {ALL}, {SHOWN}, or how many of the newest looks"


class BundleRequest(FormRequest[_Wanted]):
    """The file, the looks, what is replaced in them."""

    BEGINS = "write"

    def __init__(self, session: Session, name: str) -> None:
        """
        Args:
            session: whose looks.
            name: of the file that is offered.
        """
        super().__init__("Bundle", _TEXT)
        self._of = session
        self._offered = name

    def fields(self) -> Iterator[Widget]:
        session = self._of
        shown = session.look
        number = shown.id if shown is not None else 0
        about = f"{ALL} ({len(session.looks):,}), {SHOWN} (look {number}), or how many"
        yield field("bundle-file", "file", self._offered, suggester=PathSuggester((SUFFIX,)))
        yield field("bundle-looks", "looks", ALL, about, short=True)
        yield Horizontal(
            Static(Content("replace"), classes="form-name"),
            *(Toggle(words, id=f"bundle-{kind}") for kind, words in _WORDS.items()),
            classes="form-field",
        )

    def read(self) -> _Wanted:
        path = _path_of(self.typed("bundle-file"))
        looks = looks_of(self._of, self.typed("bundle-looks"))
        if isinstance(looks, str):
            raise RefusedError("bundle-looks", looks)
        redacted = frozenset(kind for kind in _WORDS if self.query_one(f"#bundle-{kind}", Toggle).on)
        return _Wanted(path, looks, redacted)


def _path_of(typed: str) -> Path:
    """
    Raises:
        RefusedError: no bundle can be written there.
    """
    path = Path(os.path.expanduser(typed))
    if not typed:
        refused = "write the name of a file"
    elif "\0" in typed:
        refused = "no file can have such a name"
    elif not typed.lower().endswith(SUFFIX):
        refused = f"the name of a bundle ends in {SUFFIX}"
    elif path.name.lower() == SUFFIX:
        refused = "write a name before the ending"
    elif not path.parent.is_dir():
        refused = f"there is no folder {path.parent}"
    elif path.exists():
        refused = f"{path} is there already: write another name"
    else:
        return path
    raise RefusedError("bundle-file", refused)
