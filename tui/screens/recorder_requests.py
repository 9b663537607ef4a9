"""What the flight recorder's screen has done beside the screen: ordering rows, reading raw JSON, writing a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message
from textual.worker import get_current_worker

from ...services.cluster.probes import RECORDERS
from ...services.recorder_look import DUMP_FILE
from ...services.recorder_tables.browser import source_name
from ...services.recorder_tables.raw_json import raw_lines
from ..pager import PagerError, page
from ..recorder_export import export_name, write_csv
from ..recorder_spots import Tab
from ..recorder_status import look_of
from ..wording import count
from .job import JobScreen

if TYPE_CHECKING:
    from ...services.flight_recorder.dump import Dump
    from ...services.recorder_tables.raw_json import RawText
    from ...services.snapshot import RankReply
    from ..recorder_order import RowOrder, Shown
    from ..recorder_view import RecorderView

__all__ = ["RecorderRequests"]


class JsonOf(NamedTuple):
    """Whose JSON is meant."""

    rank: int
    source: str
    said: RankReply | Dump


class Ordered(Message):
    """Rows are there in the order that was wanted."""

    def __init__(self, shown: Shown) -> None:
        super().__init__()
        self.shown = shown


class JsonRead(Message):
    """The JSON of a rank as lines, or why there are none."""

    def __init__(self, about: JsonOf, text: RawText | str) -> None:
        super().__init__()
        self.about = about
        self.text = text


class TableExported(Message):
    """A file is written, or why it is not."""

    def __init__(self, said: str) -> None:
        super().__init__()
        self.said = said


class RecorderRequests(JobScreen):
    """Base of the flight recorder's screen; what comes back comes as a message."""

    def __init__(self) -> None:
        super().__init__()
        self._ordering: RowOrder | None = None
        self._json: tuple[JsonOf, RawText | str] | None = None
        self._reading: JsonOf | None = None

    @property
    def recorder(self) -> RecorderView:
        return self.app.view.recorder

    # rows -----------------------------------------------------------------------------------------------------

    @property
    def is_ordering(self) -> bool:
        return self._ordering is not None

    def order_rows(self) -> None:
        """Bring the rows up to date; those of a big job beside the screen, one order after the other."""
        if self._ordering is not None:
            return
        wanted = self.recorder.update()
        if wanted is None:
            return
        self._ordering = wanted
        before = self.recorder.shown
        self.run_worker(lambda: self.post_message(Ordered(wanted.carry_out(before))), group="order", thread=True)

    def on_ordered(self, message: Ordered) -> None:
        self._ordering = None
        self.recorder.take(message.shown)
        self.show_all()

    # raw JSON -------------------------------------------------------------------------------------------------

    def json_of(self, rank: int | None) -> JsonOf | None:
        """The dump of a rank as it came, of the recorder that is shown, else of any; None when there is none."""
        if rank is None:
            return None
        diagnosis = self.recorder.diagnosis
        if self.recorder.source == DUMP_FILE:
            dump = diagnosis.analysis.job.dump_of(rank) if diagnosis is not None else None
            return JsonOf(rank, DUMP_FILE, dump) if dump is not None else None
        look = look_of(self.session)
        if look is None:
            return None
        sources = [self.recorder.source] if self.recorder.source else [probe.source for probe in RECORDERS]
        for source in sources:
            reply = look.replies.get((rank, source))
            if reply is not None:
                return JsonOf(rank, source, reply)
        return None

    def json_text(self, about: JsonOf) -> RawText | str | None:
        """The lines; None while they are being read."""
        if self._json is not None and _same(self._json[0], about):
            return self._json[1]
        if self._reading is None or not _same(self._reading, about):
            self._reading = about
            self.run_worker(
                lambda: self.post_message(JsonRead(about, _read(about))), group="json", exclusive=True, thread=True
            )
        return None

    def on_json_read(self, message: JsonRead) -> None:
        if self._reading is not None and _same(self._reading, message.about):
            self._reading = None
            self._json = (message.about, message.text)
            self.show_json()

    def show_json(self) -> None:
        """Bring the JSON up to date, where it is shown."""
        raise NotImplementedError

    def json_to_copy(self) -> tuple[str, str]:
        """The JSON that is shown and what to call it; empty when there is none."""
        if self._json is None or self.recorder.tab is not Tab.JSON:
            return "", ""
        about, text = self._json
        return text if isinstance(text, str) else "\n".join(text.lines), f"the JSON of rank {about.rank}"

    def do_pager(self) -> None:
        """Open the JSON of the selected rank in the pager."""
        if self._json is None or self.recorder.tab is not Tab.JSON:
            self.app.say("not now: go to the tab JSON first")
            return
        about, text = self._json
        lines = text if isinstance(text, str) else "\n".join(text.lines)
        try:
            page(self.app, lines, f"rank-{about.rank}-{about.source}.json", self.app.env)
        except PagerError as error:
            self.app.say(str(error))

    # files ----------------------------------------------------------------------------------------------------

    def do_export_table(self) -> None:
        """Write what is shown, beside the screen."""
        shown, look = self.recorder.shown, look_of(self.session)
        if shown is None:
            self.app.say("not now: there is no table here to export")
            return
        tab = shown.made_by.tab
        at = look.taken_at if look is not None else self.app.clock()
        name = export_name(self.session.label, source_name(self.recorder.source), tab, at)

        def write() -> None:
            worker = get_current_worker()
            try:
                path, rows = write_csv(shown, Path.cwd(), name, lambda: worker.is_cancelled)
            except OSError as error:
                self.post_message(TableExported(f"not exported: {error.strerror or error}"))
            else:
                self.post_message(TableExported(f"{count(rows, 'row')} of {tab} in {path}"))

        self.run_worker(write, group="export", thread=True)
        if len(shown.order) > LONG_EXPORT:
            self.app.say(f"writing {len(shown.order):,} rows …")

    def on_table_exported(self, message: TableExported) -> None:
        self.app.say(message.said)


LONG_EXPORT = 20_000
"""Rows from which on it is said that writing has begun."""


def _same(one: JsonOf, other: JsonOf) -> bool:
    return one.said is other.said


def _read(about: JsonOf) -> RawText | str:
    try:
        return raw_lines(about.said)
    except OSError as error:
        return f"The dump is no longer there: {error.strerror or error}"
