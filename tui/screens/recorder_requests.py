"""What the flight recorder's screen has done beside the screen: ordering rows, reading raw JSON, writing a file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from textual.message import Message

from ...services.cluster.probes import RECORDERS
from ...services.looks.recorders import DUMP_FILE
from ...services.new_file import create_new
from ...services.recorder_tables.browser import source_name
from ...services.recorder_tables.raw_json import raw_lines
from ..recorder.export import export_name, shown_table, whole_table
from ..recorder.spots import Tab
from ..recorder.status import look_of
from ..wording import count
from .export_request import ExportChoice, ask_for_export, table_choice
from .job import JobScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from ...services.flight_recorder.dump import Dump
    from ...services.looks.recorders import RecorderLook
    from ...services.recorder_tables.raw_json import RawText
    from ...services.session import Session
    from ...services.snapshot import RankReply
    from ..recorder.order import RowOrder, Shown
    from ..recorder.view import RecorderView

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

    def text_to_read(self) -> tuple[str, str]:
        """The JSON where it is shown, else all that is said of the row."""
        if self.recorder.tab is not Tab.JSON:
            return super().text_to_read()
        text, _name = self.json_to_copy()
        if self._json is None or not text:
            return "", ""
        about = self._json[0]
        return text, f"rank-{about.rank}-{about.source}.json"

    # files ----------------------------------------------------------------------------------------------------

    def do_export_table(self) -> None:
        """Ask what goes into which file: the table, or all calls as a trace."""
        shown, look = self.recorder.shown, look_of(self.session)
        if shown is None:
            self.app.say("not now: there is no table here to export")
            return
        tab, source = shown.made_by.tab.value, source_name(self.recorder.source)
        at = look.taken_at if look is not None else self.app.clock()
        label = self.session.label
        name, whole = (export_name(label, source, what, at) for what in (tab, f"all {tab}"))
        traced = export_name(label, "flight recorder", "", at, TRACE_ENDINGS[0])
        choices = [
            table_choice(f"{tab} as shown", name, shown_table(shown)),
            table_choice(f"{tab}, all rows and columns", whole, whole_table(shown)),
            ExportChoice(
                "trace for Perfetto: all calls, a track for each rank and group",
                traced,
                TRACE_ENDINGS[1:],
                partial(_write_trace, self.session.recorder, label, _hosts(self.session)),
                long=True,
            ),
        ]
        ask_for_export(self, choices)


TRACE_ENDINGS = (".trace.json.gz", ".json.gz", ".json")
"""What the name of a trace is offered with, and may end in."""


def _hosts(session: Session) -> dict[int, str]:
    return {rank: state.host for rank, state in session.ranks.items()}


def _write_trace(
    look: RecorderLook,
    title: str,
    hosts: Mapping[int, str],
    folder: Path,
    name: str,
    stopped: Callable[[], bool],
) -> str:
    from ...services.recorder_trace.writing import write_recorder_trace  # seldom wanted

    path, file = create_new(folder, name)
    file.close()
    try:
        made = write_recorder_trace(look, path, title=title, hosts=hosts, stopped=stopped)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    if not made.ended:
        path.unlink(missing_ok=True)
        return "the trace was not written to its end, so there is none"
    missing = f"; {made.untimed:,} without a time are not in it" if made.untimed else ""
    return f"{count(made.slices, 'call')} of {count(made.ranks, 'rank')} in {path}{missing}"


def _same(one: JsonOf, other: JsonOf) -> bool:
    return one.said is other.said


def _read(about: JsonOf) -> RawText | str:
    try:
        return raw_lines(about.said)
    except OSError as error:
        return f"The dump is no longer there: {error.strerror or error}"
